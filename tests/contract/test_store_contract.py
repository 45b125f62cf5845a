"""The laws of `ports.Store`, over every implementation."""

from dataclasses import replace

from recrawl.model.address import fingerprint, partition_of
from recrawl.model.batch import Batch, ErrorGroup, IntervalBand, Saved, Totals
from recrawl.model.event import CHANGES, Event, EventKind
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Rank, Status
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.site import Kind
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Version, Visit, Why
from recrawl.ports import Store

ALL = range(8)  # partitions


def page(name: str, server: str = "a.example", **known: object) -> Page:
    url = f"http://{server}/{name}"
    return replace(Page(fingerprint(url), url, server, site="one"), **known)


def visit(of: Page, at: float, change: Change = Change.SAME, evidence: Evidence = Evidence.DOCUMENT) -> Visit:
    return Visit(of.id, at, Why.DUE, 200, evidence, change, received_bytes=100)


def version(of: Page, at: float, digest: str = "sha256:" + "ab" * 32) -> Version:
    return Version(of.id, at, digest, "one.warc.gz", 10, 20, 300, 200, 0.25, "text/html")


def names(pages: list[Page]) -> list[str]:
    return [found.url.rpartition("/")[2] for found in pages]


def test_it_is_a_store(store: Store) -> None:
    assert isinstance(store, Store)
    assert store.partitions == 8


def test_an_empty_store_knows_nothing(store: Store) -> None:
    assert store.save(Batch()) == Saved()
    assert store.totals() == Totals()
    assert store.pages([1, 2]) == [] and store.known([1]) == set() and store.pages([]) == []
    assert store.due("a.example", 1e12, 10) == [] and store.servers_due(ALL, 1e12, 10) == []
    assert store.server("a.example") is None and store.servers() == [] and store.settle_server("a.example") is None
    assert store.robots("http://a.example") is None and store.memo("x") is None
    assert store.scan() == [] and store.visits(1) == [] and store.versions(1) == [] and store.events() == []
    assert store.notices() == [] and store.sites() == [] and store.next_due() == [] and store.make_due(5.0) == 0
    assert store.error_groups() == [] and store.interval_histogram() == [] and store.compact(1e12) == 0


def test_an_address_enters_once_and_the_first_to_bring_it_wins(store: Store) -> None:
    first, second = page("x", depth=1, due_at=5.0), page("x", depth=2, due_at=1.0)
    assert store.save(Batch(entered=(first, second))).entered == {first.id}
    assert store.save(Batch(entered=(second,))).entered == frozenset()
    assert store.pages([first.id]) == [first]
    assert store.totals().pages == 1
    assert store.due("a.example", 2.0, 10) == []


def test_a_saved_page_overwrites_the_stored_one(store: Store) -> None:
    before = page("x", due_at=1.0)
    after = replace(before, due_at=9.0, rank=Rank.DETAIL, status=Status.LIVE, visits=3, etag='"e"')
    store.save(Batch(entered=(before,)))
    assert store.save(Batch(pages=(after,))).entered == frozenset()
    assert store.pages([before.id]) == [after]
    assert store.due("a.example", 5.0, 10) == []
    assert store.due("a.example", 9.0, 10) == [after]


def test_a_page_entered_and_visited_in_one_batch_is_new_and_stands_as_visited(store: Store) -> None:
    found = page("x", due_at=1.0)
    visited = replace(found, status=Status.LIVE, visits=1, due_at=50.0)
    assert store.save(Batch(entered=(found,), pages=(visited,))).entered == {found.id}
    assert store.pages([found.id]) == [visited]
    assert store.totals().pages == 1 and store.totals().visited == 1


def test_the_last_of_two_saves_of_a_page_in_a_batch_stands(store: Store) -> None:
    store.save(Batch(pages=(page("x", visits=1), page("x", visits=2))))
    assert [found.visits for found in store.scan()] == [2]
    assert store.totals().pages == 1


