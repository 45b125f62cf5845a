"""Folders of any number of known addresses, with a made-up past: the same for the same numbers, on every machine.

One address in five has been visited (belief, validators, digests, a version, two visits); the
others are known and wait for their first visit. Servers are of very different size. Everything is due later, from one
hour to thirty days on. Rows are made by the store's own code and
written with the store's own statements; only the transactions are larger than a crawl's.
"""

import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

import numpy as np

from recrawl.folder.folder import Folder
from recrawl.model.address import fingerprint, partition_of
from recrawl.model.belief import pack, unknown
from recrawl.model.page import Page, Rank, Status
from recrawl.model.server import Server
from recrawl.model.site import Site
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Version, Visit, Why
from recrawl.store import counts, rows
from recrawl.store.sql import SqlStore
from recrawl.store.sqlite import open_sqlite
from recrawl.store.sqlite_driver import SqliteConnections
from recrawl.store.visit_line import lined_up

HOUR_S, DAY_S = 3600.0, 86_400.0
AHEAD_S = 4 * HOUR_S
NOTE = "world.json"
SITES = 20
VISITED = 0.2
CHUNK = 50_000
COMMIT = 20  # chunks
SCATTER = 0x9E3779B97F4A7C15  # odd, near the golden section of 2^64
WARC = "bench-00000.warc.gz"
HTML = "text/html; charset=utf-8"
SETTINGS = '[operator]\ncontact = "bench@example.org"\n\n[search]\nbeside = false\n'
FILLING = (
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA cache_size = -3000000",
)
WORDS = [
    "news",
    "article",
    "archive",
    "product",
    "item",
    "category",
    "section",
    "about",
    "press",
    "release",
    "2024",
    "2025",
    "2026",
    "05",
    "11",
    "forum",
    "thread",
    "user",
    "profile",
    "image",
    "gallery",
    "event",
    "calendar",
    "download",
    "support",
    "manual",
    "help",
    "topic",
    "review",
    "list",
    "detail",
    "story",
    "report",
    "blog",
    "post",
]


