"""Full speed on loopback for some real minutes: do memory and file descriptors stay flat, do the counters drift?"""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.chaos.check import broken
from tests.chaos.ground import RECRAWL, Ground, ground

EVERY_S = 2.0
QUARTERS = 4  # of the time; the last one is judged: by then SQLite's caches (8 MB a connection) should be full
MOST_BYTES_A_REQUEST = 100.0  # beyond this it is a leak
Sample = tuple[float, float, float, float]  # seconds, kilobytes resident, descriptors, requests


def full_speed(place: Path, minutes: float, pages: int = 300) -> int:
    """One worker going round and round; printed: the slopes of every quarter of the time. 1: something still grows."""
    with ground(place, 1, sites=4, pages=pages, gap_s=0.0) as field:
        samples = _watch(field, minutes * 60)
        wrong = broken(field.folder)
        requests = field.asked()
    print(f"{minutes:g} minutes: {requests:,} requests ({requests / minutes / 60:,.0f} a second)")
    for number in range(QUARTERS):
        grown, descriptors = _quarter(samples, number * minutes * 60 / QUARTERS, (number + 1) * minutes * 60 / QUARTERS)
    print("\n".join(wrong) or "the counters are what counting gives")
    return int(bool(wrong) or grown > MOST_BYTES_A_REQUEST or descriptors > 1.0)


def _quarter(samples: Sequence[Sample], from_s: float, to_s: float) -> tuple[float, float]:
    """Bytes a request and descriptors a minute, printed."""
    part = [one for one in samples if from_s <= one[0] < to_s]
    kilobytes, descriptors, requests = slope(part, 1), slope(part, 2), slope(part, 3)
    grown = kilobytes * 1024 / max(1.0, requests)
    print(
        f"minutes {from_s / 60:.1f} to {to_s / 60:.1f}: memory {part[0][1] / 1024:.1f} → {part[-1][1] / 1024:.1f} MB, "
        f"{kilobytes:+,.0f} KB a minute, {grown:+,.0f} bytes a request; "
        f"descriptors {part[0][2]:.0f} → {part[-1][2]:.0f}, {descriptors:+.2f} a minute"
    )
    return grown, descriptors


def slope(samples: Sequence[Sample], column: int) -> float:
    """Of a straight line through the samples, a minute."""
    times = np.array([one[0] for one in samples]) / 60
    return float(np.polyfit(times, np.array([one[column] for one in samples]), 1)[0])


def _watch(field: Ground, seconds: float) -> list[Sample]:
    """The worker's pages are due again at once: the site changes and everything is made due every few seconds."""
    process = subprocess.Popen(
        [*RECRAWL, "run", str(field.folder), "--workers", "1"], stdout=subprocess.DEVNULL, start_new_session=True
    )
    samples, started = list[Sample](), time.monotonic()
    try:
        while (passed := time.monotonic() - started) < seconds and process.poll() is None:
            field.stir()
            _make_due(field)
            samples.append((passed, *_size_of(process.pid), float(field.asked())))
            time.sleep(EVERY_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(120)
    return samples


def _make_due(field: Ground) -> None:
    from recrawl.folder.folder import Folder
    from recrawl.folder.opening import open_store
    from recrawl.folder.settings import load

    folder = Folder(field.folder)
    if not folder.database.exists():
        return
    store = open_store(folder, load(folder))
    try:
        store.make_due(0.0)
    finally:
        store.close()


def _size_of(pid: int) -> tuple[float, float]:
    status = Path(f"/proc/{pid}/status").read_text()
    resident = next(line.split()[1] for line in status.splitlines() if line.startswith("RssAnon"))  # files aside
    return float(resident), float(len(list(Path(f"/proc/{pid}/fd").iterdir())))