def test_every_field_of_a_page_comes_back(store: Store) -> None:
    whole = Page(
        id=fingerprint("http://a.example/päge"),
        url="http://a.example/päge",
        server="a.example",
        site="säite",
        kind=Kind.DETAIL,
        category="news/world",
        rank=Rank.NOTICED,
        importance=0.1,
        depth=3,
        hops=2,
        found_from=-(1 << 63),
        found_at=1767225600.123456,
        due_at=1767225601.000001,
        interval_s=86400.5,
        belief=bytes(range(64)),
        status=Status.MOVED,
        reason="moved to another place",
        etag='W/"x"',
        last_modified="Thu, 01 Jan 2026 00:00:00 GMT",
        body_digest=bytes(32),
        text_digest=b"\x00" * 8,
        simhash=(1 << 64) - 1,
        size_bytes=5_000_000_000,
        content_type="text/html; charset=utf-8",
        noise=b"\x00\x01",
        failures=1,
        misses=2,
        visits=3,
        changes=4,
        conditional=5,
        checked_at=0.0,
        changed_at=1.5,
        target="http://a.example/new",
    )
    plain = page("plain", found_from=0, due_at=0.0, importance=0.0)
    store.save(Batch(entered=(whole, plain)))
    assert store.pages([whole.id, plain.id]) == [whole, plain]


def test_pages_come_in_the_order_asked_for_each_once(store: Store) -> None:
    store.save(Batch(entered=(page("1"), page("2"), page("3"))))
    ids = [page("3").id, page("unknown").id, page("1").id, page("3").id]
    assert names(store.pages(ids)) == ["3", "1"]
    assert store.known(ids) == {page("3").id, page("1").id}


def test_long_lists_are_answered_whole(store: Store) -> None:
    many = tuple(page(str(number), due_at=float(number)) for number in range(1300))
    store.save(Batch(entered=many))
    ids = [found.id for found in many]
    assert store.known([*ids, 1]) == set(ids)
    assert store.pages(ids) == list(many)
    assert len(store.due("a.example", 1e9, 5000, skip=ids[:1000])) == 300


def test_due_goes_by_rank_then_due_time(store: Store) -> None:
    store.save(
        Batch(
            entered=(
                page("late-detail", rank=Rank.DETAIL, due_at=9.0),
                page("list", rank=Rank.LIST, due_at=1.0),
                page("detail", rank=Rank.DETAIL, due_at=2.0),
                page("urgent", rank=Rank.URGENT, due_at=8.0),
                page("later", rank=Rank.LATER, due_at=0.0),
                page("not-yet", rank=Rank.URGENT, due_at=10.5),
                page("never", rank=Rank.URGENT, due_at=None),
                page("elsewhere", server="b.example", rank=Rank.URGENT, due_at=0.0),
            )
        )
    )
    assert names(store.due("a.example", 10.0, 10)) == ["urgent", "detail", "late-detail", "list", "later"]
    assert names(store.due("a.example", 10.5, 2)) == ["urgent", "not-yet"]
    assert names(store.due("a.example", 10.0, 2, skip=[page("urgent").id])) == ["detail", "late-detail"]
    assert store.due("a.example", 10.0, 0) == [] and store.due("nowhere", 10.0, 5) == []


def test_pages_due_at_the_same_moment_are_all_handed_out(store: Store) -> None:
    many = tuple(page(str(number), due_at=1.0) for number in range(20))
    store.save(Batch(entered=many))
    first = store.due("a.example", 1.0, 8)
    rest = store.due("a.example", 1.0, 100, skip={found.id for found in first})
    assert len(first) == 8 and len(rest) == 12
    assert {found.id for found in first + rest} == {found.id for found in many}


def test_entering_a_page_brings_its_server_with_the_partition_of_its_key(store: Store) -> None:
    store.save(Batch(entered=(page("x", due_at=7.0), page("y", due_at=3.0), page("z"))))
    assert store.server("a.example") == Server("a.example", partition_of("a.example", 8), next_due_at=3.0)
    assert store.servers() == [store.server("a.example")]


