"""Two stores side by side: whatever is done to both, they answer alike."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.postgres import PostgresServer

from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.event import CHANGES, Event, EventKind
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Rank, Status
from recrawl.model.record import Record, RecordSource
from recrawl.model.server import RobotsFile, Server
from recrawl.model.site import Kind
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Version, Visit, Why
from recrawl.ports import Store
from recrawl.store.memory import MemoryStore
from recrawl.store.postgres import open_postgres
from recrawl.store.sqlite import open_sqlite

PARTITIONS = 4
SERVERS = ("a.example", "b.example:8080", "c.example")
SITES = ("", "one", "two")
URLS = tuple(f"{scheme}://{server}/{path}" for scheme, path in (("http", "x"), ("https", "")) for server in SERVERS)
URLS += ("https://elsewhere.example/y", "http://a.example?q")
IDS = tuple(fingerprint(url) for url in URLS)

moments = st.one_of(st.integers(0, 12).map(float), st.floats(0, 2e9, allow_nan=False))
maybe_moments = st.one_of(st.none(), moments)
short_texts = st.sampled_from(("", "x", "ü", "robots.txt"))
small = st.integers(0, 3)
blobs = st.sampled_from((b"", b"\x00", b"\xff" * 40))
ids = st.sampled_from(IDS)


@st.composite
def pages(draw: st.DrawFn) -> Page:
    url = draw(st.sampled_from(URLS))
    return Page(
        id=fingerprint(url),
        url=url,
        server=draw(st.sampled_from(SERVERS)),
        site=draw(st.sampled_from(SITES)),
        kind=draw(st.sampled_from(Kind)),
        category=draw(short_texts),
        rank=draw(st.sampled_from(Rank.ALL)),
        importance=draw(st.sampled_from((0.0, 1.0, 2.5))),
        depth=draw(small),
        found_from=draw(st.one_of(st.none(), ids)),
        found_at=draw(moments),
        due_at=draw(maybe_moments),
        interval_s=draw(st.sampled_from((0.0, 0.3, 60.0, 86400.0))),
        belief=draw(blobs),
        status=draw(st.sampled_from(Status)),
        reason=draw(short_texts),
        simhash=draw(st.integers(0, (1 << 64) - 1)),
        content_type=draw(short_texts),
        visits=draw(small),
        checked_at=draw(maybe_moments),
        target=draw(short_texts),
    )


visits = st.builds(
    Visit,
    page=ids,
    at=moments,
    why=st.sampled_from(Why),
    status=st.sampled_from((0, 200, 304)),
    evidence=st.sampled_from(Evidence),
    change=st.sampled_from(Change),
    failure=short_texts,
    received_bytes=small,
    conditional=st.booleans(),
    milliseconds=moments,
)
versions = st.builds(
    Version,
    page=ids,
    at=moments,
    digest=st.sampled_from(("", "sha256:" + "0a" * 32, "sha256:" + "0A" * 32, "y" * 31)),
    warc_file=short_texts,
    warc_offset=small,
    warc_length=small,
    body_bytes=small,
    text_bytes=small,
    share_changed=maybe_moments,
)
events = st.builds(
    Event,
    kind=st.sampled_from(EventKind),
    at=moments,
    url=short_texts,
    site=st.sampled_from(SITES),
    page=st.one_of(st.none(), ids),
    facts=st.dictionaries(short_texts, st.one_of(small, short_texts), max_size=2),
)
servers = st.builds(
    Server,
    key=st.sampled_from((*SERVERS, "d.example")),
    alias_of=st.sampled_from(("", "a.example")),
    crawl_delay_s=maybe_moments,
    requests=small,
    next_due_at=maybe_moments,
    overloaded=st.booleans(),
)
notices = st.builds(
    Notice,
    page=ids,
    url=short_texts,
    at=moments,
    source=st.sampled_from(Source),
    kind=st.sampled_from(NoticeKind),
    proved=st.sampled_from((None, True, False)),
)
records = st.builds(
    Record,
    page=ids,
    at=moments,
    place=small,
    kind=short_texts,
    source=st.sampled_from(RecordSource),
    data=st.dictionaries(short_texts, st.one_of(small, short_texts, st.lists(small, max_size=2)), max_size=2),
    wrapper=short_texts,
)
broken_records = st.builds(
    Record, page=ids, at=moments, place=small, missing=st.sampled_from((("price",), ("price", "ü")))
)
robots = st.builds(RobotsFile, origin=short_texts, fetched_at=moments, status=small, body=blobs)


def tuples(values: st.SearchStrategy[object], most: int = 3) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(values, max_size=most).map(tuple)


batches = st.builds(
    Batch,
    pages=tuples(pages(), 4),
    entered=tuples(pages(), 4),
    servers=tuples(servers),
    visits=tuples(visits),
    versions=tuples(versions),
    events=tuples(events),
    robots=tuples(robots),
    notices=tuples(notices),
    memos=tuples(st.tuples(short_texts, blobs)),
    records=tuples(st.one_of(records, broken_records), 4),
)


def by_due(found: list[Page]) -> list[tuple[object, ...]]:
    """Pages due at the same moment come in any order."""
    return [(page.rank, page.due_at) for page in found]


def picture(store: Store, now: float) -> dict[str, object]:
    """Everything that the port can tell."""
    return {
        "scan": store.scan(),
        "scan two": store.scan("two", after=0, limit=2),
        "pages": store.pages(IDS),
        "known": store.known(IDS),
        "due": [sorted(store.due(key, now, 100), key=lambda page: page.id) for key in SERVERS],
        "due order": [by_due(store.due(key, now, 2, skip=IDS[:2])) for key in SERVERS],
        "servers": store.servers(),
        "server": [store.server(key) for key in SERVERS],
        "servers due": store.servers_due(range(PARTITIONS), now, 10),
        "servers due here": store.servers_due({1, 2}, now, 10),
        "visits": [store.visits(page, limit=3) for page in IDS],
        "versions": [store.versions(page) for page in IDS],
        "newest versions": sorted(store.newest_versions(IDS[::2]), key=lambda version: version.page),
        "records": store.records(IDS),
        "newest records": store.newest_records(IDS[::2]),
        "broken records": [store.broken_records(site, after=0, limit=3) for site in SITES],
        "record pages": [store.record_pages(site, after=0, limit=3) for site in SITES],
        "events": store.events(),
        "changes": store.events(after=1, kinds=CHANGES, limit=2, since_at=now),
        "notices": sorted(map(str, store.notices(limit=1000))),
        "robots": [store.robots(origin) for origin in ("", "x")],
        "memos": [store.memo(key) for key in ("", "x", "ü")],
        "totals": [store.totals(site, now) for site in SITES],
        "sites": store.sites(),
        "next due": [page.due_at for page in store.next_due(3)],
        "next due two": [page.due_at for page in store.next_due(3, "two")],
        "errors": [store.error_groups(site) for site in SITES],
        "intervals": [store.interval_histogram(site) for site in SITES],
    }


@contextmanager
def on_sqlite() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder, closing(open_sqlite(Path(folder) / "s.db", PARTITIONS)) as store:
        yield store


class Twins(RuleBasedStateMachine):
    def __init__(self, other: Callable[[], AbstractContextManager[Store]] = on_sqlite) -> None:
        super().__init__()
        self.open = ExitStack()
        self.stores: tuple[Store, Store] = (MemoryStore(PARTITIONS), self.open.enter_context(other()))
        self.now = 0.0

    def teardown(self) -> None:
        self.open.close()

    @rule(batch=batches)
    def save(self, batch: Batch) -> None:
        first, second = (store.save(batch) for store in self.stores)
        assert first == second

    @rule(batch=batches)
    def save_twice(self, batch: Batch) -> None:
        self.save(batch)
        before = picture(self.stores[1], self.now)
        self.save(replace(batch, events=tuple(event for event in batch.events if event.page is not None)))
        assert picture(self.stores[1], self.now) == before

    @rule(
        at=moments,
        site=st.sampled_from((*SITES, "", "unknown")),
        given=tuples(ids, 2),
        rank=st.sampled_from((None, *Rank.ALL)),
    )
    def make_due(self, at: float, site: str, given: tuple[int, ...], rank: int | None) -> None:
        first, second = (store.make_due(at, site, given, rank) for store in self.stores)
        assert first == second

    @rule(server=st.sampled_from((*SERVERS, "unknown.example")))
    def settle(self, server: str) -> None:
        first, second = (store.settle_server(server) for store in self.stores)
        assert first == second

    @rule(at=moments)
    def compact(self, at: float) -> None:
        first, second = (store.compact(at) for store in self.stores)
        assert first == second

    @rule(at=moments)
    def look_at_another_moment(self, at: float) -> None:
        self.now = at

    @invariant()
    def they_answer_alike(self) -> None:
        first, second = (picture(store, self.now) for store in self.stores)
        assert {key: (first[key], second[key]) for key in first if first[key] != second[key]} == {}

    @invariant()
    def no_page_is_due_before_its_server(self) -> None:
        for store in self.stores:
            next_due = {server.key: server.next_due_at for server in store.servers()}
            for page in store.scan():
                bound = next_due[page.server]
                assert page.due_at is None or (bound is not None and bound <= page.due_at)


TestTwins = Twins.TestCase
TestTwins.settings = settings(
    max_examples=25, stateful_step_count=10, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def test_a_store_in_postgresql_is_a_twin_too(postgres_server: PostgresServer) -> None:
    @contextmanager
    def on_postgres() -> Iterator[Store]:
        with closing(open_postgres(postgres_server.emptied(PARTITIONS))) as store:
            yield store

    few = settings(TestTwins.settings, max_examples=8, stateful_step_count=6)
    run_state_machine_as_test(lambda: Twins(on_postgres), settings=few)
