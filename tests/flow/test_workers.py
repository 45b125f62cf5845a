"""Several workers on one folder: links cross, the dead come back, all end together."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.flow.conftest import RECRAWL, Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_worker_that_dies_is_started_again_and_nothing_is_lost(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    sites = [start_site(60, "--delay", "0.02") for _ in range(4)]
    for number, site in enumerate(sites):
        recrawl("add", site.url, "--own", "--name", f"s{number}", "--folder", "D")
    process = subprocess.Popen(
        [*RECRAWL, "run", "D", "--once", "--workers", "3"], cwd=tmp_path, stdout=subprocess.DEVNULL
    )
    while sum(len(site.requests()) for site in sites) < 40:
        time.sleep(0.02)
    os.kill(children(process.pid)[0], signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    for site in sites:
        asked = Counter(site.pages_asked())
        assert set(asked) == site.paths()
        assert sum(asked.values()) - len(asked) <= 20
    [status] = recrawl("status", "D", "--json").lines
    assert status["pages"] == status["versions"] == 240