def test_saving_a_page_lowers_its_servers_next_due_time_and_never_raises_it(store: Store) -> None:
    def next_due_at() -> float | None:
        server = store.server("a.example")
        assert server is not None
        return server.next_due_at

    store.save(Batch(pages=(page("x"),)))
    assert next_due_at() is None
    store.save(Batch(pages=(page("x", due_at=5.0),)))
    assert next_due_at() == 5.0
    store.save(Batch(pages=(page("x", due_at=2.0),)))
    assert next_due_at() == 2.0
    store.save(Batch(pages=(page("x", due_at=9.0),)))
    assert next_due_at() == 2.0
    assert store.settle_server("a.example") == 9.0 and next_due_at() == 9.0
    store.save(Batch(pages=(page("x", due_at=None),)))
    assert store.settle_server("a.example") is None and next_due_at() is None


def test_saving_a_server_leaves_its_next_due_time_alone_and_keeps_the_rest(store: Store) -> None:
    store.save(Batch(entered=(page("x", due_at=4.0),)))
    mine = Server(
        "a.example",
        gap_s=2.5,
        crawl_delay_s=3.0,
        load_per_s=0.5,
        price=0.25,
        response_s=0.125,
        free_at=99.5,
        failures=2,
        failing_since=5.5,
        next_due_at=1000.0,
        requests=7,
        overloaded=True,
    )
    store.save(Batch(servers=(mine,)))
    assert store.server("a.example") == replace(mine, partition=partition_of("a.example", 8), next_due_at=4.0)


def test_an_alias_lies_in_the_partition_of_the_server_it_stands_for(store: Store) -> None:
    store.save(Batch(servers=(Server("www.a.example", alias_of="a.example"),)))
    alias = store.server("www.a.example")
    assert alias is not None
    assert alias.partition == partition_of("a.example", 8) and alias.alias_of == "a.example"


def test_servers_due_are_those_of_the_partitions_soonest_first(store: Store) -> None:
    keys = [f"s{number}.example" for number in range(20)]
    pages = tuple(page("x", server=key, due_at=float(100 - number)) for number, key in enumerate(keys))
    store.save(Batch(entered=(*pages, page("never", server="quiet.example"))))
    soonest_first = keys[::-1]
    assert [server.key for server in store.servers_due(ALL, 1e9, 100)] == soonest_first
    assert [server.key for server in store.servers_due(ALL, 1e9, 3)] == soonest_first[:3]
    assert [server.key for server in store.servers_due(ALL, 82.0, 100)] == soonest_first[:2]
    mine = {0, 3, 5}
    expected = [key for key in soonest_first if partition_of(key, 8) in mine]
    assert [server.key for server in store.servers_due(mine, 1e9, 100)] == expected
    assert store.servers_due((), 1e9, 100) == []


def test_a_batch_written_twice_leaves_what_it_left_the_first_time(store: Store) -> None:
    found, seen = page("new", due_at=2.0), page("x", status=Status.LIVE, visits=1, due_at=60.0, interval_s=50.0)
    batch = Batch(
        pages=(seen,),
        entered=(found,),
        servers=(Server("a.example", requests=2),),
        visits=(visit(seen, 10.0, Change.CHANGED),),
        versions=(version(seen, 10.0),),
        events=(Event(EventKind.UPDATED, 10.0, seen.url, "one", seen.id), Event(EventKind.ADDED, 10.0, page=seen.id)),
        robots=(RobotsFile("http://a.example", 1.0, 200, b"x"),),
        notices=(Notice(seen.id, seen.url, 5.0, Source.FEED, NoticeKind.UPDATED),),
        memos=(("k", b"v"),),
    )

    def picture() -> tuple[object, ...]:
        return (
            store.scan(),
            store.servers(),
            store.visits(seen.id),
            store.versions(seen.id),
            store.events(),
            store.notices(),
            store.totals(now=100.0),
            store.interval_histogram(),
        )

    first = store.save(batch)
    once = picture()
    again = store.save(batch)
    assert picture() == once
    assert first.cursors == again.cursors and again.entered == frozenset()


