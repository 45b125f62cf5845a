"""Other people's tools that judge our output, each in an environment of its own because their pins are old.

An environment is made once, under `.peers/` (ignored by git, removed by `make clean`), by whoever asks first.
"""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / ".peers"
PYWB = ("setuptools<81", "pywb>=2.8,<3")  # pywb still imports pkg_resources


def pywb_environment() -> Path:
    """The folder of pywb's programs (`wayback`, `cdx-indexer`, `python`)."""
    return environment("pywb", PYWB)


def environment(name: str, packages: tuple[str, ...]) -> Path:
    folder, wanted = ROOT / name, "\n".join(packages)
    stamp = folder / ".installed"
    ROOT.mkdir(exist_ok=True)
    with (ROOT / f"{name}.lock").open("w") as lock:  # test workers ask at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], check=True)
            subprocess.run([*_installer(folder / "bin" / "python"), "--quiet", *packages], check=True)
            stamp.write_text(wanted)
    return folder / "bin"


def _installer(python: Path) -> list[str]:
    """One that is there already: a pip in each environment would take longer to install than most tools."""
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--compile-bytecode", "--python", str(python)]
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python), "install"]


if __name__ == "__main__":
    print(pywb_environment())
