"""What one group commit writes, and what it answers."""

from recrawl.model.event import Event
from recrawl.model.notice import Notice
from recrawl.model.page import Page, Status
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.values import dataclass
from recrawl.model.visit import Version, Visit


@dataclass(frozen=True, slots=True)
class Batch:
    """One transaction. `pages` overwrite what is stored; those that are `confirmed` differ from what was read there by
    no more than what a visit changes that finds all as it was: rank, due time, interval, belief, visits, conditional
    ones in a row, when it was checked. `entered` are addresses from the sieve: the store takes those it does not know
    and ignores the rest (so a batch can be written twice without harm)."""

    pages: tuple[Page, ...] = ()
    entered: tuple[Page, ...] = ()
    servers: tuple[Server, ...] = ()
    visits: tuple[Visit, ...] = ()
    versions: tuple[Version, ...] = ()
    events: tuple[Event, ...] = ()
    robots: tuple[RobotsFile, ...] = ()
    notices: tuple[Notice, ...] = ()
    memos: tuple[tuple[str, bytes], ...] = ()
    records: tuple[Record, ...] = ()  # all of a version take the place of those it had
    confirmed: frozenset[int] = frozenset()
    lost: tuple[Version, ...] = ()  # their records are no more: forgotten, with what was read from them


@dataclass(frozen=True, slots=True)
class Saved:
    """`entered`: ids that were new. `cursors`: one for each event, in order. `posted`: ids that were new and are going
    to be entered by whoever owns them."""

    entered: frozenset[int] = frozenset()
    cursors: tuple[int, ...] = ()
    posted: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over a site or over all. `requests` counts robots.txt and other helpers too, `visits` pages only."""

    pages: int = 0
    visited: int = 0
    visits: int = 0
    requests: int = 0
    changed: int = 0
    not_modified: int = 0
    failed: int = 0
    versions: int = 0
    bytes: int = 0
    due: int = 0
    gone: int = 0
    moved: int = 0
    refused: int = 0
    live: int = 0  # a copy is kept


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Pages that stand where they stand for the same reason, with one of them as an example."""

    status: Status
    reason: str
    pages: int
    example: str


@dataclass(frozen=True, slots=True)
class IntervalBand:
    """S1's figure: how many scheduled pages have a revisit interval in [from_s, to_s)."""

    from_s: float
    to_s: float
    pages: int
