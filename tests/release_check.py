"""The release checklist as a script: `make release-check`. Every line says what holds; the first that does not ends it.

Takes some minutes and needs a package index. Pythons that are not on this machine are named and left out.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
CORE_BYTES = 200_000_000
IMPORT_CPU_S = 0.1
WHOLE = {"pyproject.toml", "hatch_build.py", "README.md", "Makefile", "docs/start.md", "src/recrawl/native/module.c"}
EXTRAS = ("web", "speed", "postgres", "parquet", "agent", "scrapy", "lexbor")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="recrawl-release-") as name:
        place = Path(name)
        wheel, sdist = built(place / "dist")
        version_and_changelog(wheel)
        for python in PYTHONS:
            installed(python, sdist, place, compiled=True)
        installed(PYTHONS[0], plain_wheel(place / "plain"), place, compiled=False)
        extras(wheel, place)
        typed_for_users(wheel, place)
        from_clone_to_changes(place)
    say("all of it holds")
    return 0


def say(text: str) -> None:
    sys.stdout.write(f"ok  {text}\n")
    sys.stdout.flush()


def need(good: bool, text: str) -> None:
    if not good:
        sys.stdout.write(f"BAD {text}\n")
        sys.exit(1)


def run(*words: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(list(map(str, words)), cwd=cwd, env=env, capture_output=True, text=True, check=False)
    need(done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def built(dist: Path) -> tuple[Path, Path]:
    """Wheel and sdist, with what they must hold and nothing that they must not."""
    run(sys.executable, "-m", "build", "--outdir", dist, ROOT, env={**os.environ, "RECRAWL_NATIVE": "1"})
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("recrawl/py.typed", "recrawl/store/migrations/env.py", "recrawl/formats/crawlscript.rng"):
        need(wanted in names, f"{wanted} is missing in the wheel")
    need(not [name for name in names if name.startswith(("tests", "docs"))], "the wheel holds tests or pages")
    need(any(name.startswith("recrawl/native/_native.") for name in names), "the wheel is without its compiled part")
    with tarfile.open(sdist) as packed:
        inside = {name.partition("/")[2] for name in packed.getnames()}
    need(inside >= WHOLE, f"the sdist is without {', '.join(WHOLE - inside)}")
    say(f"built: {wheel.name} {wheel.stat().st_size / 1e6:.2f} MB, {sdist.name} {sdist.stat().st_size / 1e6:.2f} MB")
    return wheel, sdist


def plain_wheel(dist: Path) -> Path:
    """For machines that we have no wheel for, where nothing can be compiled."""
    words = [sys.executable, "-m", "build", "--wheel", "--outdir", dist, ROOT]
    run(*words, env={**os.environ, "RECRAWL_NATIVE": "0"})
    (wheel,) = dist.glob("*-py3-none-any.whl")
    return wheel


def version_and_changelog(wheel: Path) -> None:
    version = wheel.name.split("-")[1]
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    need(
        "## [Unreleased]" in text or f"## [{version}]" in text,
        "CHANGELOG.md speaks of neither this version nor the next",
    )
    dated = bool(re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", text, re.MULTILINE))
    say(f"version {version}; CHANGELOG.md {'has its date' if dated else 'has no date for it yet: give it one and tag'}")


def environment(python: str, place: Path) -> Path | None:
    """An empty one; None where that Python is not on this machine."""
    found = next(
        (one for one in (_of_pyenv(python), shutil.which(f"python{python}")) if one and _is(python, one)), None
    )
    if found is None:
        sys.stdout.write(f"--  Python {python} is not here\n")
        return None
    home = place / f"env-{python}-{time.monotonic_ns()}"
    run(found, "-m", "venv", home)
    return home / "bin"


def _is(python: str, program: str) -> bool:
    words = [program, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() == python


def _of_pyenv(python: str) -> str | None:
    kept = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{python}.*/bin/python"))
    return str(kept[-1]) if kept else None


def bare() -> dict[str, str]:
    """The environment of somebody who has just logged in."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": tempfile.gettempdir(), "LANG": "C.UTF-8"}


