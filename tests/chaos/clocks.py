"""The machine's clock jumps by hours, in both directions, while a crawl runs and between two runs.

Only the crawl sees the wrong time: its wall clock is libfaketime's where that is installed (`apt-get install
libfaketime`: every call of the process, C included), and Python's own `time.time` set wrong otherwise. The steady clock
is left alone, as a jump of a real machine's clock leaves it. The servers, who judge politeness, have the true time.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.check import broken, requests_of
from tests.chaos.ground import GAP_S, RECRAWL, Ground

FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
FARTHEST_H = 48.0
PATIENCE_S = 120.0
STORM = 1.5  # more requests than this a page in a run that visits each once
SHIM = """import time
from pathlib import Path

_true, _file = time.time, Path({file!r})
time.time = lambda: _true() + float(_file.read_text().strip().rstrip("h")) * 3600
"""


@dataclass(frozen=True)
class WrongClock:
    """Wrong by as many hours as the file says, from the moment it is written."""

    file: Path
    real: bool

    def set(self, hours: float) -> None:
        building = self.file.with_suffix(".new")
        building.write_text(f"{hours:+.3f}h\n")
        building.replace(self.file)

    def environment(self) -> dict[str, str]:
        if self.real:
            settings = {"LD_PRELOAD": str(FAKETIME[-1]), "FAKETIME_TIMESTAMP_FILE": str(self.file)}
            return os.environ | settings | {"FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        (self.file.parent / "sitecustomize.py").write_text(SHIM.format(file=str(self.file)))
        paths = [str(self.file.parent), *sys.path[:1], os.environ.get("PYTHONPATH", "")]
        return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def wrong_clock(place: Path, real: bool) -> WrongClock:
    place.mkdir(exist_ok=True)
    clock = WrongClock(place / "hours", real)
    clock.set(0.0)
    return clock


def jump_often(field: Ground, jumps: int, say: Callable[[str], None], real: bool = bool(FAKETIME)) -> list[str]:
    """Runs in each of which the clock jumps once; every other one is killed after that. Then a run in peace, by a clock
    behind everything that was written. What broke."""
    clock, wrong = wrong_clock(field.folder.with_name("clock"), real), list[str]()
    say(f"by {'libfaketime' if clock.real else 'a shim under time.time'}")
    known = sum(len(site.paths()) for site in field.sites)
    for number in range(jumps):
        field.stir()
        hours = field.dice.uniform(-FARTHEST_H, FARTHEST_H)
        asked = _one_run(field, clock, hours, killed=number % 2 == 1)
        say(f"jump {number + 1}: {hours:+.1f} h, {asked} requests for {known} pages")
        if asked > STORM * known:
            wrong.append(f"a storm: {asked} requests for {known} pages after a jump of {hours:+.1f} h")
    wrong += _quiet(field, clock)
    clock.set(-2 * FARTHEST_H)
    before = field.asked()
    ended = _start(field, clock, "--once", "--all").wait(PATIENCE_S)
    wrong += [f"the last run ended with {ended}"] if ended else []
    if (asked := field.asked() - before) < known:
        wrong.append(f"lost: {asked} requests for {known} pages after the clock was set back")
    return wrong + broken(field.folder, requests_of(site.log for site in field.sites), GAP_S)


def _start(field: Ground, clock: WrongClock, *options: str) -> subprocess.Popen[bytes]:
    words = [*RECRAWL, "run", str(field.folder), "--workers", "1", "--quiet", *options]
    return subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=clock.environment()
    )


def _one_run(field: Ground, clock: WrongClock, hours: float, killed: bool) -> int:
    """How many requests it made."""
    before = field.asked()
    process = _start(field, clock, "--once", "--all")
    _await_requests(field, before + field.dice.randrange(5, 60), process)
    clock.set(hours)
    if killed:
        _await_requests(field, field.asked() + field.dice.randrange(1, 30), process)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE_S)
    return field.asked() - before


def _await_requests(field: Ground, goal: int, process: subprocess.Popen[bytes]) -> None:
    give_up_at = time.monotonic() + PATIENCE_S
    while field.asked() < goal and process.poll() is None and time.monotonic() < give_up_at:
        time.sleep(0.01)


def _quiet(field: Ground, clock: WrongClock) -> list[str]:
    """A crawl that has visited everything and waits: jumps wake nobody up."""
    known, before = sum(len(site.paths()) for site in field.sites), field.asked()
    process = _start(field, clock, "--all")
    try:
        _await_requests(field, before + known, process)
        for hours in (FARTHEST_H, -FARTHEST_H, 2 * FARTHEST_H):
            clock.set(hours)
            time.sleep(1.0)
        asked, ended = field.asked() - before, process.poll()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE_S)
    storm = [f"a storm: {asked} requests for {known} pages while the clock jumped"] if asked > STORM * known else []
    return storm + ([f"the crawl ended with {ended}"] if ended is not None else [])