def test_cursors_rise_in_commit_order_one_for_each_event(store: Store) -> None:
    started = Event(EventKind.STARTED, 1.0)
    first = store.save(Batch(events=(started, Event(EventKind.ADDED, 2.0, page=5)))).cursors
    second = store.save(Batch(events=(Event(EventKind.UPDATED, 3.0, page=5), started))).cursors
    assert list(first + second) == sorted(set(first + second)) and len(first + second) == 4
    assert min(first) > 0
    assert [event.cursor for event in store.events()] == list(first + second)


def test_every_field_of_an_event_comes_back(store: Store) -> None:
    event = Event(
        EventKind.MOVED,
        1.25,
        "http://a.example/x",
        "one",
        -5,
        digest="sha256:" + "0f" * 32,
        previous_digest="md5:x",
        share_changed=0.5,
        facts={"to": "http://a.example/ü", "hops": 2, "list": [1, None, {"a": True}]},
    )
    (cursor,) = store.save(Batch(events=(event,))).cursors
    assert store.events() == [replace(event, cursor=cursor)]


def test_events_can_be_followed_from_any_cursor_by_kind_and_moment(store: Store) -> None:
    kinds = (EventKind.ADDED, EventKind.STARTED, EventKind.UPDATED, EventKind.REMOVED)
    events = tuple(Event(kind, float(place), page=place) for place, kind in enumerate(kinds))
    cursors = store.save(Batch(events=events)).cursors
    assert [event.cursor for event in store.events(after=cursors[1])] == list(cursors[2:])
    assert [event.kind for event in store.events(kinds=CHANGES)] == [kinds[0], kinds[2], kinds[3]]
    assert [event.kind for event in store.events(kinds=[EventKind.STARTED])] == [EventKind.STARTED]
    assert [event.kind for event in store.events(since_at=2.0)] == [kinds[2], kinds[3]]
    assert [event.kind for event in store.events(limit=1, since_at=1.0)] == [kinds[1]]
    assert store.events(after=cursors[-1]) == [] and store.events(since_at=99.0) == []


def test_totals_follow_pages_from_one_standing_to_the_next(store: Store) -> None:
    store.save(Batch(entered=tuple(page(str(number), due_at=1.0) for number in range(4))))
    assert store.totals("one", now=1.0) == Totals(pages=4, due=4)
    store.save(
        Batch(pages=(page("0", status=Status.LIVE, visits=1, due_at=9.0), page("1", status=Status.GONE, visits=2)))
    )
    store.save(Batch(pages=(page("2", status=Status.REFUSED), page("3", status=Status.MOVED, visits=1))))
    assert store.totals("one", now=1.0) == Totals(pages=4, visited=3, live=1, gone=1, moved=1, refused=1)
    store.save(Batch(pages=(page("1", status=Status.LIVE, visits=3, due_at=1.0),)))
    assert store.totals("one", now=1.0) == Totals(pages=4, visited=3, live=2, moved=1, refused=1, due=1)


def test_totals_count_visits_by_what_they_brought(store: Store) -> None:
    x = page("x")
    visits = (
        visit(x, 1.0, Change.NEW),
        visit(x, 2.0, Change.CHANGED),
        visit(x, 3.0, Change.SAME, Evidence.NOT_MODIFIED),
        visit(x, 4.0, Change.UNKNOWN, Evidence.FAILED),
        visit(x, 5.0, Change.UNKNOWN, Evidence.BUSY),
        visit(x, 6.0, Change.GONE, Evidence.MISSING),
        visit(x, 7.0, Change.UNKNOWN, Evidence.REFUSED),
        visit(x, 8.0, Change.UNKNOWN, Evidence.MISSING),
    )
    store.save(Batch(entered=(x,), visits=visits, versions=(version(x, 1.0), version(x, 2.0))))
    store.save(Batch(servers=(Server("a.example", requests=9),)))
    expected = Totals(pages=1, visits=8, requests=9, changed=1, not_modified=1, failed=3, versions=2, bytes=800)
    assert store.totals("one") == store.totals() == expected


