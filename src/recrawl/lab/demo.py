"""The demo: recrawl keeps the living site fresh while its days fly by, and the truth is at hand to compare with."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from recrawl.config import Operator, Settings, starting_text
from recrawl.engine.assembly import assemble
from recrawl.engine.clock import FastClock
from recrawl.engine.tally import Count, Tally
from recrawl.engine.worker import Order, Worker
from recrawl.folder.folder import Folder
from recrawl.lab.living import living_faults, living_world
from recrawl.lab.serve import Served, serve
from recrawl.lab.world import START_AT, World, is_forbidden, version
from recrawl.model.address import fingerprint
from recrawl.model.event import CHANGES, Event
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.ports import Store
from recrawl.schedule.settings import Settings as Intervals

SPEED = 21_600.0  # a second of the demo is a quarter of a day of the town
GAP_S = 30.0  # the town's seconds
TICK_S = 0.25
COMPLETE = 0.9  # share of the pages that make a first crawl
DAY_S = 86_400.0
DELAY_FACTOR = 0.05


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand at one moment of the demo. `daily_…`: what a crawl of the same pages once a day would have, if
    nothing ever failed. Means count from when the first crawl is complete."""

    days: float
    pages: int
    kept: int
    requests: int
    daily_requests: int
    fresh: float
    daily_fresh: float
    mean_fresh: float
    daily_mean_fresh: float
    changes: int
    not_modified: int
    failed: int
    newest: tuple[Event, ...] = ()

    @property
    def saved(self) -> float:
        return 1 - self.requests / self.daily_requests if self.daily_requests else 0.0


class Scale:
    """Weighs the copy against the truth, tick by tick."""

    def __init__(self, world: World, store: Store, tally: Tally) -> None:
        self._world, self._store, self._tally = world, store, tally
        self._sums = [0.0, 0.0, 0.0]

    def weigh(self, now: float) -> Standing:
        urls = [url for url in sorted(self._world.urls(now)) if not is_forbidden(self._world, url)]
        kept = {page.url: page for page in self._store.pages([fingerprint(url) for url in urls])}
        seen = {url: page.checked_at for url, page in kept.items() if page.checked_at is not None}
        days = (now - self._world.start_at) / DAY_S
        known = list(seen)
        fresh = self._share(known, lambda url: seen[url], now)
        daily = self._share(known, lambda url: self._daily_visit_at(url, now), now)
        if len(known) >= COMPLETE * len(urls):
            self._sums = [self._sums[0] + 1, self._sums[1] + fresh, self._sums[2] + daily]
        ticks = max(self._sums[0], 1.0)
        count = self._tally
        return Standing(
            days=days,
            pages=len(urls),
            kept=len(seen),
            requests=count[Count.REQUESTS],
            daily_requests=round(len(known) * (days + 1)),
            fresh=fresh,
            daily_fresh=daily,
            mean_fresh=self._sums[1] / ticks,
            daily_mean_fresh=self._sums[2] / ticks,
            changes=count[Count.CHANGED],
            not_modified=count[Count.NOT_MODIFIED],
            failed=count[Count.FAILED],
            newest=tuple(self._store.events(self._last_cursor(), CHANGES, 8)),
        )

    def _daily_visit_at(self, url: str, now: float) -> float:
        """When a daily crawl, which spreads its pages over the day, would have been there last."""
        phase_s = fingerprint(url) % 86_400
        rounds = (now - self._world.start_at - phase_s) // DAY_S
        return self._world.start_at if rounds < 0 else self._world.start_at + phase_s + rounds * DAY_S

    def _share(self, urls: list[str], seen_at: Callable[[str], float | None], now: float) -> float:
        def is_fresh(url: str) -> bool:
            at = seen_at(url)
            return at is not None and version(self._world, url, at) == version(self._world, url, now)

        return sum(map(is_fresh, urls)) / len(urls) if urls else 0.0

    def _last_cursor(self) -> int:
        return max(0, self._tally[Count.NEW] + self._tally[Count.CHANGED] - 6)


def demo_clock() -> FastClock:
    """The town's time; it runs from the moment it is made."""
    return FastClock(START_AT, SPEED)


async def demonstrate(
    folder: Folder, for_s: float | None, show: Callable[[Standing], None], clock: FastClock | None = None
) -> Standing:
    """Serve the living site, crawl it, show how it goes; returns the last standing."""
    clock = clock or demo_clock()
    intervals = Intervals(first_from_s=DAY_S / 4, first_to_s=2 * DAY_S, requests_per_page_day=0.7)
    settings = replace(Settings(), operator=Operator("demo@localhost"), intervals=intervals)
    async with serve(living_world(), faults=living_faults(), delay_factor=DELAY_FACTOR, world_now=clock.now) as served:
        folder.create(starting_text("demo@localhost"))
        folder.put_site(_site(served))
        tally = Tally()
        async with assemble(folder, settings, "0", clock) as parts:
            order = Order(for_s=None if for_s is None else for_s * SPEED, poll_s=SPEED)
            worker = Worker(parts, order, frozenset(range(parts.store.partitions)), tally)
            running = asyncio.create_task(worker.run())
            scale = Scale(served.world, parts.store, tally)
            standing = scale.weigh(clock.now())
            try:
                while not running.done():
                    standing = scale.weigh(clock.now())
                    show(standing)
                    await asyncio.wait([running], timeout=TICK_S)
            finally:
                worker.stop()
                await running
            return standing


def _site(served: Served) -> Site:
    return Site("town", seeds=(served.root,), own=served.authorities, hosts=served.authorities, gap_s=GAP_S)
