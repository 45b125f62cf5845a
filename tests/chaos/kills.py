"""kill -9 at random moments of a crawl: now one worker, now the whole tree; and the crawl goes on."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.request import urlopen

from recrawl.answers.reading import reading
from recrawl.folder.folder import Folder
from tests.chaos.check import broken, requests_of
from tests.chaos.ground import GAP_S, RECRAWL, Ground

CHECK_EVERY = 25
PATIENCE_S = 120.0


@dataclass(slots=True)
class Score:
    trees: int = 0
    workers: int = 0

    @property
    def kills(self) -> int:
        return self.trees + self.workers


def kill_often(
    field: Ground, kills: int, say: Callable[[str], None], options: Sequence[str] = ("--workers", "2")
) -> list[str]:
    """The crawl under `kills` kills, checked now and then and, after a run in peace, once more; what broke."""
    score, wrong, checked = Score(), list[str](), 0
    while score.kills < kills and not wrong:
        field.stir()
        _one_run(field, kills, score, options)
        if score.kills - checked >= CHECK_EVERY:
            checked = score.kills
            wrong = _check(field)
            say(f"{score.kills} kills ({score.trees} trees, {score.workers} workers), {field.asked()} requests so far")
    ended = subprocess.run([*RECRAWL, "run", str(field.folder), "--once", "--all", *options], check=False)
    if ended.returncode:
        wrong.append(f"the last run ended with {ended.returncode}")
    return wrong + _check(field) + _stale(field)


def _check(field: Ground) -> list[str]:
    return broken(field.folder, requests_of(site.log for site in field.sites), GAP_S)


def _stale(field: Ground) -> list[str]:
    """Pages that the server shows otherwise than they are kept."""
    wrong = []
    with reading(Folder(field.folder)) as found:
        for url in (site.url.rstrip("/") + path for site in field.sites for path in site.paths()):
            with urlopen(url, timeout=60) as answer:
                shown = f"sha256:{sha256(answer.read()).hexdigest()}"
            page = found.page(url)
            kept = found.store.versions(page.id)
            if not kept or kept[0].digest != shown:
                wrong.append(f"stale: {url}, kept {len(kept)} times, last visit {found.store.visits(page.id, 1)}")
    return wrong


def _one_run(field: Ground, kills: int, score: Score, options: Sequence[str]) -> None:
    """One start of the command line, killed whole in the end; up to four of its workers die before. Every other time it
    goes on with what the last one left, and with the answers that were not written."""
    everything = ["--all"] if field.dice.random() < 0.5 else []
    process = subprocess.Popen(
        [*RECRAWL, "run", str(field.folder), "--once", *everything, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    for _ in range(field.dice.randint(0, 4)):
        if score.kills + 1 >= kills or not _await_moment(field, process):
            break
        score.workers += _kill_one(_children(process.pid), field.dice)
    if _await_moment(field, process):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
            score.trees += 1
    process.wait(PATIENCE_S)


def _await_moment(field: Ground, process: subprocess.Popen[bytes]) -> bool:
    """Until a random number of further requests were made: a moment of the crawl, not of the clock. False: it ended."""
    goal, until = field.asked() + field.dice.randrange(1, 40), time.monotonic() + PATIENCE_S
    while process.poll() is None and field.asked() < goal and time.monotonic() < until:
        time.sleep(field.dice.random() * 0.005)
    return process.poll() is None


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _kill_one(pids: Sequence[int], dice: random.Random) -> int:
    if not pids:
        return 0
    with suppress(ProcessLookupError):
        os.kill(dice.choice(pids), signal.SIGKILL)
        return 1
    return 0