def test_totals_of_a_site_are_its_own_and_those_of_none_are_the_sum(store: Store) -> None:
    mine, other = page("x", due_at=1.0), page("y", server="b.example", site="two", due_at=1.0)
    store.save(Batch(entered=(mine, other), visits=(visit(mine, 1.0), visit(other, 1.0), visit(other, 2.0))))
    assert store.totals("one", now=5.0) == Totals(pages=1, visits=1, bytes=100, due=1)
    assert store.totals("two", now=5.0) == Totals(pages=1, visits=2, bytes=200, due=1)
    assert store.totals(now=5.0) == Totals(pages=2, visits=3, bytes=300, due=2)
    assert store.totals("three", now=5.0) == Totals()
    assert store.sites() == ["one", "two"]


def test_a_site_whose_pages_went_to_another_is_no_longer_named(store: Store) -> None:
    store.save(Batch(entered=(page("x"),)))
    store.save(Batch(pages=(page("x", site="two"),)))
    assert store.sites() == ["two"]


def test_make_due_stirs_live_pages_and_those_that_wait_and_keeps_their_ranks(store: Store) -> None:
    store.save(
        Batch(
            entered=(
                page("live", status=Status.LIVE, due_at=500.0, rank=Rank.DETAIL),
                page("quiet", status=Status.LIVE, due_at=None),
                page("sooner", status=Status.LIVE, due_at=1.0),
                page("awaited", status=Status.NEW, due_at=80.0),
                page("held", status=Status.NEW, due_at=None),
                page("gone", status=Status.GONE, due_at=900.0),
                page("moved", status=Status.MOVED, due_at=900.0),
                page("buried", status=Status.GONE, due_at=None),
                page("refused", status=Status.REFUSED),
                page("dropped", status=Status.DROPPED, due_at=900.0),
                page("other", server="b.example", site="two", status=Status.LIVE, due_at=500.0),
            )
        )
    )
    store.settle_server("a.example")
    assert store.make_due(10.0, site="one") == 6
    due = store.due("a.example", 10.0, 10)
    assert {name: found.due_at for name, found in zip(names(due), due, strict=True)} == {
        "live": 10.0,
        "quiet": 10.0,
        "sooner": 1.0,
        "awaited": 10.0,
        "gone": 10.0,
        "moved": 10.0,
    }
    assert names(due)[0] == "live" and due[0].rank == Rank.DETAIL
    assert store.due("b.example", 10.0, 10) == []
    assert store.make_due(10.0) == 7 and len(store.due("b.example", 10.0, 10)) == 1
    assert [server.key for server in store.servers_due(ALL, 10.0, 10)] == ["a.example", "b.example"]
    assert store.make_due(10.0, site="three") == 0


def test_make_due_of_all_pages_counts_those_that_rested_and_raises_their_rank(store: Store) -> None:
    quiet = tuple(page(name, status=Status.LIVE, interval_s=60.0) for name in ("quiet", "silent"))
    map_of_site = page("map", status=Status.LIVE, kind=Kind.SIGNAL, interval_s=60.0)
    sooner = page("sooner", status=Status.LIVE, due_at=1.0, interval_s=60.0, rank=Rank.URGENT)
    store.save(Batch(entered=(*quiet, map_of_site, sooner)))
    assert store.interval_histogram() == [IntervalBand(32.0, 64.0, 1)]
    assert store.make_due(5.0, rank=Rank.NOTICED) == 4
    assert store.interval_histogram() == [IntervalBand(32.0, 64.0, 3)]
    due = store.due("a.example", 5.0, 10)
    assert due[0] == sooner and {found.rank for found in due[1:]} == {Rank.NOTICED}
    assert {found.due_at for found in due[1:]} == {5.0}


def test_make_due_takes_given_pages_whatever_their_standing(store: Store) -> None:
    gone = page("gone", status=Status.GONE, interval_s=60.0)
    store.save(Batch(entered=(gone, page("x", status=Status.LIVE, due_at=99.0))))
    assert store.make_due(5.0, ids=[gone.id, 12345]) == 1
    assert store.due("a.example", 5.0, 10) == [replace(gone, due_at=5.0)]
    assert store.interval_histogram() == [IntervalBand(32.0, 64.0, 1)]
    assert store.make_due(1.0, site="two", ids=[gone.id]) == 0


