"""A crawl in this process: the real worker on a real folder, with answers from a function instead of a network."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from recrawl.config import Settings
from recrawl.engine.assembly import assemble
from recrawl.engine.clock import SystemClock
from recrawl.engine.offload import at_once
from recrawl.engine.tally import Tally
from recrawl.engine.worker import Order, Worker
from recrawl.fetch.memory import Canned, MemoryFetcher, reply_from
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.frontier.reach import Reach
from recrawl.model.batch import Batch
from recrawl.model.site import Site
from recrawl.model.visit import Ask, Reply

Answer = Callable[[str], Canned]
ONCE = Order(once=True)
DAY_S = 86_400.0


def noon() -> SystemClock:
    """Of today: no day ends during a test, nor a day's budget."""
    return SystemClock(time.time() // DAY_S * DAY_S + DAY_S / 2)


class Yielding(MemoryFetcher):
    """As over a network, others have their turn while somebody waits for an answer."""

    async def fetch(self, ask: Ask) -> Reply:
        await asyncio.sleep(0)
        return await super().fetch(ask)


@dataclass
class Crawl:
    """`answer` says what the path of an address shows; `asked` are the paths asked for, in order."""

    path: Path
    answer: Answer
    settings: Settings = field(default_factory=Settings)
    asked: list[str] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    reach: Reach = field(default_factory=Reach)
    inline: bool = False  # written on the loop: lanes and writer end at the same moment
    each_visit: bool = False  # is written before its lane asks again, as in a cluster
    worker: Worker | None = None
    owned: frozenset[int] | None = None  # partitions; all, if nothing is said
    clock: SystemClock | None = None  # the machine's, if nothing is said

    @property
    def folder(self) -> Folder:
        return Folder(self.path)

    def add(self, *sites: Site) -> None:
        self.folder.create("")
        for site in sites:
            self.folder.put_site(site)

    def run(self, order: Order = ONCE) -> list[str]:
        """Once round, unless another order is given; the paths asked for, robots.txt aside."""
        before = len(self.asked)
        asyncio.run(self._run(order))
        return [path for path in self.asked[before:] if path != "/robots.txt"]

    def make_all_due(self) -> None:
        with closing(open_store(self.folder, self.settings)) as store:
            store.make_due(1.0)

    def make_due(self, path: str) -> None:
        with closing(open_store(self.folder, self.settings)) as store:
            chosen = [page for page in store.scan(limit=1000) if "/" + page.url.split("/", 3)[3] == path]
            assert store.make_due(1.0, ids=[page.id for page in chosen]) == 1

    def age(self, seconds: float = 86_400.0) -> None:
        """As if everything had been looked at so much earlier."""
        with closing(open_store(self.folder, self.settings)) as store:
            pages = store.scan(limit=1000)
            store.save(
                Batch(pages=tuple(replace(one, checked_at=one.checked_at - seconds) for one in pages if one.checked_at))
            )

    async def _run(self, order: Order) -> None:
        async with assemble(self.folder, self.settings, "0", clock=self.clock) as parts:
            await parts.fetcher.close()

            def reply(ask: Ask):  # type: ignore[no-untyped-def]
                path = "/" + ask.url.split("/", 3)[3]
                self.asked.append(path)
                self.asks.append(ask)
                return reply_from(ask, self.answer(path), parts.clock.now())

            parts.fetcher = Yielding(reply, parts.clock.now)
            if self.inline:
                parts.offload = parts.wait_for = at_once
            parts.each_visit = self.each_visit
            owned = range(parts.store.partitions) if self.owned is None else self.owned
            self.worker = Worker(parts, order, owned, Tally())
            self.worker.intake.refill.reach = self.reach
            await self.worker.run()


def page(title: str, words: str, links: Sequence[str] = ()) -> Canned:
    anchors = " ".join(f'<a href="{link}">{link}</a>' for link in links)
    text = f"<html><head><title>{title}</title></head><body><p>{words}</p><p>{anchors}</p></body></html>"
    return Canned(text.encode())
