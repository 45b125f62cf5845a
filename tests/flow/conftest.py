"""The real command line against real servers on loopback."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from recrawl.lab.requests_log import Request, parse_lines

RECRAWL = (sys.executable, "-m", "recrawl")


@dataclass
class Site:
    """A static site in a process of its own, with its controls and its request log."""

    url: str
    controls: str
    log: Path

    def change(self, *paths: str) -> None:
        self.control({"change": list(paths)})

    def control(self, order: dict[str, object]) -> None:
        body = json.dumps(order).encode()
        urllib.request.urlopen(urllib.request.Request(self.controls, data=body, method="POST"), timeout=30).read()

    def paths(self) -> set[str]:
        return set(self._ask("/paths"))

    def forbidden(self) -> set[str]:
        return set(self._ask("/forbidden"))

    def requests(self) -> list[Request]:
        return parse_lines(self.log.read_text()) if self.log.exists() else []

    def pages_asked(self) -> list[str]:
        return [request.path for request in self.requests() if request.path != "/robots.txt"]

    def _ask(self, what: str) -> list[str]:
        with urllib.request.urlopen(self.controls + what, timeout=30) as answer:
            return list(json.load(answer))


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]


@pytest.fixture
def start_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    started: list[subprocess.Popen[str]] = []

    def start(pages: int, *options: str) -> Site:
        log = tmp_path / f"requests-{len(started)}.jsonl"
        words = [sys.executable, "-m", "recrawl.lab.static_site", "--pages", str(pages), "--log", str(log), *options]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        return Site(process.stdout.readline().strip(), process.stdout.readline().strip(), log)

    yield start
    for process in started:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture
def recrawl(tmp_path: Path) -> Callable[..., Ran]:
    def run(*words: object, expect: int | None = 0) -> Ran:
        done = subprocess.run(
            [*RECRAWL, *map(str, words)], cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False
        )
        if expect is not None:
            assert done.returncode == expect, f"{words}\n{done.stdout}\n{done.stderr}"
        return Ran(done.returncode, done.stdout, done.stderr)

    return run