def test_scan_walks_through_every_page_in_order_of_id(store: Store) -> None:
    pages = [page(str(number), site="one" if number % 3 else "two") for number in range(25)]
    store.save(Batch(entered=tuple(pages)))
    walked: list[Page] = []
    after: int | None = None
    while part := store.scan(after=after, limit=10):
        walked += part
        after = part[-1].id
    assert walked == sorted(pages, key=lambda found: found.id)
    assert store.scan("two") == [found for found in walked if found.site == "two"]
    assert store.scan("three") == [] and store.scan(limit=0) == []


def test_visits_and_versions_come_newest_first_and_whole(store: Store) -> None:
    x = page("x")
    old = Visit(x.id, 1.5, Why.FIRST, 503, Evidence.BUSY, Change.UNKNOWN, "connect_timeout", 10, 5, True, 12.75)
    new = Visit(x.id, 2.5, Why.NOTICE, 0, Evidence.FAILED, Change.MOVED)
    versions = (version(x, 1.5, "sha256:" + "cd" * 32), replace(version(x, 2.5), share_changed=None, digest="x"))
    store.save(Batch(entered=(x,), visits=(old, new), versions=versions))
    assert store.visits(x.id) == [new, old] and store.visits(x.id, limit=1) == [new]
    assert store.versions(x.id) == [versions[1], versions[0]] and store.versions(x.id, 1) == [versions[1]]
    assert store.versions(x.id, until_at=2.0) == store.versions(x.id, 1, 1.5) == [versions[0]]
    assert store.versions(x.id, 0) == store.versions(x.id, until_at=1.0) == []
    assert store.newest_versions([x.id, 1, x.id]) == [versions[1]] and store.newest_versions([]) == []
    assert store.visits(1) == []


def test_versions_are_found_by_their_file_and_lost_ones_forgotten_with_what_was_read_from_them(store: Store) -> None:
    x, y = page("x"), page("y")
    first = replace(version(x, 1.5), warc_file="a", warc_offset=10)
    second = replace(version(x, 2.5), warc_file="a", warc_offset=20)
    other = replace(version(y, 2.5), warc_file="b", warc_offset=20)
    read = tuple(Record(one.page, one.at, data={"title": "t"}) for one in (first, second))
    store.save(Batch(entered=(x, y), versions=(first, second, other), records=read))
    assert sorted(store.versions_in("a"), key=lambda one: one.at) == [first, second]
    assert store.versions_in("a", 20) == [second] and store.versions_in("never written") == []
    for _ in range(2):
        store.save(Batch(lost=(second,)))
        assert store.versions(x.id) == [first] and store.versions(y.id) == [other]
        assert [record.at for record in store.records([x.id])] == [1.5]
        assert store.totals().versions == 2


def test_a_notice_is_kept_once_and_can_be_proved_later(store: Store) -> None:
    x, y = page("x"), page("y")
    said = Notice(x.id, x.url, 5.0, Source.SITEMAP, NoticeKind.UPDATED)
    other = Notice(y.id, y.url, 6.0, Source.AGENT, NoticeKind.DELETED, proved=False)
    store.save(Batch(notices=(said, other)))
    store.save(Batch(notices=(replace(said, proved=True),)))
    assert store.notices() == [other, replace(said, proved=True)]
    assert store.notices(page=x.id) == [replace(said, proved=True)] and store.notices(limit=1) == [other]


def test_robots_files_and_memos_are_overwritten(store: Store) -> None:
    old, new = RobotsFile("http://a.example", 1.0, 0), RobotsFile("http://a.example", 2.0, 200, b"\xff\x00", 3.5)
    store.save(Batch(robots=(old,), memos=(("k", b"1"), ("empty", b""))))
    assert store.robots("http://a.example") == old
    store.save(Batch(robots=(new,), memos=(("k", b"2"),)))
    assert store.robots("http://a.example") == new and store.robots("https://a.example") is None
    assert store.memo("k") == b"2" and store.memo("empty") == b"" and store.memo("other") is None
    many = [f"m{number}" for number in range(70)]
    assert list(store.memos([*many, "k", "other", "empty"]).items()) == [("k", b"2"), ("empty", b"")]
    assert store.memos([]) == {}


