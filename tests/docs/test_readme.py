"""The session in the README is a true one: it is run here, and every line of output must come, numbers aside."""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.flow.conftest import RECRAWL, Site

README = Path(__file__).parents[2] / "README.md"
CHANGED = ("/p/7.html", "/p/30.html", "/p/44.html")


def session() -> list[tuple[str, list[str]]]:
    block = re.search(r"```console\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert block is not None
    steps: list[tuple[str, list[str]]] = []
    for line in block[1].splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        else:
            steps[-1][1].append(line)
    return steps


def shape(line: str) -> str:
    """Without what differs from run to run: numbers, units of size, bars, and how they are padded."""
    line = re.sub(r"█+", "█", re.sub(r"\b[KM]?B\b", "B", line))
    return re.sub(r"\s+", " ", re.sub(r"[\d.:,-]+", "#", line)).strip()


def test_the_session_in_the_readme_is_true(start_site: Callable[..., Site], tmp_path: Path) -> None:
    site = start_site(120, "--noisy", "4", "--traps", "1")
    authority = site.url.split("/")[2]
    for number, (command, told) in enumerate(session()):
        words = shlex.split(command.replace("https://docs.example.com/ --contact you@example.org", f"{site.url} --own"))
        assert words[0] == "recrawl"
        done = subprocess.run([*RECRAWL, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=True)
        said = done.stdout.replace(site.url, "https://docs.example.com/").replace(authority, "docs.example.com")
        said = said.replace(authority.replace(":", "-"), "docs.example.com")
        if command == "recrawl changes --kind updated":
            assert sorted(map(shape, said.splitlines())) == sorted(map(shape, told)), done.stderr
        else:
            assert list(map(shape, said.splitlines())) == list(map(shape, told)), done.stderr
        if number == 1:
            site.change(*CHANGED)


def test_the_two_commands_of_the_first_screen_are_targets_of_the_makefile() -> None:
    first_screen = README.read_text("utf-8").splitlines()[:12]
    targets = re.findall(r"^([a-z-]+):", (README.parent / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = [line.split()[1] for line in first_screen if line.startswith("make ")]
    assert named == ["demo", "test"]
    assert set(named) <= set(targets)
    assert sys.version_info >= (3, 11)