@dataclass(frozen=True, slots=True)
class World:
    """`now`: the moment at which the past ends. Server number n stands in site n modulo the number of sites; there are
    twice the root of the addresses, two thousand for a million, over six thousand for ten million."""

    addresses: int
    now: float
    seed: int = 1
    servers: int = 0

    def __post_init__(self) -> None:
        if not self.servers:
            object.__setattr__(self, "servers", max(SITES, round(2 * self.addresses**0.5)))

    def server(self, number: int) -> str:
        return f"www.server-{number}.invalid"

    def site(self, number: int) -> str:
        return f"site-{number % SITES:02}"

    def url(self, number: int, server: int) -> str:
        """About 66 characters, as on the web."""
        first, second, third = (WORDS[number * step % len(WORDS)] for step in (7, 11, 29))
        return f"https://{self.server(server)}/{first}/{second}/{third}-{number:x}-{number * 2654435761 % 10**8}.html"

    def owner(self, number: int) -> int:
        """The server of an address: the first ones have many addresses, the last ones few; each has one at least."""
        if number < self.servers:
            return number
        return int((number * SCATTER % (1 << 64) / (1 << 64)) ** 2 * self.servers)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Addresses that lie side by side, and what happened to them."""

    pages: list[Page]
    visits: list[Visit]
    versions: list[Version]


def stretches(world: World) -> Iterator[Stretch]:
    for low in range(0, world.addresses, CHUNK):
        yield _stretch(world, low, min(low + CHUNK, world.addresses))


def fill(path: Path, world: World) -> Folder:
    """A folder that `recrawl run` takes for its own."""
    folder = Folder(path)
    folder.create(SETTINGS)
    for number in range(SITES):
        seeds = tuple(world.url(one, one) for one in range(number, world.servers, SITES))[:50]
        folder.put_site(Site(world.site(number), seeds))
    store = open_sqlite(folder.database)
    try:
        Filler(store).fill(world)
    finally:
        store.close()
    return folder


class Filler:
    """Writes stretches with the store's statements, in transactions of a million pages."""

    def __init__(self, store: SqlStore) -> None:
        self._connections, self._sql = store.database.connections, store.database.statements
        self._partitions = store.partitions
        self._numbers: dict[str, int] = {"": rows.NO_WORD}
        self._counts: counts.Counts = Counter()
        self._due: dict[str, tuple[float, int]] = {}
        self._presence: set[tuple[int, int]] = set()

    def fill(self, world: World) -> None:
        connections = self._connections
        assert isinstance(connections, SqliteConnections)
        with connections.taken() as driver:
            self._fill(driver, world)
        connections.close()

    def _fill(self, driver: Any, world: World) -> None:
        for pragma in FILLING:
            driver.execute(pragma)
        driver.execute("BEGIN")
        self._learn(driver, [HTML, WARC, *(world.site(number) for number in range(SITES))])
        for number, stretch in enumerate(stretches(world), start=1):
            self._write(driver, stretch)
            if number % COMMIT == 0:
                driver.execute("COMMIT")
                driver.execute("BEGIN")
        self._write_servers(driver)
        driver.execute("COMMIT")
        driver.execute("PRAGMA locking_mode = NORMAL")
        driver.execute("PRAGMA journal_mode = WAL")

    def _learn(self, driver: Any, words: list[str]) -> None:
        driver.executemany(self._sql.add_words.text, [(word,) for word in words])
        for word in words:
            self._numbers[word] = driver.execute(self._sql.word_numbers(1).text, (word,)).fetchone()[0]

    def _write(self, driver: Any, stretch: Stretch) -> None:
        number = self._numbers
        driver.executemany(self._sql.enter_pages.text, (rows.page_row(page, number) for page in stretch.pages))
        line = lined_up(stretch.visits, dict.fromkeys(page.id for page in stretch.pages))
        logged = zip(line.logged, line.before_at, strict=True)
        driver.executemany(self._sql.log_visits.text, ((*rows.visit_row(one, number), at) for one, at in logged))
        driver.executemany(self._sql.add_versions.text, (rows.version_row(one, number) for one in stretch.versions))
        sites = {page.id: number[page.site] for page in stretch.pages if page.visits}
        self._presence.update((number[page.site], fingerprint(page.server)) for page in stretch.pages)
        for page in stretch.pages:
            counts.add_standing(self._counts, number[page.site], counts.standing_of(page), 1)
            due_at, site = page.due_at or 0.0, number[page.site]
            self._due[page.server] = (min(due_at, self._due.get(page.server, (due_at, site))[0]), site)
        counts.add_visits(self._counts, stretch.visits, [sites[visit.page] for visit in stretch.visits])
        for version in stretch.versions:
            self._counts[sites[version.page], counts.Count.VERSIONS] += 1

    def _write_servers(self, driver: Any) -> None:
        driver.executemany(
            self._sql.meet_servers.text,
            (
                rows.server_row(Server(key, next_due_at=due_at), partition_of(key, self._partitions), site)
                for key, (due_at, site) in self._due.items()
            ),
        )
        driver.executemany(self._sql.add_presence.text, sorted(self._presence))
        driver.executemany(
            self._sql.add_counts.text,
            sorted((site, kind, amount) for (site, kind), amount in self._counts.items() if amount),
        )


