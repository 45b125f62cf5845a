"""Claims, their targets, and what is decided: evidence, never a command."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from recrawl.formats.his import Entry
from recrawl.frontier.queue import Frontier
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Rank, Status
from recrawl.model.verdict import Change, Verdict
from recrawl.notices import trust as trusts
from recrawl.notices.apply import Target, carry_out, decide, has_it
from recrawl.notices.claim import Claim, from_entries, from_urls, path_fault
from recrawl.notices.outcome import counts_by_source, judged, pending, was_change
from recrawl.notices.signals import Said, compare, left
from recrawl.notices.trust import Record
from recrawl.store.memory import MemoryStore

A, U, D = NoticeKind.ADDED, NoticeKind.UPDATED, NoticeKind.DELETED
NOW = 1_700_000_000.0
DAY_S = 86_400.0


def _page(name: str = "a", **fields: object) -> Page:
    url = f"http://h.example/{name}"
    return Page(
        **{"id": fingerprint(url), "url": url, "server": "h.example", "site": "s", "rank": Rank.GENERAL, **fields}
    )  # type: ignore[arg-type]


def _claim(name: str = "a", kind: NoticeKind = U, source: Source = Source.AGENT, **fields: float) -> Claim:
    return Claim(f"http://h.example/{name}", kind, source, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/a/../b",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/a/%2E/b",
        "//evil.example/x",
        "/%2f/evil.example",
        "/\\evil.example",
        "/a\\..\\b",
        "http://evil.example/",
        "",
        "a.html",
        "/a%00b",
        "/a%0d%0aHost:x",
        "/" + "a" * 3000,
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(path: str) -> None:
    assert path_fault(path)


@pytest.mark.parametrize("path", ["/", "/a.html", "/a/b/", "/a:b", "/a..b", "/...", "/a?b=../c", "/%C3%BC"])
def test_a_path_of_a_document_is_taken(path: str) -> None:
    assert path_fault(path) == ""


def test_entries_become_claims_of_their_own_server_alone_and_never_of_the_future() -> None:
    entries = [
        Entry(U, "/a b.html", 5, int(NOW)),
        Entry(A, "/../x", 5, int(NOW)),
        Entry(D, "/gone", 0, int(NOW)),
        Entry(U, "/future", 5, int(NOW + 2 * DAY_S)),
    ]
    checked = from_entries(entries, "http://h.example", Source.AGENT, NOW)
    assert [claim.url for claim in checked.claims] == ["http://h.example/a%20b.html", "http://h.example/gone"]
    assert checked.refused == ("climbs", "future")


def test_whole_addresses_of_foreign_hosts_are_refused() -> None:
    foreign = ["http://evil.example/a", "http://h.example:81/a"]
    urls = ["http://h.example/a", *foreign, "http://u@h.example/a", "ftp://h.example/", "x"]
    checked = from_urls(urls, {"http://h.example"}, Source.INDEXNOW, U)
    assert [claim.url for claim in checked.claims] == ["http://h.example/a"]
    assert checked.refused == ("foreign host", "foreign host", "no address", "no address", "no address")


def test_a_known_page_is_hastened_an_unknown_one_enters_and_an_unwanted_one_is_counted() -> None:
    known, fresh = _page("known", status=Status.LIVE), _page("new")
    targets = [
        Target(_claim("known"), known, True),
        Target(_claim("known", D), known, True),
        Target(_claim("new", A), fresh),
        Target(_claim("gone", D), _page("gone")),
        Target(_claim("other"), refused="excluded"),
    ]
    decided = decide(targets, {}, NOW)
    assert decided.hastened == (known.id,)
    assert [(page.id, page.rank, page.due_at) for page in decided.entered] == [(fresh.id, Rank.NOTICED, NOW)]
    assert [notice.page for notice in decided.notices] == [known.id, known.id, fresh.id]
    assert decided.counts == {"taken": 3, "unknown and deleted": 1, "refused: excluded": 1}


def test_carrying_out_saves_the_notices_and_makes_the_pages_due_and_urgent() -> None:
    store = MemoryStore()
    known = _page("known", status=Status.LIVE, due_at=NOW + 10 * DAY_S)
    store.save(Batch(entered=(known,)))
    decided = decide([Target(_claim("known"), known, True), Target(_claim("new", A), _page("new"))], {}, NOW)
    assert carry_out(store, decided, NOW) == 2
    assert [(page.url[-4:], page.rank) for page in store.due("h.example", NOW, 10)] == [("nown", 1), ("/new", 1)]
    assert len(store.notices()) == 2
    assert carry_out(store, decided, NOW) == 2  # the same again: nothing doubled
    assert len(store.notices()) == 2


def test_size_and_exact_date_spare_a_visit_but_a_day_does_not() -> None:
    page = _page(status=Status.LIVE, size_bytes=7, last_modified="Thu, 01 Jan 1970 00:01:00 GMT", checked_at=NOW)
    assert has_it(page, _claim(size_bytes=7, modified_at=60.0))
    assert not has_it(page, _claim(size_bytes=8, modified_at=60.0))
    assert not has_it(page, _claim(size_bytes=7, modified_at=61.0))
    assert not has_it(page, _claim(size_bytes=7))
    assert not has_it(page, _claim(kind=D, size_bytes=7, modified_at=60.0))


def test_an_unproved_source_may_stir_few_pages_and_a_signed_one_all_of_them() -> None:
    pages = [_page(f"p{number}", status=Status.LIVE) for number in range(500)]
    for source, most in ((Source.SITEMAP, 60), (Source.AGENT, 500)):
        targets = [Target(_claim(page.url[17:], source=source), page, True) for page in pages]
        decided = decide(targets, {}, NOW)
        assert len(decided.notices) == 500
        assert trusts.FIRST_CREDIT <= len(decided.hastened) <= most


def test_a_liar_is_soon_ignored_and_can_win_its_trust_back() -> None:
    trust = trusts.heard({}, Source.SITEMAP, 1)
    for visit in range(60):
        trust = trusts.fold(trust, {Source.SITEMAP}, changed=visit % 20 == 0)
    record = trust[Source.SITEMAP]
    assert record.ignored
    assert trusts.credit(Source.SITEMAP, record) == 0
    for _ in range(20):
        trust = trusts.fold(trust, {Source.SITEMAP}, changed=True)
    assert not trust[Source.SITEMAP].ignored


def test_precision_and_recall_are_learnt_from_outcomes() -> None:
    trust = trusts.heard(trusts.heard({}, Source.AGENT, 5), Source.FEED, 1)
    for _ in range(300):
        trust = trusts.fold(trust, {Source.AGENT}, changed=True)
        trust = trusts.fold(trust, set(), changed=False)  # silence about nothing is no outcome
    assert trust[Source.AGENT].precision > 0.95
    assert trust[Source.AGENT].proved
    assert trust[Source.AGENT].recall == 1.0
    assert trust[Source.FEED].recall == 0.0
    assert trusts.read(trusts.write(trust)) == trust
    assert trusts.read(None) == {}


def test_a_source_that_calls_everything_changed_is_right_as_often_as_a_coin_and_has_no_lift() -> None:
    trust = trusts.heard(trusts.heard({}, Source.SITEMAP, 1), Source.AGENT, 1)
    for visit in range(200):
        changed = visit % 2 == 0  # as the page's own rate foretells
        trust = trusts.fold(
            trust, {Source.SITEMAP, Source.AGENT} if changed else {Source.SITEMAP}, changed, foretold=0.5
        )
    liar, honest = trust[Source.SITEMAP], trust[Source.AGENT]
    assert liar.precision > 0.4
    assert liar.ignored
    assert not liar.proved
    assert honest.lift > 0.9
    assert honest.proved
    assert trusts.credit(Source.SITEMAP, honest) > 300


def test_silent_pages_rest_longer_where_changes_are_announced_and_no_longer_when_some_are_missed() -> None:
    assert trusts.rest({}) == trusts.rest({Source.SITEMAP: Record()}) == 1.0
    perfect = {Source.AGENT: Record(right=190.0, notices=200, told=900.0)}
    assert 40.0 < trusts.rest(perfect) < 50.0
    young = {Source.AGENT: Record(right=9.0, notices=9, told=9.0)}
    assert 4.0 < trusts.rest(young) < 5.0
    half = {Source.AGENT: Record(right=100.0, missed=100.0, notices=100, told=100.0, untold=100.0)}
    assert 1.3 < trusts.rest(half) < 1.5
    liar = {Source.SITEMAP: Record(right=100.0, wrong=100.0, expected=100.0, notices=1000, told=100.0)}
    assert trusts.rest({**half, **liar}) == trusts.rest(half)


def test_changes_missed_of_late_count_at_once_whatever_was_announced_for_years() -> None:
    trust: dict[Source, Record] = {Source.AGENT: Record(notices=1)}
    for _ in range(3000):
        trust = trusts.fold(trust, {Source.AGENT}, True, 0.1)
    rests = [trusts.rest(trust)]
    for _ in range(10):
        trust = trusts.fold(trust, set(), True, 0.1)
        rests.append(trusts.rest(trust))
    assert rests == sorted(rests, reverse=True)
    assert rests[0] > 40
    assert rests[1] < 20
    assert rests[10] < 5


def test_trust_of_an_older_recrawl_is_read_with_what_it_knew() -> None:
    old = b'{"agent": {"right": 190.0, "wrong": 1.0, "missed": 10.0, "notices": 200, "expected": 3.0}}'
    assert trusts.read(old)[Source.AGENT] == Record(190.0, 1.0, 10.0, 200, 3.0, told=190.0, untold=10.0)


def test_what_a_page_did_foretells_what_it_will_do() -> None:
    assert trusts.foretold_change(0, 0.0, 0.0) == 0.0
    assert trusts.foretold_change(100, 100 * DAY_S, DAY_S) > 0.6
    assert trusts.foretold_change(0, 100 * DAY_S, DAY_S) < 0.01


@given(some.lists(some.tuples(some.sets(some.sampled_from(list(Source))), some.booleans()), max_size=60))
def test_trust_stays_between_nothing_and_all_and_does_not_grow(story: list[tuple[set[Source], bool]]) -> None:
    trust = {source: Record() for source in Source}
    for announced, changed in story:
        trust = trusts.fold(trust, announced, changed)
    for record in trust.values():
        assert 0.0 < record.precision < 1.0
        assert record.right + record.wrong + record.missed <= 1.0 / (1.0 - trusts.FORGET) + 1.0


@pytest.mark.parametrize(
    ("change", "seen_before", "expected"),
    [
        (Change.NEW, False, True),
        (Change.CHANGED, True, True),
        (Change.SAME, True, False),
        (Change.GONE, True, True),
        (Change.GONE, False, False),  # it was never there
        (Change.MOVED, True, True),
        (Change.UNKNOWN, True, None),
    ],
)
def test_what_a_visit_proves_of_a_notice(change: Change, seen_before: bool, expected: bool | None) -> None:
    page = _page(checked_at=NOW - 1 if seen_before else None)
    verdict = Verdict(change, target="http://h.example/b" if change is Change.MOVED else "")
    assert was_change(page, verdict) is expected
    notice = Notice(page.id, page.url, NOW, Source.FEED, U)
    assert [one.proved for one in judged([notice], page, verdict)] == ([] if expected is None else [expected])


def test_only_notices_that_came_before_the_visit_are_judged_by_it() -> None:
    early = Notice(1, "u", NOW, Source.FEED, U)
    late, old = Notice(1, "u", NOW + 5, Source.AGENT, U), Notice(1, "u", NOW - 5, Source.FEED, U, proved=True)
    assert pending([early, late, old], NOW + 1) == [early]
    assert counts_by_source([early, late, old])[list(Source).index(Source.FEED)] == 2


def test_a_signal_read_first_leads_and_read_again_tells_differences() -> None:
    first = compare(None, [Said("http://h/a", 1.0), Said("http://h/b", 1.0)], Source.SITEMAP, True, NOW)
    assert (first.claims, first.leads) == ((), ("http://h/a", "http://h/b"))
    again = [Said("http://h/a", 2.0), Said("http://h/c"), Said("http://h/d", NOW + 9 * DAY_S)]
    second = compare(first.memory, again, Source.SITEMAP, True, NOW)
    told = {(claim.url[-1], claim.kind) for claim in second.claims}
    assert told == {("a", U), ("c", A), ("d", A)}
    assert left(first.memory, again) == {fingerprint("http://h/b")}
    third = compare(second.memory, again, Source.SITEMAP, True, NOW)
    assert third.claims == ()
    assert compare(third.memory, [Said("http://h/d", NOW + 10 * DAY_S)], Source.FEED, False, NOW).claims == ()


def test_a_tombstone_is_a_deletion_and_a_rolling_feed_is_none() -> None:
    first = compare(None, [Said("http://h/a", 1.0), Said("http://h/b", 1.0)], Source.FEED, False, NOW)
    second = compare(first.memory, [Said("http://h/a", 5.0, deleted=True)], Source.FEED, False, NOW)
    assert [(claim.url, claim.kind) for claim in second.claims] == [("http://h/a", D)]
    assert compare(second.memory, [Said("http://h/b", 1.0)], Source.FEED, False, NOW).claims == ()


def test_a_waiting_page_is_brought_forward_and_one_under_way_is_left_alone() -> None:
    frontier = Frontier()
    waiting, other = _page("waiting", due_at=NOW + DAY_S), _page("other", due_at=NOW + 5)
    frontier.offer([waiting, other])
    sooner = _page("waiting", due_at=NOW, rank=Rank.NOTICED)
    assert frontier.hasten([sooner]) == 1
    assert frontier.next_page("h.example", NOW) == sooner
    assert frontier.hasten([sooner]) == 0
    assert frontier.next_page("h.example", NOW) is None
    assert frontier.next_page("h.example", NOW + 5) == other


def test_silence_says_nothing_of_a_server_that_nobody_ever_spoke_of() -> None:
    trust = trusts.heard({}, Source.SITEMAP, 3, {"www.example", "shop.example"})
    trust = trusts.heard(trust, Source.SITEMAP, 2, {"www.example"})
    record = trusts.read(trusts.write(trust))[Source.SITEMAP]
    assert (record.notices, record.servers) == (5, ("shop.example", "www.example"))
    assert record.speaks_of("shop.example")
    assert not record.speaks_of("forum.example")
    many = trusts.heard(trust, Source.SITEMAP, 1000, {f"{number}.example" for number in range(1000)})
    assert many[Source.SITEMAP].speaks_of("forum.example")
    assert len(trusts.write(many)) < 500
