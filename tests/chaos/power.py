"""Power cuts, simulated: copies of a killed folder with its last unsynced writes torn, each opened and crawled on.

What a cut can do, by what is flushed when. SQLite (WAL mode, synchronous = NORMAL): its log may end anywhere, or hold
garbage from anywhere on, behind what was last checkpointed. The WARC file with `archive.sync` (the default): it is
flushed before the state that speaks of its versions is written, so it may end anywhere behind the last version's
record. Without `archive.sync`, or on a disk that lies: anywhere at all, and any stretch of it may be holes. Cuts go
through the three kinds in turn. What the swallowed commits had told is crawled again, and versions whose record is gone
are taken back: that is the durability the manual promises.
"""

import os
import random
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from recrawl.answers.reading import reading
from recrawl.folder.folder import Folder
from recrawl.model.event import EventKind
from tests.chaos.check import MOST, broken
from tests.chaos.ground import RECRAWL, Ground

CUTS_A_FOLDER = 20
BLOCK = 4096
KINDS = ("sync", "lying disk", "no sync")


def cut_often(field: Ground, cuts: int, say: Callable[[str], None]) -> list[str]:
    wrong: list[str] = []
    lost = Counter[str]()
    for number in range(cuts):
        if number % CUTS_A_FOLDER == 0:
            field.stir()
            _crawl_and_kill(field)
            say(f"{number} cuts so far; versions taken back: {dict(lost)}")
        kind = KINDS[number % len(KINDS)]
        failed, taken_back = _after_cut(field, kind, number % CUTS_A_FOLDER == 0)
        wrong += [f"cut {number} ({kind}): {what}" for what in failed]
        lost[kind] += taken_back
    say(f"{cuts} cuts; versions taken back: {dict(lost)}")
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


def _after_cut(field: Ground, kind: str, goes_on: bool) -> tuple[list[str], int]:
    """What is wrong afterwards, and how many versions were taken back."""
    copy = field.folder.with_name("cut")
    shutil.copytree(field.folder, copy)
    try:
        with (copy / "recrawl.toml").open("a") as settings:
            settings.write(f"\n[archive]\nsync = {str(kind != 'no sync').lower()}\n")
        tear(copy, field.dice, kind)
        words = ["run", str(copy), "--once", "--workers", "1", *(["--all"] if goes_on else [])]
        ended = subprocess.run([*RECRAWL, *words], capture_output=True, text=True, check=False)
        failed = [f"ended with {ended.returncode}: {ended.stderr}"] if ended.returncode else []
        with reading(Folder(copy)) as found:
            events = found.store.events(0, (EventKind.LOST,), MOST)
        taken_back = sum(int(str(event.facts["versions"])) for event in events)
        return failed + broken(copy, acknowledged=False), taken_back
    finally:
        shutil.rmtree(copy)


def tear(folder: Path, dice: random.Random, kind: str) -> None:
    """As a power cut would leave it."""
    (folder / "recrawl.db-shm").unlink(missing_ok=True)
    log = folder / "recrawl.db-wal"
    if log.exists() and log.stat().st_size:
        _end_anywhere(log, 0, dice)
    ends = _ends_of_versions(folder) if kind == "sync" else {}
    for warc in (folder / "warc").glob("*.warc.gz"):
        sidecar = warc.with_name(warc.name.removesuffix(".warc.gz") + ".cdxj.open")
        if sidecar.exists():
            if kind == "no sync":
                _punch(warc, dice)
            _end_anywhere(warc, ends.get(warc.name, 0), dice)
            _end_anywhere(sidecar, 0, dice)


def _ends_of_versions(folder: Path) -> dict[str, int]:
    """Where the last record of a version ends in each file: flushed with `archive.sync`."""
    ends: dict[str, int] = {}
    with reading(Folder(folder)) as found:
        after = None
        while pages := found.store.scan("", after):
            after = pages[-1].id
            for one in (version for page in pages for version in found.store.versions(page.id)):
                ends[one.warc_file] = max(ends.get(one.warc_file, 0), one.warc_offset + one.warc_length)
    return ends


def _punch(file: Path, dice: random.Random) -> None:
    """A block that was never written, somewhere."""
    size = file.stat().st_size
    start = dice.randrange(size) // BLOCK * BLOCK
    with file.open("r+b") as torn:
        torn.seek(start)
        torn.write(bytes(min(BLOCK, size - start)))


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
