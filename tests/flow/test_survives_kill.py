"""kill -9 at random moments, restart each time: nothing lost, next to nothing repeated, every version readable."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from recrawl.engine.folder import Folder
from recrawl.engine.reading import reading
from tests.flow.conftest import RECRAWL, Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]
KILLS = 20
REPEATED_A_KILL = 20


def _crawl_with_kills(folder: Path, site: Site, dice: random.Random, *options: str) -> int:
    kills = 0
    while kills < KILLS:
        seen = len(site.requests())
        started = time.monotonic()
        process = subprocess.Popen(
            [*RECRAWL, "run", str(folder), "--once", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        goal = seen + dice.randrange(1, 60)  # a moment of the crawl, not of the clock
        while process.poll() is None and len(site.requests()) < goal and time.monotonic() - started < 60:
            time.sleep(dice.random() * 0.01)
        if process.poll() is not None:
            break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    return kills


def _check(folder: Path, site: Site, recrawl: Run, kills: int) -> None:
    recrawl("run", folder, "--once")
    asked = Counter(site.pages_asked())
    assert set(asked) == site.paths() - site.forbidden()
    assert sum(asked.values()) - len(asked) <= REPEATED_A_KILL * kills
    [status] = recrawl("status", folder, "--json").lines
    assert status["pages"] == status["versions"] == len(asked)
    added = [line["url"] for line in recrawl("changes", folder, "--json").lines]
    assert len(added) == len(set(added)) == len(asked)
    warcs = sorted((folder / "warc").glob("*.warc.gz"))
    checked = subprocess.run([sys.executable, "-m", "warcio.cli", "check", *map(str, warcs)], check=False)
    assert checked.returncode == 0
    with reading(Folder(folder)) as found:
        for path in asked:
            [version] = found.store.versions(found.page(site.url.rstrip("/") + path).id)
            assert f"sha256:{sha256(found.payload(version).body).hexdigest()}" == version.digest


def test_twenty_kills_lose_nothing_and_repeat_next_to_nothing(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    site = start_site(700, "--traps", "3")
    folder = tmp_path / "D"
    recrawl("add", site.url, "--own", "--folder", folder)
    kills = _crawl_with_kills(folder, site, random.Random(7))
    assert kills >= 10
    _check(folder, site, recrawl, kills)


def test_a_killed_crew_of_workers_dies_whole_and_can_be_started_again_at_once(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    site = start_site(300)
    folder = tmp_path / "D"
    recrawl("add", site.url, "--own", "--parallel", "2", "--folder", folder)
    kills = _crawl_with_kills(folder, site, random.Random(3), "--workers", "3")
    assert kills >= 4
    _check(folder, site, recrawl, kills)