def test_next_due_goes_by_due_time_alone_over_all_servers(store: Store) -> None:
    entered = tuple(
        page(str(number), server=f"s{number % 3}.example", due_at=float(50 - number), rank=number % 8)
        for number in range(30)
    )
    store.save(Batch(entered=(*entered, page("two", site="two", due_at=40.5), page("never"))))
    assert names(store.next_due(3)) == ["29", "28", "27"]
    assert names(store.next_due(100)) == [
        *(str(n) for n in range(29, 9, -1)),
        "two",
        *(str(n) for n in range(9, -1, -1)),
    ]
    assert names(store.next_due(5, site="two")) == ["two"] and store.next_due(5, site="three") == []


def test_error_groups_count_pages_by_standing_and_reason(store: Store) -> None:
    store.save(
        Batch(
            entered=(
                page("b", status=Status.REFUSED, reason="robots.txt"),
                page("a", status=Status.REFUSED, reason="robots.txt"),
                page("c", status=Status.NEW, reason="timeout", site="two"),
                page("d", status=Status.LIVE),
            )
        )
    )
    first = min(page("a"), page("b"), key=lambda found: found.id)
    refused = ErrorGroup(Status.REFUSED, "robots.txt", 2, first.url)
    late = ErrorGroup(Status.NEW, "timeout", 1, "http://a.example/c")
    assert store.error_groups() == [refused, late]
    assert store.error_groups("two") == [late] and store.error_groups(limit=1) == [refused]


def test_the_histogram_of_intervals_follows_the_pages(store: Store) -> None:
    store.save(
        Batch(
            entered=(
                page("day", due_at=1.0, interval_s=86400.0),
                page("days", due_at=1.0, interval_s=100_000.0),
                page("minute", due_at=1.0, interval_s=60.0),
                page("unscheduled", interval_s=60.0),
                page("new", due_at=1.0),
            )
        )
    )
    assert store.interval_histogram() == [IntervalBand(32.0, 64.0, 1), IntervalBand(65536.0, 131072.0, 2)]
    store.save(Batch(pages=(page("minute", due_at=1.0, interval_s=64.0),)))
    assert store.interval_histogram("one")[0] == IntervalBand(64.0, 128.0, 1)
    assert store.interval_histogram("two") == []


def test_visits_that_come_late_or_twice_stand_once_in_their_order(store: Store) -> None:
    x = page("x", checked_at=5.0)
    store.save(Batch(pages=(x,), visits=(visit(x, 5.0),)))
    store.save(Batch(pages=(replace(x, checked_at=7.0),), visits=(visit(x, 7.0), visit(x, 6.0))))
    store.save(Batch(visits=(visit(x, 3.0), visit(x, 5.0), visit(x, 9.0), visit(x, 7.0))))
    store.save(Batch(pages=(replace(x, checked_at=8.0),)))  # nobody tells of that visit
    store.save(Batch(visits=(visit(x, 9.0), visit(x, 10.0))))
    assert [found.at for found in store.visits(x.id)] == [10.0, 9.0, 7.0, 6.0, 5.0, 3.0]
    assert [found.at for found in store.visits(x.id, limit=2)] == [10.0, 9.0]
    assert store.totals().visits == 6


def test_visits_of_a_page_that_is_not_known_yet_are_its_own_once_it_is(store: Store) -> None:
    x, y = page("x"), page("y", checked_at=2.0)
    for known in (Batch(), Batch(entered=(x,), pages=(y,)), Batch(pages=(replace(x, checked_at=1.0),))):
        store.save(known)
        store.save(Batch(visits=(visit(x, 4.0), visit(y, 4.0))))
    store.save(Batch(visits=(visit(x, 5.0), visit(y, 3.0))))
    assert [found.at for found in store.visits(x.id)] == [5.0, 4.0]
    assert [found.at for found in store.visits(y.id)] == [4.0, 3.0]


