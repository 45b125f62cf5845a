"""After the visit: what did the notices of the page prove to be?"""

from collections import Counter
from collections.abc import Iterable, Sequence

from recrawl.model.notice import Notice, Source
from recrawl.model.page import Page
from recrawl.model.swift import replace
from recrawl.model.verdict import Change, Verdict

NONE = (0,) * len(Source)


def was_change(page: Page, verdict: Verdict) -> bool | None:
    """Did the visit find the world changed since the last one? None: it proved nothing. A page that was never there
    and is not there now has not changed."""
    if verdict.change is Change.UNKNOWN:
        return None
    if verdict.change is Change.GONE:
        return page.checked_at is not None
    if verdict.change is Change.MOVED:
        return page.target != verdict.target
    return verdict.change is not Change.SAME


def pending(notices: Iterable[Notice], at: float) -> list[Notice]:
    """Those that wait for a judgement and were there when the visit was made."""
    return [notice for notice in notices if notice.proved is None and notice.at <= at]


def judged(waiting: Iterable[Notice], page: Page, verdict: Verdict) -> list[Notice]:
    """The same notices with what they proved to be; none if the visit proved nothing."""
    changed = was_change(page, verdict)
    return [] if changed is None else [replace(notice, proved=changed) for notice in waiting]


def counts_by_source(notices: Iterable[Notice]) -> tuple[int, ...]:
    """How many came from each source, in the order of `Source`: what the scheduler asks for."""
    counted = Counter(notice.source for notice in notices)
    return tuple(counted[source] for source in Source) if counted else NONE


def sources_of(notices: Sequence[Notice]) -> frozenset[Source]:
    return frozenset(notice.source for notice in notices)
