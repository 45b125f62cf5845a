"""Tells a story: life after life of the real engine under virtual time, until nothing goes wrong any more."""

import asyncio
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from recrawl.archive.folder import WarcArchive
from recrawl.archive.memory import MemoryArchive
from recrawl.archive.settings import ArchiveSettings
from recrawl.config import Settings
from recrawl.engine.assembly import scheduler_of
from recrawl.engine.clock import Dice, VirtualClock, run_virtually
from recrawl.engine.scheduling.spending_together import share_out
from recrawl.engine.tally import Tally
from recrawl.engine.worker import Order, Worker
from recrawl.lab.month import parts_of
from recrawl.lab.requests_log import Request
from recrawl.lab.simulated import SimulatedFetcher
from recrawl.model.capture import Capture
from recrawl.model.event import Event
from recrawl.model.failure import DiskFull
from recrawl.model.page import Page
from recrawl.model.visit import Ask, Reply
from recrawl.ports import Archive, Fetcher, Store
from recrawl.schedule.settings import Settings as Intervals
from recrawl.store.memory import MemoryStore
from recrawl.store.sqlite import open_sqlite
from tests.laws.mortal import Fate, MortalArchive, MortalStore, tear_files
from tests.laws.story import GAP_S, Life, Story

POLL_S = 3600.0


@dataclass(slots=True)
class Lived:
    """What one life left: what servers saw, and what was announced."""

    life: Life
    start_at: float  # true time
    end_at: float
    requests: list[Request]
    told: list[Event]
    complaints: list[str]
    known: frozenset[str]  # addresses known when it was over


@dataclass(slots=True)
class Told:
    """A story that has been told."""

    story: Story
    store: Store
    archive: Archive
    lives: list[Lived] = field(default_factory=list)

    @property
    def requests(self) -> list[Request]:
        return [request for life in self.lives for request in life.requests]

    @property
    def end_at(self) -> float:
        return self.lives[-1].end_at

    def pages(self) -> list[Page]:
        return list(all_pages(self.store))


def all_pages(store: Store) -> Iterator[Page]:
    after = None
    while found := store.scan("", after):
        yield from found
        after = found[-1].id


def play(story: Story, check: Callable[[Told], None]) -> None:
    """Tell the story and have it checked while everything it wrote is still there."""
    folder = Path(tempfile.mkdtemp(prefix="recrawl-story-")) if story.on_disk else None
    try:
        told = Told(story, *_opened(folder))
        true_at = story.world.start_at
        for number, life in enumerate(story.lives):
            if folder is not None and number:
                told.store.close()
                told.store = open_sqlite(folder / "recrawl.db")
            if number == len(story.lives) - 1:  # those who died early leave their time to the last
                life = replace(life, lasts_s=max(life.lasts_s, story.ends_at - true_at))
            told.lives.append(_live(told, life, number, true_at, folder))
            true_at = told.end_at + life.down_s
        check(told)
    finally:
        told.store.close()
        if folder is not None:
            shutil.rmtree(folder)


def _opened(folder: Path | None) -> tuple[Store, Archive]:
    if folder is None:
        return MemoryStore(), MemoryArchive()
    return open_sqlite(folder / "recrawl.db"), _warcs(folder, "reader", 0, Dice(0))


def _warcs(folder: Path, worker: str, now: float, dice: Dice) -> WarcArchive:
    return WarcArchive(folder / "warc", worker, ArchiveSettings(), lambda: now, dice.record_id)


def _live(told: Told, life: Life, number: int, start_at: float, folder: Path | None) -> Lived:
    story, fate = told.story, Fate(life)
    share_out(told.store, len(life.jumps_s))
    true_clock = VirtualClock(start_at)
    fetcher = SimulatedFetcher(story.world, true_clock, story.faults)
    lived = Lived(life, start_at, start_at, fetcher.log, [], [], frozenset())
    opened: list[WarcArchive] = []

    def low() -> bool:
        return 0.0 <= true_clock.now() - start_at - life.disk_low_from_s < life.disk_low_for_s

    def worker(place: int, jump_s: float) -> Worker:
        clock, seed = VirtualClock(start_at + jump_s), hash((story.seed, number, place)) & 0xFFFFFFFF
        inner: Archive = told.archive
        if folder is not None:
            inner = _warcs(folder, str(place), start_at, Dice(seed))
            opened.append(inner)
        archive = MortalArchive(inner, fate, _tearing(inner, folder, random.Random(seed).random()))
        store: Store = MortalStore(told.store, fate)  # type: ignore[assignment]  # all of the port, by __getattr__
        settings = _settings(story)
        parts = parts_of(
            story.world, seed, settings, clock, Misdated(fetcher, jump_s), store, archive, lived.complaints, GAP_S
        )
        parts.tell = lambda *events: lived.told.extend(events)
        parts.disk_is_low, parts.worker = low, str(place)
        sites = [quarry.site for quarry in parts.quarries.values()]
        parts.scheduler = scheduler_of(settings, sites, store, str(place), len(life.jumps_s))
        count = len(life.jumps_s)
        order = Order(for_s=life.lasts_s if life.death != "kill" else None, poll_s=POLL_S, alone=count == 1)
        return Worker(parts, order, frozenset(range(place, store.partitions, count)), Tally())

    async def main() -> float:
        asyncio.get_running_loop().set_exception_handler(lambda loop, what: None)  # the dead complain of being dead
        runs = [asyncio.create_task(worker(place, jump).run()) for place, jump in enumerate(life.jumps_s)]
        done, _ = await asyncio.wait(runs, timeout=life.lasts_s + 60.0, return_when=asyncio.FIRST_EXCEPTION)
        fate.dead = fate.dead or len(done) < len(runs)  # kill -9, or the tree that dies with one of its own
        for run in done:
            if isinstance(wrong := run.exception(), Exception) and not isinstance(wrong, DiskFull):
                raise wrong
        return true_clock.now()

    lived.end_at = run_virtually(main)
    for archive in opened:
        _let_go(archive, fate.dead)
    lived.known = frozenset(page.url for page in all_pages(told.store))
    return lived


class Misdated:
    """The web through a process whose wall clock is wrong: the servers live in true time, the replies bear its own."""

    def __init__(self, inner: Fetcher, jump_s: float) -> None:
        self._inner, self._jump_s = inner, jump_s

    async def fetch(self, ask: Ask) -> Reply:
        reply = await self._inner.fetch(ask)
        return replace(reply, at=reply.at + self._jump_s)

    async def close(self) -> None:
        await self._inner.close()


def _settings(story: Story) -> Settings:
    settings = replace(Settings(), intervals=Intervals(requests_per_page_day=1.0))
    return replace(settings, schedule=replace(settings.schedule, requests_per_day=story.requests_per_day))


def _tearing(inner: Archive, folder: Path | None, share: float) -> Callable[[Sequence[Capture]], None]:
    def tear(captures: Sequence[Capture]) -> None:
        if folder is None:
            inner.append(captures[: int(len(captures) * share)])
        else:
            tear_files(folder / "warc", captures, inner, share)

    return tear


def _let_go(archive: WarcArchive, dead: bool) -> None:
    """A dead process lets go of its files as they are; its locks go with it."""
    if not dead:
        archive.close()
    elif archive._file is not None:
        archive._file.abandon()