def test_a_confirmed_page_is_what_it_was_but_for_its_visit(store: Store) -> None:
    x = page("x", status=Status.LIVE, etag='"e"', visits=1, due_at=1.0, interval_s=5.0, checked_at=1.0)
    y = page("y", status=Status.LIVE, due_at=3.0)
    store.save(Batch(pages=(x,), visits=(visit(x, 1.0, Change.NEW),)))
    seen = {"visits": 2, "conditional": 1, "checked_at": 2.0, "belief": b"b" * 64, "rank": Rank.DETAIL}
    after = replace(x, due_at=90.0, interval_s=88.0, **seen)  # type: ignore[arg-type]
    store.save(Batch(pages=(after, y), confirmed=frozenset({x.id, y.id, 7}), visits=(visit(x, 2.0),)))
    assert store.pages([x.id, y.id]) == [after, y]
    assert store.interval_histogram() == [IntervalBand(64.0, 128.0, 1)]
    assert names(store.due("a.example", 50.0, 5)) == ["y"] and len(store.visits(x.id)) == 2
    adopted = replace(after, site="two", visits=3)
    store.save(Batch(pages=(adopted,), confirmed=frozenset({x.id})))
    assert store.pages([x.id]) == [adopted] and store.totals("two").pages == 1 == store.totals("one").pages


def test_what_is_compacted_is_in_order_with_what_follows(store: Store) -> None:
    x, y = page("x", checked_at=1.0), page("y")
    store.save(Batch(entered=(x, y), visits=(visit(x, 1.0, Change.NEW), visit(y, 1.0, Change.NEW), visit(y, 2.0))))
    assert store.compact(before_at=5.0) == 1
    store.save(Batch(visits=(visit(x, 6.0), visit(y, 6.0, Change.CHANGED), visit(x, 7.0))))
    store.save(Batch(visits=(visit(x, 1.0, Change.NEW), visit(x, 6.0))))  # once more
    assert [found.at for found in store.visits(x.id)] == [7.0, 6.0, 1.0]
    assert store.compact(before_at=7.0) == 1
    assert [found.at for found in store.visits(x.id)] == [7.0, 1.0]
    assert [found.at for found in store.visits(y.id)] == [6.0, 1.0]


def test_compact_forgets_old_visits_that_proved_no_change_and_keeps_the_totals(store: Store) -> None:
    x = page("x")
    visits = (
        visit(x, 1.0, Change.NEW),
        visit(x, 2.0, Change.SAME),
        visit(x, 3.0, Change.CHANGED),
        visit(x, 4.0, Change.UNKNOWN, Evidence.FAILED),
        visit(x, 5.0, Change.SAME),
    )
    store.save(Batch(entered=(x,), visits=visits))
    before = store.totals()
    assert store.compact(before_at=5.0) == 2
    assert [found.at for found in store.visits(x.id)] == [5.0, 3.0, 1.0]
    assert store.totals() == before
    assert store.compact(before_at=5.0) == 0


def test_a_page_that_changes_servers_is_due_at_the_new_one_only(store: Store) -> None:
    store.save(Batch(entered=(page("x", due_at=1.0),)))
    store.save(Batch(pages=(replace(page("x", due_at=1.0), server="b.example"),)))
    assert store.due("a.example", 5.0, 5) == [] and names(store.due("b.example", 5.0, 5)) == ["x"]
    assert store.settle_server("a.example") is None and store.settle_server("b.example") == 1.0


def test_a_server_known_before_its_pages_counts_for_the_site_of_its_first_page(store: Store) -> None:
    store.save(Batch(servers=(Server("a.example", requests=1),)))
    store.save(Batch(entered=(page("x"),), servers=(Server("a.example", requests=5),)))
    assert store.totals("one").requests == 4 and store.totals().requests == 5
