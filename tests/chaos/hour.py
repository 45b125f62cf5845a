"""An hour of load under the virtual clock: the whole engine on a real SQLite file and a real archive, asked for
everything once a minute, in one process. Python accounts for what it holds; what the simulated web remembers is left
out."""

import asyncio
import gc
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

from recrawl.archive.folder import WarcArchive
from recrawl.archive.settings import ArchiveSettings
from recrawl.config import Settings
from recrawl.engine.clock import Dice, VirtualClock, run_virtually
from recrawl.engine.tally import Count, Tally
from recrawl.engine.worker import Order, Worker
from recrawl.lab.month import parts_of
from recrawl.lab.simulated import SimulatedFetcher
from recrawl.lab.tempers import Poisson
from recrawl.lab.world import World
from recrawl.lab.world_parts import PageSpec, ServerSpec
from recrawl.store.sqlite import open_sqlite

MINUTES = 60
SERVERS, PAGES = 4, 60
CHANGE_EVERY_S = 3600.0
WARM_MINUTES = 20
MOST_BYTES_A_REQUEST = 60.0


class Unread(list[Any]):
    """What nobody reads is not kept."""

    def append(self, item: Any) -> None:
        pass

    def extend(self, items: Any) -> None:
        pass


def simulated_hour(place: Path) -> int:
    """Printed: requests, and what Python holds minute by minute. 1: it grows, or the counters drift."""
    clock, tally = VirtualClock(), Tally()
    store = open_sqlite(place / "hour.db")
    archive = WarcArchive(place / "warc", "0", ArchiveSettings(sync=False), clock.now, Dice(1).record_id)
    fetcher = SimulatedFetcher(_world(), clock)
    fetcher.log = Unread()
    held: list[tuple[int, int]] = []  # requests, bytes

    async def main() -> None:
        parts = parts_of(_world(), 1, Settings(), clock, fetcher, store, archive, Unread(), gap_s=0.0)
        worker = Worker(parts, Order(poll_s=1.0), frozenset(range(store.partitions)), tally)
        crawl = asyncio.create_task(worker.run())
        for minute in range(MINUTES):
            await clock.sleep(60.0)
            gc.collect()
            held.append((tally[Count.REQUESTS], _held()))
            store.make_due(clock.now())
            worker.look_soon()
            print(f"minute {minute + 1}: {held[-1][0]:,} requests, {held[-1][1] / 1e6:.2f} MB", flush=True)
        worker.stop()
        await crawl

    tracemalloc.start(1)
    try:
        run_virtually(main)
    finally:
        tracemalloc.stop()
        archive.close()
    requests, bytes_held = np.array(held[WARM_MINUTES:], dtype=float).T
    grown = float(np.polyfit(requests, bytes_held, 1)[0])
    visits = store.totals().visits
    store.close()
    print(f"one simulated hour: {held[-1][0]:,} requests; {grown:+.1f} bytes a request after {WARM_MINUTES} minutes")
    print(f"visits counted by the worker {tally[Count.VISITS]:,}, by the store {visits:,}")
    return int(grown > MOST_BYTES_A_REQUEST or visits != tally[Count.VISITS])


def _held() -> int:
    aside = [tracemalloc.Filter(False, pattern) for pattern in ("*/recrawl/lab/*", "*/chaos/*", tracemalloc.__file__)]
    return sum(one.size for one in tracemalloc.take_snapshot().filter_traces(aside).traces)


def _world() -> World:
    pages = tuple(PageSpec(f"/page/{number}", Poisson(CHANGE_EVERY_S)) for number in range(PAGES))
    return World(1, tuple(ServerSpec(f"server{number}", pages=pages, delay_s=0.01) for number in range(SERVERS)))
