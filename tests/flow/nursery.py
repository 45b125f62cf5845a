"""Processes that begin with their modules loaded: forks of one that loaded them, one for each pytest process.

`python -m recrawl` loads modules for half a second before it does anything, a site of the lab for half of that, and the
flow tests start hundreds of both. What is started here is the same module as `__main__`, in a process, a folder, an
environment and streams of its own; it can be signalled and killed. Not here: an interpreter of its own. Tests that are
about that (other surroundings, closed streams, a wrong clock) start `RECRAWL` themselves.
"""

import multiprocessing
import os
import runpy
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from subprocess import TimeoutExpired

LOADED = (
    "recrawl.cli.root",
    "recrawl.cli.run",
    "recrawl.cli.rest",
    "recrawl.cli.paint",
    "recrawl.cli.progress",
    "recrawl.launch.run",
    "recrawl.index.entry",
    "recrawl.store.search.sqlite",
    "recrawl.store.postgres",
    "recrawl.lab.static_site",
    "recrawl.lab.shop",
)


@dataclass(frozen=True, slots=True)
class Forked:
    """As much of `subprocess.Popen` as tests ask for."""

    process: ForkServerProcess
    words: tuple[str, ...]

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self.process.join(timeout)
        if self.process.exitcode is None:
            raise TimeoutExpired(self.words, timeout or 0.0)
        return self.process.exitcode

    def terminate(self) -> None:
        self.process.terminate()

    def kill(self) -> None:
        self.process.kill()


def fork(module: str, words: Sequence[str], cwd: Path, output: Path, errors: Path | None = None) -> Forked:
    """`python -m module words…`; what it prints goes to the end of files. Without `errors` those go where ours do."""
    arguments = (module, tuple(words), cwd, dict(os.environ), output, errors)
    process = _nursery().Process(target=_become, args=arguments)
    process.start()
    return Forked(process, (module, *words))


def run(module: str, words: Sequence[str], cwd: Path, timeout: float) -> tuple[int, str, str]:
    """To its end: exit code, output, errors."""
    with tempfile.TemporaryDirectory(prefix="recrawl-nursery-") as place:
        output, errors = Path(place) / "output", Path(place) / "errors"
        forked = fork(module, words, cwd, output, errors)
        try:
            return forked.wait(timeout), output.read_text(), errors.read_text()
        finally:
            forked.kill()


def first_lines(file: Path, count: int, forked: Forked) -> list[str]:
    """What it prints first, as soon as it is there."""
    while (text := file.read_text() if file.exists() else "").count("\n") < count:
        assert forked.poll() is None, f"{forked.words} has ended"
        time.sleep(0.005)
    return text.splitlines()[:count]


@cache
def _nursery() -> ForkServerContext:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line has it, before NumPy is loaded
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(list(LOADED))
    return found


def _become(
    module: str, words: tuple[str, ...], cwd: Path, environment: dict[str, str], output: Path, errors: Path | None
) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in ((1, output), (2, errors)):
        if file is not None:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(handle, number)
            os.close(handle)
    sys.argv[1:] = words
    runpy.run_module(module, run_name="__main__", alter_sys=True)
