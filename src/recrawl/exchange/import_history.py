"""Beliefs that start from history (S1.4): visits that others made, judged and folded as if recrawl had made them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from recrawl.detect.verdict import compare
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.kept import copy_of, event_of, visit_row
from recrawl.engine.settling.ledger import Ledger
from recrawl.engine.settling.pace import sightings
from recrawl.model.belief import Sightings, pack, unpack
from recrawl.model.document import Document
from recrawl.model.page import Page, Status
from recrawl.model.values import dataclass
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Reply, Why
from recrawl.ports import Policy

PROVED = frozenset({Change.NEW, Change.SAME, Change.CHANGED, Change.MOVED})


@dataclass(frozen=True, slots=True)
class Seen:
    """One capture known only by its digest: from an index, without the bytes."""

    at: float
    digest: str
    size_bytes: int = 0


def judged(page: Page, reply: Reply, document: Document | None, previous: Document | None) -> Arrival:
    """What that visit proved, had it been ours."""
    verdict = compare(page, reply, document, previous)
    directives = document.directives if document else frozenset()
    why = Why.DUE if page.visits else Why.FIRST
    return Arrival(page, why, reply, verdict, document, directives=directives)


def folded(arrivals: Sequence[Arrival], policy: Policy, now: float) -> Ledger:
    """One batch of such visits, each of another page, ready to be written. All are due at once: the history is old."""
    ledger = Ledger()
    proved = [one for one in arrivals if one.verdict.change in PROVED]
    beliefs = dict(zip((one.page.id for one in proved), _beliefs(proved, policy), strict=True))
    for one in arrivals:
        after = replace(_after(one), belief=beliefs.get(one.page.id, one.page.belief), due_at=now)
        ledger.pages[after.id] = after
        ledger.visits.append(visit_row(one))
        ledger.copies += [copy for copy in (copy_of(one, record_unchanged=False),) if copy is not None]
        ledger.events += [event for event in (event_of(one, after),) if event is not None]
    return ledger


def _beliefs(proved: Sequence[Arrival], policy: Policy) -> list[bytes]:
    if not proved:
        return []
    return pack(policy.observe(unpack(one.page.belief for one in proved), sightings(proved)))


def _after(one: Arrival) -> Page:
    page = replace(one.page, visits=one.page.visits + 1, noise=one.verdict.noise)
    change, at = one.verdict.change, one.reply.at
    if change is Change.GONE:
        return replace(page, status=Status.GONE, misses=page.misses + 1)
    if one.reply.evidence is Evidence.MISSING:
        return replace(page, misses=page.misses + 1)
    if change not in PROVED:
        return page
    page = replace(page, checked_at=at, failures=0, misses=0, reason="")
    if change is Change.MOVED:
        is_told = page.target == one.verdict.target or page.body_digest
        return replace(
            page, status=Status.MOVED, target=one.verdict.target, changed_at=page.changed_at if is_told else at
        )
    page = replace(page, status=Status.LIVE, target="")
    return page if change is Change.SAME else _with_copy(page, one)


def _with_copy(page: Page, one: Arrival) -> Page:
    reply, verdict = one.reply, one.verdict
    return replace(
        page,
        etag=reply.header("etag")[:500],
        last_modified=reply.header("last-modified")[:100],
        body_digest=verdict.body_digest,
        text_digest=verdict.text_digest or page.text_digest,
        simhash=verdict.simhash,
        size_bytes=len(reply.body),
        content_type=reply.header("content-type")[:100],
        changes=page.changes + (verdict.change is Change.CHANGED),
        changed_at=reply.at,
    )


def believed(captures: Sequence[Sequence[Seen]], policy: Policy) -> list[bytes]:
    """Beliefs out of digests alone, a list of captures (oldest first) for each page; another digest is a change."""
    states = unpack(b"" for _ in captures)
    longest = max(map(len, captures), default=0)
    for turn in range(longest):
        there = [place for place, seen in enumerate(captures) if len(seen) > turn]
        states[there] = policy.observe(states[there], _sightings([captures[place] for place in there], turn))
    return pack(states)


def _sightings(captures: Sequence[Sequence[Seen]], turn: int) -> Sightings:
    now = [seen[turn] for seen in captures]
    changed: Callable[[Sequence[Seen]], bool] = lambda seen: turn > 0 and seen[turn].digest != seen[turn - 1].digest  # noqa: E731
    return Sightings(
        at=np.array([one.at for one in now]),
        changed=np.array([changed(seen) for seen in captures]),
        first=np.full(len(now), turn == 0),
        changed_ago_s=np.full(len(now), np.nan),
        size_bytes=np.array([float(one.size_bytes) for one in now]),
        response_s=np.zeros(len(now)),
    )
