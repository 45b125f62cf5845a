"""What somebody gets who installs recrawl: types, a version, a quick import, and changes after two commands."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import recrawl

ROOT = Path(__file__).parents[2]


def test_importing_recrawl_brings_nothing_heavy_along() -> None:
    """What that costs in seconds is looked at by `make release-check`."""
    words = [sys.executable, "-X", "importtime", "-c", "import recrawl"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stderr
    brought = {line.rpartition("|")[2].strip() for line in said.splitlines()}
    assert {name for name in brought if name.partition(".")[0] == "recrawl"} == {"recrawl", "recrawl.version"}
    assert not brought & {"numpy", "sqlalchemy", "click", "pycurl", "lxml", "asyncio"}


def test_a_user_s_program_is_among_what_make_check_types_strictly() -> None:
    assert (ROOT / "src" / "recrawl" / "py.typed").exists()
    mypy = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert mypy["strict"] is True and "tests/docs/consumer.py" in mypy["files"]
    used = set(re.findall(r"recrawl\.(\w+)", (ROOT / "tests" / "docs" / "consumer.py").read_text("utf-8"))) - {
        "schedule"
    }
    assert used | {"Crawl", "Event"} == set(recrawl.__all__)


def test_from_clone_to_the_first_changes_in_two_commands_without_a_file_to_write(tmp_path: Path) -> None:
    """`git clone`, `make demo`, in an empty folder with an empty environment. `make release-check` does it with an
    environment installed anew; here the packages are those of this one, the code is that of the clone."""
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", "recrawl"], cwd=tmp_path, check=True)
    clone = tmp_path / "recrawl"
    bin_folder = lent_environment(tmp_path / "env", clone)
    clean = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
    words = ["make", "-C", "recrawl", "demo", f"BIN={bin_folder}", f"STAMP={bin_folder / 'recrawl'}"]
    demo = subprocess.Popen(words, cwd=tmp_path, env=clean, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert demo.stdout is not None
        said = "".join(iter_until(demo.stdout, re.compile(r"changes [1-9]")))
    finally:
        os.killpg(demo.pid, signal.SIGKILL)
        demo.wait()
    assert re.search(r"^day .* changes [1-9]", said, re.MULTILINE), said


def iter_until(lines: IO[str], wanted: re.Pattern[str]) -> Iterator[str]:
    """Lines up to the first that fits, or to the end."""
    for line in lines:
        yield line
        if wanted.search(line):
            return


def lent_environment(home: Path, clone: Path) -> Path:
    """A virtual environment with the clone's code and the packages of this one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    packages.mkdir(parents=True, exist_ok=True)
    own = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "lent.pth").write_text("\n".join([str(clone / "src"), *own]) + "\n")
    program = home / "bin" / "recrawl"
    program.write_text(f"#!{home / 'bin' / 'python'}\nfrom recrawl.cli import main\nmain()\n")
    program.chmod(0o755)
    newest = max(file.stat().st_mtime for file in clone.iterdir())
    os.utime(program, (newest + 1, newest + 1))
    return home / "bin"


def test_the_version_is_said() -> None:
    done = subprocess.run([sys.executable, "-m", "recrawl", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"recrawl, version {recrawl.__version__}\n"
