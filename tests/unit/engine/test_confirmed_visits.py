"""Visits settled by the batch, in the compiled part, come to what each of them comes to alone."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.engine.settling import confirmed, pace
from recrawl.engine.settling.arrival import Arrival, Signal
from recrawl.engine.settling.confirmed import checked, note_first, note_run, sighted
from recrawl.engine.settling.kept import copy_of, event_of, limit_event, visit_row
from recrawl.engine.settling.ledger import Ledger
from recrawl.engine.settling.pace import each_sighted, taught_and_due
from recrawl.engine.settling.savings import saved_by, saved_by_site, saves
from recrawl.model.belief import STATE_BYTES, unpack
from recrawl.model.document import Document, Media
from recrawl.model.failure import Failure
from recrawl.model.page import Page, Rank, Status
from recrawl.model.site import Kind
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply, Times, Version, Why
from recrawl.notices.signals import Heard
from recrawl.store.columns import CONFIRMED

pytestmark = pytest.mark.compiled

fields_of_a_visit = [column[0] for column in CONFIRMED]

MOMENTS = st.floats(1e9, 2e9)
TAGS = st.sampled_from(("", '"a"', 'W/"b"', '"é"'))
DATES = st.sampled_from(("", "Mon, 02 Mar 2026 10:00:00 GMT"))
HEADERS = st.lists(
    st.tuples(st.sampled_from(("etag", "last-modified", "date", "content-type")), TAGS | DATES), max_size=4
).map(tuple)
DIGESTS = st.sampled_from((b"", b"\x0f" * 32))
SHORT = st.floats(0.0, 100.0) | st.integers(0, 3)

pages = st.builds(
    Page, st.integers(-(2**63), 2**63 - 1), st.sampled_from(("http://e.org/a", "http://é.org/")), st.just("e.org"),
    st.sampled_from(("s", "spoken of")), kind=st.sampled_from(Kind), rank=st.sampled_from(Rank.ALL),
    belief=st.just(b"") | st.binary(min_size=STATE_BYTES, max_size=STATE_BYTES), status=st.sampled_from(Status),
    reason=st.sampled_from(("", "why")), etag=TAGS, last_modified=DATES, body_digest=DIGESTS,
    size_bytes=st.integers(0, 10**9), failures=st.integers(0, 3), misses=st.integers(0, 3),
    visits=st.integers(0, 10**6), changes=st.integers(0, 9), conditional=st.integers(0, 20),
    checked_at=st.none() | MOMENTS,
    changed_at=st.none() | MOMENTS, target=st.sampled_from(("", "http://e.org/b")),
)  # fmt: skip
replies = st.builds(
    Reply, st.builds(Ask, st.just("http://e.org/a"), TAGS, DATES), MOMENTS, st.sampled_from(Evidence),
    st.integers(0, 599), HEADERS, body=st.binary(max_size=3), times=st.builds(Times, first_byte_s=SHORT, total_s=SHORT),
    received_bytes=st.integers(0, 10**9),
)  # fmt: skip
verdicts = st.builds(
    Verdict, st.sampled_from(Change), changed_bytes=st.integers(0, 9), body_digest=DIGESTS, text_digest=DIGESTS,
    simhash=st.integers(0, 2**64 - 1), noise=st.binary(max_size=3),
    target=st.sampled_from(("", "http://e.org/b")), reason=st.sampled_from(("", "because")),
    changed_ago_s=st.none() | st.floats(0.0, 1e6),
)  # fmt: skip
arrivals = st.builds(
    Arrival, pages, st.sampled_from(Why), replies, verdicts, st.sampled_from((None, Document(Media.HTML))),
    directives=st.sampled_from((frozenset[str](), frozenset(("noarchive",)))),
)  # fmt: skip
CALM = Arrival(
    Page(
        1, "http://e.org/a", "e.org", "s", status=Status.LIVE, body_digest=b"\x0f" * 32, checked_at=5.0, changed_at=4.0
    ),
    Why.DUE,
    Reply(
        Ask("http://e.org/a", '"a"'), 6.5, Evidence.NOT_MODIFIED, 304, (("etag", '"b"'),), times=Times(total_s=0.0015)
    ),
    Verdict(Change.SAME, reason="the server says so"),
)
FIRST = Arrival(
    Page(1, "http://e.org/a", "e.org", "s"),
    Why.FIRST,
    Reply(Ask("http://e.org/a"), 6.5, Evidence.DOCUMENT, 200, (("etag", '"b"'),), body=b"b", times=Times(total_s=0.5)),
    Verdict(Change.NEW, body_digest=b"\x0f" * 32, reason="first seen"),
    Document(Media.HTML),
)
documents = st.builds(Document, st.just(Media.HTML), cut=st.sampled_from(("", "long"))) | st.none()
new_verdicts = st.builds(
    Verdict, st.just(Change.NEW), body_digest=DIGESTS, text_digest=DIGESTS, simhash=st.integers(0, 2**64 - 1),
    text_bytes=st.integers(0, 9), target=st.sampled_from(("", "http://e.org/b")),
    limit=st.sampled_from(("", "redirects")),
)  # fmt: skip


@given(st.lists(arrivals, max_size=6))
def test_what_was_seen_is_gathered_alike(came: list[Arrival]) -> None:
    found = sighted(came)
    assert found is not None
    alone = each_sighted(came)
    assert found.states == alone.states == unpack(one.page.belief for one in came).tobytes()
    assert [bytes(column) for column in found.columns] == [bytes(column) for column in alone.columns]


@given(st.lists(arrivals, min_size=1, max_size=6), st.floats(0.0, 1e7))
def test_pages_after_a_304_or_a_new_version_are_made_alike(came: list[Arrival], gap_s: float) -> None:
    states = unpack(one.page.belief for one in came)
    gaps_s = np.full(len(came), gap_s)
    due_at = np.array([one.reply.at for one in came]) + gaps_s
    for one, page, state, moment in zip(came, checked(came, states, gaps_s, due_at), states, due_at, strict=True):
        is_new = one.reply.evidence is Evidence.DOCUMENT and one.verdict.change in (Change.NEW, Change.CHANGED)
        is_made = one.reply.evidence is Evidence.NOT_MODIFIED or is_new
        assert page == (taught_and_due(one, state.tobytes(), gap_s, float(moment)) if is_made else None)


@pytest.mark.parametrize(("name", "longest"), [("etag", 500), ("last-modified", 100), ("content-type", 100)])
def test_what_a_server_says_at_length_is_cut(name: str, longest: int) -> None:
    for chars in (longest, longest + 1):
        one = replace(FIRST, reply=replace(FIRST.reply, headers=((name, "x" * chars),)))
        [page] = checked([one], unpack([one.page.belief]), np.array([5.0]), np.array([9.0]))
        assert (page is None) == (chars > longest)
        made = taught_and_due(one, bytes(STATE_BYTES), 5.0, 9.0)
        assert page in (None, made) and getattr(made, name.replace("-", "_")) == "x" * longest


@given(arrivals | st.builds(replace, st.just(FIRST), page=pages, document=documents, verdict=new_verdicts))
def test_a_first_visit_leaves_what_it_leaves_alone(one: Arrival) -> None:
    whole, alone = Ledger(), Ledger()
    is_noted = note_first(one, one.page, whole)
    copy, event = copy_of(one, True), event_of(one, one.page)
    if is_noted:
        assert copy is not None and event is not None and limit_event(one) is None and one.page.kind is not Kind.SIGNAL
        alone.pages[one.page.id], alone.visits, alone.copies, alone.events = one.page, [visit_row(one)], [copy], [event]
    assert whole == alone


def test_a_usual_first_visit_is_noted_in_one_call() -> None:
    assert note_first(FIRST, FIRST.page, Ledger())


@pytest.mark.parametrize(
    "odd",
    [
        {"directives": frozenset(("noarchive",))},
        {"document": Document(Media.HTML, cut="long")},
        {"document": None},
        {"verdict": Verdict(Change.NEW, limit="redirects")},
        {"verdict": Verdict(Change.NEW, target="http://e.org/b")},
        {"verdict": Verdict(Change.SAME)},
        {"signal": Signal(Heard((), (), b""))},
        {"page": Page(1, "http://e.org/a", "e.org", "s", kind=Kind.SIGNAL)},
        {"reply": Reply(Ask("http://e.org/a"), 6.5, Evidence.DOCUMENT, 200, failure=Failure.BOMB)},
        {"reply": Reply(Ask("http://e.org/a"), 6.5, Evidence.MISSING, 404)},
        {"previous": Version(1, 1.0, "sha256:ab", "f", 0, 1, 2, 3)},
    ],
)
def test_one_that_says_more_is_noted_in_full(odd: dict[str, Any]) -> None:
    ledger = Ledger()
    assert not note_first(replace(FIRST, **odd), FIRST.page, ledger)
    assert ledger == Ledger()


def leaves_nothing_else(one: Arrival, speaks: Sequence[str]) -> bool:
    is_same = one.reply.evidence is Evidence.NOT_MODIFIED and one.verdict.change is Change.SAME
    plain = one.page.status is Status.LIVE and one.page.kind is not Kind.SIGNAL and one.page.site not in speaks
    return is_same and plain and one.document is None and not one.directives


@given(st.lists(arrivals | st.just(CALM), max_size=8), st.integers(0, 8), st.booleans())
def test_a_run_leaves_what_each_of_its_visits_leaves(came: list[Arrival], start: int, records: bool) -> None:
    after = [one.page for one in came]
    whole, alone = Ledger(), Ledger()
    noted = note_run(came, after, start, {}, lambda site: site == "s", records, whole)
    run = came[start : start + noted]
    assert all(leaves_nothing_else(one, ("spoken of",)) for one in run)
    behind = came[start + noted :]
    assert not behind or not leaves_nothing_else(behind[0], ("spoken of",))
    for one in run:
        alone.pages[one.page.id] = one.page
        alone.visits.append(visit_row(one))
        alone.copies += [copy for copy in [copy_of(one, records)] if copy is not None]
        assert event_of(one, one.page) is None
    assert all(page is whole.pages[page.id] for page in whole.confirmed)
    assert replace(whole, confirmed=[]) == alone


@given(st.lists(arrivals | st.just(CALM), max_size=8))
def test_what_visits_saved_is_summed_alike(came: list[Arrival]) -> None:
    found = saved_by_site(came)
    savers = [one for one in came if saves(one)]
    assert found.keys() == {one.page.site for one in savers}
    for site, saved in found.items():
        alone = saved_by([one for one in savers if one.page.site == site])
        assert (saved.revisits, saved.spared_bytes) == (alone.revisits, alone.spared_bytes)
        assert saved.daily_visits == pytest.approx(alone.daily_visits)


@given(arrivals, st.floats(1.0, 1e6))
def test_a_page_is_confirmed_if_nothing_else_of_it_changed(one: Arrival, gap_s: float) -> None:
    one = replace(one, reply=replace(one.reply, evidence=Evidence.NOT_MODIFIED), document=None, directives=frozenset())
    one = replace(one, verdict=replace(one.verdict, change=Change.SAME))
    after = checked([one], unpack([one.page.belief]), np.array([gap_s]), np.array([one.reply.at + gap_s]))
    ledger = Ledger()
    noted = note_run([one], [page for page in after if page], 0, {}, lambda site: True, False, ledger)
    left = {name: getattr(one.page, name) for name in fields_of_a_visit}
    is_as_it_was = all(page is not None and replace(page, **left) == one.page for page in after)
    assert len(ledger.confirmed) == (noted and is_as_it_was)


def test_a_page_that_was_noted_before_in_the_same_batch_is_not_confirmed() -> None:
    calm = replace(CALM, page=replace(CALM.page, etag='"b"'))
    ledger = Ledger()
    assert note_run([calm, calm], [calm.page] * 2, 0, {}, lambda site: True, True, ledger) == 2
    assert ledger.confirmed == [calm.page]
    ledger = Ledger(pages={1: CALM.page})
    assert note_run([calm], [calm.page], 0, {}, lambda site: True, True, ledger) == 1 and not ledger.confirmed


def test_a_page_that_somebody_spoke_of_ends_a_run() -> None:
    ledger = Ledger()
    assert note_run([CALM, CALM], [CALM.page] * 2, 0, {CALM.page.id: []}, lambda site: True, True, ledger) == 0
    assert note_run([CALM, CALM], [CALM.page] * 2, 0, {2: []}, lambda site: True, True, ledger) == 2
    assert len(ledger.copies) == 2


def test_who_is_asked_may_complain() -> None:
    def is_quiet(site: str) -> bool:
        raise RuntimeError(site)

    with pytest.raises(RuntimeError, match="s"):
        note_run([CALM], [CALM.page], 0, {}, is_quiet, True, Ledger())


def test_without_the_compiled_part_everything_is_left_to_each_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmed, "compiled", None)
    assert sighted([CALM]) is None
    assert note_run([CALM], [CALM.page], 0, {}, lambda site: True, True, Ledger()) == 0
    assert pace.checked([CALM], unpack([b""]), np.ones(1), np.ones(1)) == [None]
