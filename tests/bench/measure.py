"""Runs one program to its end and says what it cost, its children included."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """`peak_bytes`: of the largest process. `pages`: what the program says it visited."""

    pages: int
    cpu_s: float
    wall_s: float
    peak_bytes: int

    @property
    def cpu_ms_a_page(self) -> float:
        return 1000.0 * self.cpu_s / max(1, self.pages)

    @property
    def pages_per_s(self) -> float:
        return self.pages / max(self.wall_s, 1e-9)


class Broken(RuntimeError):
    """A program that did not do what it was started for."""


def run(words: Sequence[str], folder: Path, environment: Mapping[str, str], good: Sequence[int] = (0,)) -> Cost:
    """Run in `folder`; CPU time and memory as the kernel counted them. `pages` is left 0."""
    with (folder / "output.txt").open("ab") as output:
        started_at = time.monotonic()
        child = subprocess.Popen(
            words, cwd=folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env={**os.environ, **environment}
        )
        _, status, used = os.wait4(child.pid, 0)
        wall_s = time.monotonic() - started_at
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in good:
        tail = (folder / "output.txt").read_text(errors="replace")[-2000:]
        raise Broken(f"{words[0]} ended with {child.returncode}:\n{tail}")
    return Cost(0, used.ru_utime + used.ru_stime, wall_s, used.ru_maxrss * 1024)
