"""The real command line against real servers on loopback."""

import contextlib
import json
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from recrawl.cli.root import recrawl as command_line
from recrawl.lab.requests_log import Request, parse_lines
from recrawl.model.failure import RecrawlError
from tests.flow.nursery import Forked, first_lines, fork, run

RECRAWL = (sys.executable, "-m", "recrawl")
# commands that start no process, no server and no crawl: they need none of their own
QUIET = frozenset(
    {"add", "changes", "diff", "export", "history", "import", "search", "show", "sites", "status", "why", "records"}
)


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
        """All so far: a server answers first and writes it down then, so it is asked something else in between."""
        with contextlib.suppress(urllib.error.URLError):
            self._ask("/forbidden")
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
        """JSON as others read it, too: Python's own reader alone knows Infinity."""
        return [json.loads(line, parse_constant=_no_json) for line in self.out.splitlines() if line.strip()]


def _no_json(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


@pytest.fixture
def start_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    started: list[Forked] = []

    def start(pages: int, *options: str) -> Site:
        log, said = tmp_path / f"requests-{len(started)}.jsonl", tmp_path / f"site-{len(started)}.said"
        words = ["--pages", str(pages), "--log", str(log), *options]
        started.append(fork("recrawl.lab.static_site", words, tmp_path, said))
        url, controls = first_lines(said, 2, started[-1])
        return Site(url, controls, log)

    yield start
    for process in started:
        process.terminate()
    for process in started:
        process.wait(timeout=30)


def started(words: list[str], cwd: Path) -> Ran:
    """In a process of its own."""
    return Ran(*run("recrawl", words, cwd, 280))


def called(words: list[str], cwd: Path) -> Ran:
    """The same command line in this process, without the second it takes to start one."""
    with contextlib.chdir(cwd):
        done = CliRunner().invoke(command_line, words)
    if isinstance(done.exception, RecrawlError):
        return Ran(done.exception.exit_code, done.stdout, f"{done.stderr}recrawl: {done.exception}\n")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Ran(done.exit_code, done.stdout, done.stderr)


@pytest.fixture
def recrawl(tmp_path: Path) -> Callable[..., Ran]:
    def do(*words: object, expect: int | None = 0) -> Ran:
        done = (called if words[0] in QUIET else started)([str(word) for word in words], tmp_path)
        if expect is not None:
            assert done.code == expect, f"{words}\n{done.out}\n{done.err}"
        return done

    return do
