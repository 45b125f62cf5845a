"""Visits by the batch, in the compiled part: what they saw, the pages whose copy a 304 confirmed, and what such visits
leave behind. `pace` and `kept` say the same of one visit, and take over where there is no such part or where it is not
certain."""

from collections.abc import Callable, Mapping

from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.ledger import Copy, Ledger
from recrawl.model.belief import STATE_BYTES, Column, Sights
from recrawl.model.capture import Capture
from recrawl.model.document import Document
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Page, Rank, Status
from recrawl.model.site import Kind
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply, Times, Visit
from recrawl.native import compiled

# Of pages visited before: lists come first, for the new details they may show; those outrank all (see scope/order.py).
RANKS = {Kind.LIST: Rank.LIST_NEAR, Kind.DETAIL: Rank.GENERAL, Kind.GENERAL: Rank.GENERAL, Kind.SIGNAL: Rank.SIGNAL}

if compiled is not None:
    compiled.arrived(
        (Arrival, Page, Reply, Ask, Times, Verdict, Document),
        (Visit, Capture, Copy, Event),
        (
            Evidence.NOT_MODIFIED,
            Evidence.DOCUMENT,
            Change.NEW,
            Change.SAME,
            Change.CHANGED,
            Change.MOVED,
            Status.LIVE,
            Kind.SIGNAL,
            EventKind.ADDED,
        ),
        RANKS,
    )


def sighted(judged: list[Arrival]) -> Sights | None:
    """What was seen of these pages, and what was believed of them before."""
    columns = compiled.sighted(judged, STATE_BYTES) if compiled is not None else None
    return None if columns is None else Sights(columns[:-1], columns[-1])


def checked(judged: list[Arrival], states: Column, gaps_s: Column, due_at: Column) -> list[Page | None]:
    """The pages after a 304 or a new version; None in the place of all others, and of what is not plain."""
    if compiled is None:
        return [None] * len(judged)
    pages: list[Page | None] = compiled.checked(judged, states, gaps_s, due_at)
    return pages


def note_run(
    arrivals: list[Arrival],
    after: list[Page],
    start: int,
    waiting: Mapping[int, object],
    is_quiet: Callable[[str], bool],
    records: bool,
    ledger: Ledger,
) -> int:
    """How many visits from `start` on say nothing but that a copy is what it was. These are noted. `waiting`: pages of
    which somebody spoke; `is_quiet`: of a site nobody does. `records`: the archive keeps a record of each."""
    if compiled is None:
        return 0
    noted: int = compiled.confirmed_run(
        arrivals, after, start, waiting, is_quiet, records, ledger.pages, ledger.visits, ledger.copies, ledger.confirmed
    )
    return noted


def note_first(one: Arrival, after: Page, ledger: Ledger) -> bool:
    """Whether a visit says that a page is new, and nothing else. Then it is noted."""
    if compiled is None:
        return False
    is_noted: bool = compiled.first_noted(one, after, ledger.pages, ledger.visits, ledger.copies, ledger.events)
    return is_noted


def saved_at_once(visits: list[Arrival]) -> dict[str, tuple[int, float, int]] | None:
    """By site: how many came back to a page, the seconds that they covered, and the bytes that a 304 left unsent."""
    sums: dict[str, tuple[int, float, int]] | None = compiled.saved_by(visits) if compiled is not None else None
    return sums
