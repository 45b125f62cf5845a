"""From verdicts to pages that know when they are due again: estimate and schedule, a batch at a time."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from recrawl.engine.scheduling.scheduler import Scheduler
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.confirmed import RANKS, checked, sighted
from recrawl.frontier.manners import DAY_S, WELL, page_wait_s, trouble
from recrawl.model.belief import STATE_BYTES, Column, Sightings, Sights, numbers
from recrawl.model.page import Page, Rank, Status
from recrawl.model.server import Server
from recrawl.model.site import Kind
from recrawl.model.swift import replace
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence

PROBE_S = 600.0  # a first 404 is looked at again soon: only a second one proves a page gone
GONE_FROM_S = 7 * DAY_S  # a page that is gone is asked for rarely, and ever more rarely
GONE_TO_S = 90 * DAY_S
_BLANK = bytes(STATE_BYTES)  # of a page never visited
JUDGED = frozenset({Change.NEW, Change.SAME, Change.CHANGED, Change.MOVED})


def pace(
    arrivals: Sequence[Arrival],
    scheduler: Scheduler,
    importance_of: Mapping[str, float],
    server_of: Callable[[str], Server],
    notices_of: Callable[[Sequence[Arrival]], Sequence[Sequence[int]] | None],
    luck: Column,
) -> list[Page]:
    """Fold the verdicts into the beliefs and set the next due times. A failed visit changes no belief. `notices_of`:
    how many of each source spoke of each page since its last visit, None: nobody of any."""
    judged = [one for one in arrivals if one.verdict.change in JUDGED]
    if not judged:
        return [_unproved(one) for one in arrivals]
    before = [one.page for one in judged]
    importance = importance_among(before, importance_of)
    server = {key: server_of(key) for key in {page.server for page in before}}
    servers = [server[page.server] for page in before]
    seen = sighted(judged) or each_sighted(judged)
    states, gaps_s = scheduler.paced(before, seen, importance, servers, notices_of(judged), luck[: len(judged)])
    due_at = scheduler.rations.due_times(before, states, seen.at, gaps_s)
    paced = _due_again(judged, states, gaps_s, due_at)
    if len(judged) == len(arrivals):
        return paced
    in_turn = iter(paced)
    return [next(in_turn) if one.verdict.change in JUDGED else _unproved(one) for one in arrivals]


def is_at_rest(page: Page) -> bool:
    """Waits for nothing but its own interval: no failure, no miss, no notice."""
    calm = not page.failures and not page.misses and page.rank > Rank.NOTICED and page.kind is not Kind.SIGNAL
    return calm and page.status is Status.LIVE and bool(page.belief) and page.interval_s > 0


def importance_among(pages: Sequence[Page], importance_of: Mapping[str, float]) -> "array[float]":
    return array("d", [page.importance * importance_of.get(page.site, 1.0) for page in pages])


def _due_again(judged: list[Arrival], states: Column, gaps_s: Column, due_at: "array[float]") -> list[Page]:
    pages, gaps = checked(judged, states, gaps_s, due_at), numbers(gaps_s)
    if all(pages):
        return cast(list[Page], pages)
    for place in [place for place, page in enumerate(pages) if page is None]:
        belief = bytes(states[place * STATE_BYTES : (place + 1) * STATE_BYTES])
        pages[place] = taught_and_due(judged[place], belief, gaps[place], due_at[place])
    return [page for page in pages if page is not None]


def taught_and_due(one: Arrival, belief: bytes, gap_s: float, due_at: float) -> Page:
    page, reply = one.page, one.reply
    if reply.evidence is not Evidence.NOT_MODIFIED:
        return replace(page, **_taught(one), belief=belief, interval_s=gap_s, due_at=due_at)
    etag, last_modified = _validators(one)
    return replace(
        page, visits=page.visits + 1, conditional=_conditional(one), failures=0, misses=0, reason="",
        rank=RANKS[page.kind], checked_at=reply.at, noise=one.verdict.noise, status=Status.LIVE, target="", etag=etag,
        last_modified=last_modified, belief=belief, interval_s=gap_s, due_at=due_at,
    )  # fmt: skip


def sightings(judged: Sequence[Arrival]) -> Sightings:
    return each_sighted(judged).arrays()[0]


def each_sighted(judged: Sequence[Arrival]) -> Sights:
    """As `sighted`, one by one."""
    columns = (
        array("d", [one.reply.at for one in judged]),
        bytes(_is_change(one) for one in judged),
        bytes(one.page.checked_at is None for one in judged),
        array("d", [_changed_ago_s(one) for one in judged]),
        array("d", [float(one.page.size_bytes or one.reply.body_bytes) for one in judged]),
        array("d", [one.reply.times.first_byte_s for one in judged]),
    )
    return Sights(columns, b"".join(one.page.belief or _BLANK for one in judged))


def _is_change(one: Arrival) -> bool:
    if one.verdict.change is Change.MOVED:
        return one.page.target != one.verdict.target and one.page.checked_at is not None
    return one.verdict.change is Change.CHANGED


def _changed_ago_s(one: Arrival) -> float:
    ago_s = one.verdict.changed_ago_s
    return float("nan") if ago_s is None else ago_s


def _taught(one: Arrival) -> dict[str, Any]:
    """What an answer that is more than "not modified" taught about the page, its due time aside."""
    page, reply, verdict = one.page, one.reply, one.verdict
    taught: dict[str, Any] = {
        "visits": page.visits + 1,
        "conditional": _conditional(one),
        "failures": 0,
        "misses": 0,
        "reason": "",
        "rank": RANKS[page.kind],
        "checked_at": reply.at,
        "noise": verdict.noise,
    }
    if verdict.change is Change.MOVED:
        is_told = (
            page.target == verdict.target or page.body_digest
        )  # of a copy, it is the moment that revisits refer to
        changed_at = page.changed_at if is_told else reply.at
        return taught | {"status": Status.MOVED, "target": verdict.target, "changed_at": changed_at}
    etag, last_modified = _validators(one)
    taught |= {"status": Status.LIVE, "target": "", "etag": etag, "last_modified": last_modified}
    if reply.evidence is Evidence.DOCUMENT:
        taught |= {
            "body_digest": verdict.body_digest,
            "text_digest": verdict.text_digest or page.text_digest,
            "simhash": verdict.simhash,
            "size_bytes": reply.body_bytes,
            "content_type": reply.header("content-type")[:100],
        }
    if verdict.change is not Change.SAME:
        taught |= {"changes": page.changes + (verdict.change is Change.CHANGED), "changed_at": reply.at}
    return taught


def _validators(one: Arrival) -> tuple[str, str]:
    """A document brings its own validators or none; a 304 keeps the old ones unless it names new ones."""
    etag, last_modified = one.reply.header("etag"), one.reply.header("last-modified")
    if one.reply.evidence is Evidence.NOT_MODIFIED:
        return etag or one.page.etag, last_modified or one.page.last_modified
    return etag[:500], last_modified[:100]


def _conditional(one: Arrival) -> int:
    return one.page.conditional + 1 if one.reply.ask.conditional else 0


def _unproved(one: Arrival) -> Page:
    """Missing, refused or failed: the copy and the belief stay as they are."""
    asked_so = _conditional(one) if one.reply.evidence in WELL else one.page.conditional
    page = replace(
        one.page,
        visits=one.page.visits + 1,
        conditional=asked_so,
        reason=one.verdict.reason,
        noise=one.verdict.noise,
    )
    at = one.reply.at
    if one.verdict.change is Change.GONE:
        first = page.status is not Status.GONE
        wait_s = GONE_FROM_S if first else min(max(page.interval_s, GONE_FROM_S) * 1.5, GONE_TO_S)
        page = replace(page, status=Status.GONE, rank=RANKS[page.kind] if page.rank <= Rank.NOTICED else page.rank)
        return replace(page, misses=page.misses + 1, failures=0, interval_s=wait_s, due_at=at + wait_s)
    if one.reply.evidence is Evidence.MISSING:
        probe_s = 0.0 if page.rank == Rank.NOTICED else PROBE_S  # somebody said so already: look again after the gap
        return replace(page, misses=page.misses + 1, failures=0, due_at=at + probe_s)
    met = trouble(one.reply)
    failures = page.failures + 1
    wait_s = page_wait_s(met, failures) if met else DAY_S
    status = page.status
    if one.reply.evidence is Evidence.REFUSED and page.status is Status.NEW:
        status = Status.REFUSED
    return replace(page, status=status, failures=failures, due_at=at + wait_s)
