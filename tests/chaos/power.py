"""Power cuts, simulated: copies of a killed folder with its last unsynced writes torn, each opened and crawled on.

What a cut can do, by what is synced when (`archive.sync = true`, SQLite in WAL mode with synchronous = NORMAL): the
log of SQLite may end anywhere, or hold garbage from anywhere on, behind what was last checkpointed; the WARC file is
synced before the state that speaks of it is written, so it may end anywhere behind the last record of a commit. What
the swallowed commits had told is crawled again: that is the durability the manual promises.
"""

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from recrawl.answers.reading import reading
from recrawl.folder.folder import Folder
from tests.chaos.check import broken
from tests.chaos.ground import RECRAWL, Ground

CUTS_A_FOLDER = 20


def cut_often(field: Ground, cuts: int, say: Callable[[str], None]) -> list[str]:
    with (field.folder / "recrawl.toml").open("a") as settings:
        settings.write("\n[archive]\nsync = true\n")
    wrong: list[str] = []
    for number in range(cuts):
        if number % CUTS_A_FOLDER == 0:
            field.stir()
            _crawl_and_kill(field)
            say(f"{number} cuts so far")
        wrong += [f"cut {number}: {what}" for what in _after_cut(field, number % CUTS_A_FOLDER == 0)]
    return wrong


def _crawl_and_kill(field: Ground) -> None:
    goal = field.asked() + field.dice.randint(20, 120)
    process = subprocess.Popen(
        [*RECRAWL, "run", str(field.folder), "--once", "--all", "--workers", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.poll() is None and field.asked() < goal:
        os.sched_yield()
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(120)


def _after_cut(field: Ground, goes_on: bool) -> list[str]:
    copy = field.folder.with_name("cut")
    shutil.copytree(field.folder, copy)
    try:
        tear(copy, field.dice)
        words = ["run", str(copy), "--once", "--workers", "1", *(["--all"] if goes_on else [])]
        ended = subprocess.run([*RECRAWL, *words], capture_output=True, text=True, check=False)
        failed = [f"ended with {ended.returncode}: {ended.stderr}"] if ended.returncode else []
        return failed + broken(copy, acknowledged=False)
    finally:
        shutil.rmtree(copy)


def tear(folder: Path, dice: random.Random) -> None:
    """As a power cut would leave it."""
    (folder / "recrawl.db-shm").unlink(missing_ok=True)
    log = folder / "recrawl.db-wal"
    if log.exists() and log.stat().st_size:
        _end_anywhere(log, 0, dice)
    with reading(Folder(folder)) as found:
        ends: dict[str, int] = {}
        after = None
        while pages := found.store.scan("", after):
            after = pages[-1].id
            for one in (version for page in pages for version in found.store.versions(page.id)):
                ends[one.warc_file] = max(ends.get(one.warc_file, 0), one.warc_offset + one.warc_length)
    for warc in (folder / "warc").glob("*.warc.gz"):
        if warc.with_name(warc.name.removesuffix(".warc.gz") + ".cdxj.open").exists():
            _end_anywhere(warc, ends.get(warc.name, 0), dice)
            _end_anywhere(warc.with_name(warc.name.removesuffix(".warc.gz") + ".cdxj.open"), 0, dice)


def _end_anywhere(file: Path, least: int, dice: random.Random) -> None:
    """Cut off, filled with zeros or with noise from somewhere behind `least` on."""
    size = file.stat().st_size
    if size <= least:
        return
    end = dice.randint(least, size)
    rest = dice.choice((b"", bytes(size - end), dice.randbytes(size - end)))
    with file.open("r+b") as torn:
        torn.truncate(end)
        torn.seek(end)
        torn.write(rest)
