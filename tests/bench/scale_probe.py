"""What the store's work costs in a folder of `scale_fill`, in a process of its own.

    python -m tests.bench.scale_probe DATABASE ADDRESSES NOW

CPU time of this process, per piece of work, the median of several rounds: other programs on the machine do not count.
"""

import json
import random
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import process_time, time_ns
from typing import TypeVar

from recrawl.extract.document import parse
from recrawl.extract.settings import ExtractSettings
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Version, Visit, Why
from recrawl.ports import Store
from recrawl.store.sqlite import open_sqlite
from tests.bench.scale_fill import DAY_S, World
from tests.bench.site import Site

ROUNDS = 9
LINKS = 512  # a batch of eight pages with some sixty links each
READ = 8  # … these
PAGES = 64  # that are read in turn
PICKS = 40  # servers in a round
PICKED = 50  # pages a server
VISITS = 16  # a full batch

Material = TypeVar("Material")


def microseconds(prepare: Callable[[], Material], work: Callable[[Material], int]) -> float:
    """Of one piece, the median over the rounds; `work` says how many pieces it did. Two first rounds warm up."""
    spent: list[float] = []
    for _ in range(ROUNDS + 2):
        material = prepare()
        began = process_time()
        pieces = work(material)
        spent.append((process_time() - began) * 1e6 / max(1, pieces))
    return round(median(spent[2:]), 2)


class Reading:
    """What a crawl does between two checks of links: it reads the pages that bring the next ones."""

    def __init__(self) -> None:
        site = Site(PAGES, ("127.0.0.1:80",))
        self._bodies = [site.body(number, 0) for number in range(PAGES)]
        self._settings, self._turn = ExtractSettings(), 0

    def read_some(self) -> int:
        links = 0
        for _ in range(READ):
            self._turn = (self._turn + 1) % PAGES
            page = parse(self._bodies[self._turn], "text/html", "http://127.0.0.1:80/", self._settings)
            links += len(page.links)
        return links


class Probe:
    """Each figure is what to prepare, and what is measured then."""

    def __init__(self, store: Store, world: World) -> None:
        self._store, self._world = store, world
        self._dice = random.Random(5)
        self._made = 0

    def figures(self) -> dict[str, float]:
        return {
            "known_link_us": self._known_link_us(),
            "known_in_a_row_us": microseconds(self.some_ids, self._check_known),
            "due_pick_us": microseconds(self._some_servers, self._pick_due),
            "refill_server_us": microseconds(lambda: None, lambda _: self._refill()),
            "next_due_us": microseconds(lambda: None, lambda _: len(self._store.next_due(20)) // 20),
            "known_entered_us": microseconds(self.some_batch, self.enter),
            "new_link_us": microseconds(self.new_batch, self.enter),
            "visit_commit_us": microseconds(self.visited_batch, lambda batch: self.commit(batch)),
        }

    def _known_link_us(self) -> float:
        """Nobody but a benchmark checks links and does nothing else: it would find in the processor's own caches what a
        crawl that reads pages in between must fetch from memory. Only the checks count."""
        reading, spent = Reading(), list[float]()
        for _ in range(ROUNDS + 2):
            ids, checking_s = self.some_ids(), 0.0
            for at in range(0, len(ids), LINKS):
                reading.read_some()
                began = process_time()
                self._store.known(ids[at : at + LINKS])
                checking_s += process_time() - began
            spent.append(checking_s * 1e6 / len(ids))
        return round(median(spent[2:]), 2)

    def _check_known(self, ids: Sequence[int]) -> int:
        return sum(len(self._store.known(ids[at : at + LINKS])) for at in range(0, len(ids), LINKS))

    def _pick_due(self, servers: Sequence[str]) -> int:
        until_at = self._world.now + 40 * DAY_S
        return sum(len(self._store.due(key, until_at, PICKED)) for key in servers)

    def _refill(self) -> int:
        """The servers that come next, their pages of a day, and the bound of each settled."""
        until_at = self._world.now + DAY_S
        soon = self._store.servers_due(range(self._store.partitions), until_at, PICKS)
        for server in soon:
            self._store.due(server.key, until_at, PICKED)
            self._store.settle_server(server.key)
        return len(soon)

    def enter(self, batch: Batch) -> int:
        self._store.save(batch)
        return len(batch.entered)

    def commit(self, batch: Batch) -> int:
        self._store.save(batch)
        return len(batch.visits)

    def some_ids(self) -> list[int]:
        return [page.id for page in self._some(8 * LINKS)]

    def some_batch(self) -> Batch:
        return Batch(entered=tuple(self._some(LINKS)))

    def new_batch(self) -> Batch:
        return Batch(entered=tuple(self._new() for _ in range(LINKS)))

    def visited_batch(self) -> Batch:
        """Revisits that found a change: page, visit, version and server."""
        self._made += 1
        at = self._world.now + self._made
        pages = self._store.pages([page.id for page in self._some(VISITS)])
        after = [replace(page, due_at=at + 20 * DAY_S, checked_at=at, visits=page.visits + 1) for page in pages]
        servers = [found for page in pages if (found := self._store.server(page.server)) is not None]
        visits = [
            Visit(page.id, at, Why.DUE, 200, Evidence.DOCUMENT, Change.CHANGED, "", 5000, 300, True, 80.0)
            for page in pages
        ]
        versions = [
            Version(page.id, at, f"sha256:{'ab' * 32}", "bench-00001.warc.gz", 7, 5000, 20_000, 4000, 0.1)
            for page in pages
        ]
        return Batch(pages=tuple(after), visits=tuple(visits), versions=tuple(versions), servers=tuple(servers))

    def _some(self, count: int) -> list[Page]:
        """Addresses that are known, from all over the folder, as links would bring them."""
        return [self._known(self._dice.randrange(self._world.addresses)) for _ in range(count)]

    def _known(self, number: int) -> Page:
        server = self._world.owner(number)
        url = self._world.url(number, server)
        return Page(fingerprint(url), url, self._world.server(server), self._world.site(server), found_at=1.0)

    def _new(self) -> Page:
        server = self._dice.randrange(self._world.servers)
        key, site = self._world.server(server), self._world.site(server)
        url = f"https://{key}/new/story/{time_ns():x}.html"
        return Page(fingerprint(url), url, key, site, found_at=1.0, due_at=self._world.now + 20 * DAY_S)

    def _some_servers(self) -> list[str]:
        return [self._world.server(self._dice.randrange(self._world.servers)) for _ in range(PICKS)]


def main(words: list[str]) -> None:
    store = open_sqlite(Path(words[0]))
    try:
        figures = Probe(store, World(int(words[1]), float(words[2]))).figures()
    finally:
        store.close()
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({**figures, "probe_peak_bytes": peak_bytes}))


if __name__ == "__main__":
    main(sys.argv[1:])
