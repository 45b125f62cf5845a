"""Code blocks of a page, and how they are carried out against a site on loopback."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from recrawl.cli.root import recrawl
from tests.flow.conftest import RECRAWL, Site

ROOT = Path(__file__).parents[2]
PUBLIC = "https://docs.example.com/"
INTRODUCED = f"{PUBLIC} --contact you@example.org"  # stands in the pages where the site on loopback is our own
EXTRAS = re.findall(
    r"^([a-z]+) = \[", (ROOT / "pyproject.toml").read_text("utf-8").partition("[project.optional")[2], re.M
)
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
APART = frozenset({"run", "demo"})  # commands that want a process of their own


@dataclass(frozen=True)
class Block:
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Fenced blocks in order; one without a language is a mistake, for nobody would run it."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [Block(language, text) for language, text in found]


def steps(block: Block) -> Iterator[tuple[str, list[str] | None]]:
    """Commands with the lines they are said to print; None in a plain script, which says nothing of that."""
    if block.language == "console":
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, *told = part.splitlines()
            yield command, told
    else:
        for line in block.text.splitlines():
            if command := line.partition("  #")[0].strip():
                yield command, None


def shape(line: str) -> str:
    """Without what differs from run to run: numbers, units of size and time, bars, and how they are padded."""
    line = re.sub(r"\bin (\d+(ms|[dhms]))+", "in a while", line)
    line = re.sub(r"█+", "█", re.sub(r"\b[KM]?B\b", "B", line))
    return re.sub(r"\s+", " ", re.sub(r"[\d.:,-]+", "#", line)).strip()


@dataclass
class Session:
    """One reader at one terminal. `changed`: pages that change once, after the first whole crawl."""

    site: Site
    folder: Path
    changed: tuple[str, ...]
    ran: list[str] = field(default_factory=list)

    def follow(self, block: Block) -> None:
        for command, told in steps(block):
            said = self.carry_out(command)
            if told is not None and shlex.split(command)[0] == "recrawl":
                assert sorted(map(shape, said.splitlines())) == sorted(map(shape, told)), said
            self.ran.append(command)

    def carry_out(self, command: str) -> str:
        words = shlex.split(command.replace(INTRODUCED, f"{self.site.url} --own").replace(PUBLIC, self.site.url))
        return {"recrawl": self._recrawl, "pip": _pip, "make": _make}[words[0]](words[1:])

    def _recrawl(self, words: list[str]) -> str:
        words = [re.sub(r"^\d+s$", "2s", word) for word in words]
        said = self._apart(words) if words[0] in APART else self._here(words)
        if words == ["run", "--once"] and self.changed:
            self.site.change(*self.changed)
            self.changed = ()
        authority = self.site.url.split("/")[2]
        for own, public in ((self.site.url, PUBLIC), (authority, "docs.example.com")):
            said = said.replace(own, public).replace(own.replace(":", "-"), public)
        return said

    def _apart(self, words: list[str]) -> str:
        done = subprocess.run([*RECRAWL, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _here(self, words: list[str]) -> str:
        home = Path.cwd()
        os.chdir(self.folder)
        try:
            done = CliRunner().invoke(recrawl, words, catch_exceptions=False)
        finally:
            os.chdir(home)
        assert done.exit_code == 0, done.output
        return done.stdout


def _pip(words: list[str]) -> str:
    """What is to be installed can be: `make release-check` does it, in empty environments."""
    assert words[0] == "install"
    for word in words[1:]:
        found = re.fullmatch(r"recrawl(?:\[([a-z,]+)\])?", word)
        assert found is not None, word
        assert set((found[1] or "web").split(",")) <= set(EXTRAS), word
    return ""


def _make(words: list[str]) -> str:
    assert words[0] in TARGETS
    return ""