def _stretch(world: World, low: int, high: int) -> Stretch:
    dice = np.random.default_rng((world.seed, low, 1))
    size = high - low
    due_at = np.floor(world.now + HOUR_S + dice.random(size) * (30 * DAY_S - HOUR_S))  # as the engine gives them
    found_at = np.floor(world.now - dice.random(size) * 300 * DAY_S)
    visited = dice.random(size) < VISITED
    gap_s = np.exp(dice.normal(np.log(7 * DAY_S), 1.0, size))
    checked_at = world.now - dice.random(size) * gap_s
    response_s = dice.random(size) * 0.5
    body_bytes = np.exp(dice.normal(np.log(20_000), 0.6, size)).astype(np.int64)
    states = unknown(size)
    states["seen_at"], states["gap_s"], states["size_bytes"] = checked_at, gap_s, body_bytes
    states["gaps"] = dice.integers(1, 50, size)
    states["changes"] = states["gaps"] // 3
    states["watched_s"] = states["gaps"] * gap_s
    states["quiet_s"] = states["watched_s"] * 0.6
    states["shortest_s"], states["response_s"] = gap_s / 3, response_s
    states["weights"] = dice.integers(0, 256, states["weights"].shape, dtype=np.uint8)
    beliefs = pack(states)
    pages: list[Page] = []
    visits: list[Visit] = []
    versions: list[Version] = []
    plain = zip(
        visited.tolist(), due_at.tolist(), found_at.tolist(), gap_s.tolist(), checked_at.tolist(), body_bytes.tolist(),
        strict=True,
    )  # fmt: skip
    for at, (seen, due, found, gap, checked, body) in enumerate(plain):
        number, server = low + at, world.owner(low + at)
        url = world.url(number, server)
        page = Page(
            fingerprint(url), url, world.server(server), world.site(server), rank=Rank.GENERAL,
            depth=1 + number % 6, found_from=pages[at // 2].id if at else None, found_at=found, due_at=due,
        )  # fmt: skip
        if seen:
            page = _visited(page, number, beliefs[at], gap, checked, body)
            visits += _visits(page, checked, gap, body)
            versions.append(_version(page, number, body))
        pages.append(page)
    return Stretch(pages, visits, versions)


def _visited(page: Page, number: int, belief: bytes, gap_s: float, checked_at: float, body_bytes: int) -> Page:
    digest = hashlib.sha256(page.url.encode()).digest()
    dated = number % 2 == 0
    return Page(
        page.id, page.url, page.server, page.site, page.kind, page.category, page.rank, page.importance, page.depth,
        page.hops, page.found_from, page.found_at, page.due_at, gap_s, belief, Status.LIVE,
        etag=f'"{digest[:6].hex()}-{body_bytes:x}"' if number % 3 else "",
        last_modified=formatdate(checked_at - gap_s, usegmt=True) if dated else "",
        body_digest=digest, text_digest=digest[8:16], simhash=int.from_bytes(digest[16:24], "big"),
        size_bytes=body_bytes, content_type=HTML, visits=7 + number % 9, changes=number % 5,
        conditional=number % 10, checked_at=checked_at, changed_at=checked_at - gap_s,
    )  # fmt: skip


def _visits(page: Page, checked_at: float, gap_s: float, body_bytes: int) -> list[Visit]:
    changed = Visit(
        page.id, checked_at - gap_s, Why.DUE, 200, Evidence.DOCUMENT, Change.CHANGED, "", body_bytes // 4,
        body_bytes // 20, True, 123.4,
    )  # fmt: skip
    same = Visit(page.id, checked_at, Why.DUE, 304, Evidence.NOT_MODIFIED, Change.SAME, "", 210, 0, True, 43.21)
    return [changed, same]


def _version(page: Page, number: int, body_bytes: int) -> Version:
    return Version(
        page.id, page.changed_at or 0.0, f"sha256:{page.body_digest.hex()}", WARC, number * 4211,
        body_bytes // 4, body_bytes, body_bytes // 5, 0.125, HTML,
    )  # fmt: skip


def main(words: list[str]) -> None:
    """FOLDER ADDRESSES: what is due later is due later than today, so that nobody asks for it meanwhile."""
    place, world = Path(words[0]), World(int(words[1]), time.time() + AHEAD_S)
    fill(place, world)
    (place / NOTE).write_text(json.dumps({"addresses": world.addresses, "now": world.now}))


if __name__ == "__main__":
    main(sys.argv[1:])