def installed(python: str, package: Path, place: Path, compiled: bool) -> None:
    bin_folder = environment(python, place)
    if bin_folder is None:
        return
    packages = bin_folder.parent / "lib" / f"python{python}" / "site-packages"
    before = _bytes(packages)
    run(bin_folder / "pip", "install", "--quiet", "--disable-pip-version-check", package)
    size, count = _bytes(packages) - before, len(json.loads(run(bin_folder / "pip", "list", "--format=json"))) - 1
    need(size < CORE_BYTES, f"a core install takes {size / 1e6:.0f} MB")
    said = run(bin_folder / "recrawl", "--version", env=bare()).strip()
    need(said == f"recrawl, version {package.name.removesuffix('.tar.gz').split('-')[1]}", said)
    there = run(bin_folder / "python", "-c", "from recrawl.native import compiled; print(compiled is not None)")
    need(there.strip() == str(compiled), f"the compiled part is {'missing' if compiled else 'there'}")
    cpu_s = min(float(run(bin_folder / "python", "-c", CPU, env=bare())) for _ in range(3))
    need(cpu_s < IMPORT_CPU_S, f"import recrawl costs {cpu_s:.3f} s of CPU")
    found = json.loads(run(bin_folder / "recrawl", "demo", "--for", "40s", "--json", env=bare()))
    need(found["changes"] > 0, f"no changes in {found}")
    say(
        f"Python {python}, {'compiled' if compiled else 'plain'}: {size / 1e6:.0f} MB in {count} packages, "
        f"import {1000 * cpu_s:.0f} ms of CPU, "
        f"{found['changes']} changes found in the demo"
    )


CPU = "import time; began = time.process_time(); import recrawl; print(time.process_time() - began)"


def _bytes(folder: Path) -> int:
    """Compiled files included."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def extras(wheel: Path, place: Path) -> None:
    bin_folder = environment(f"{sys.version_info.major}.{sys.version_info.minor}", place)
    need(bin_folder is not None, "this Python itself is not found")
    assert bin_folder is not None
    run(bin_folder / "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[{','.join(EXTRAS)}]")
    run(bin_folder / "python", "-c", "import recrawl.web.app, recrawl.scrapy, recrawl.store.postgres", env=bare())
    run(bin_folder / "pip", "check")
    say(f"extras {', '.join(EXTRAS)} install together")


def typed_for_users(wheel: Path, place: Path) -> None:
    """A program of a user, checked strictly against the installed package."""
    bin_folder = environment(f"{sys.version_info.major}.{sys.version_info.minor}", place)
    assert bin_folder is not None
    run(bin_folder / "pip", "install", "--quiet", "--disable-pip-version-check", wheel, "mypy")
    program = place / "consumer.py"
    shutil.copy(ROOT / "tests" / "docs" / "consumer.py", program)
    run(bin_folder / "mypy", "--strict", program, cwd=place)
    say("a user's program passes mypy --strict against the installed package")


def from_clone_to_changes(place: Path) -> None:
    """git clone, make demo: two commands, an empty folder, an empty environment, no file to write."""
    empty = place / "empty"
    empty.mkdir()
    run("git", "clone", "--quiet", ROOT, "recrawl", cwd=empty)
    env = {**bare(), "RECRAWL_DEMO_FOR": "40s", "HOME": str(empty)}
    said = run("make", "-C", "recrawl", "demo", f"PYTHON={sys.executable}", cwd=empty, env=env)
    found = re.search(r"found (\d+) changes", said)
    need(found is not None and int(found[1]) > 0, f"no changes: {said[-500:]}")
    say(f"from git clone to {found[1] if found else 0} changes in two commands")


if __name__ == "__main__":
    sys.exit(main())
