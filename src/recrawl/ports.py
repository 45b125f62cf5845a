"""Every extension point of recrawl, with its laws, on one page.

A port is a Protocol. Each has one contract suite in `tests/contract` that runs over every implementation,
and an in-memory twin that ships. Stores and archives are plain (not async): the engine calls them in whole
batches from one writer thread, the command line calls them directly, and there is no second colour.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from math import inf
from typing import Any, Protocol, Self, runtime_checkable

from recrawl.model.batch import Batch, ErrorGroup, IntervalBand, Saved, Totals
from recrawl.model.belief import Context, Floats, Ints, Sightings, States
from recrawl.model.capture import Capture, Laid, Payload, Place
from recrawl.model.event import Event, EventKind
from recrawl.model.notice import Notice
from recrawl.model.page import Page
from recrawl.model.record import Record
from recrawl.model.search import Extent, Found, Question, Shelf, Step
from recrawl.model.server import RobotsFile, Server
from recrawl.model.visit import Ask, Reply, Version, Visit

EVERY = 2**31 - 1  # as many as there are


class Clock(Protocol):
    """The only source of time. `now` is epoch seconds; a clock may be virtual."""

    def now(self) -> float: ...

    def loop_s(self, seconds: float) -> float:
        """How long that is on the event loop, for timeouts: a fast clock's hour may be a loop's second."""
        ...

    async def sleep(self, seconds: float) -> None: ...


@runtime_checkable
class Fetcher(Protocol):
    """Makes one request.

    Laws: never raises for what a server does, that is a Reply with a failure; never follows a redirect; sends
    no cookie and no credential; connects only to addresses the guard allows, checked at the socket; returns
    within the limits of the ask; what it returns under `body` is whole and decoded, or there is a failure.
    """

    async def fetch(self, ask: Ask) -> Reply: ...

    async def close(self) -> None: ...


@runtime_checkable
class PromptFetcher(Fetcher, Protocol):
    """Begins many requests and hears many answers in one go, without a coroutine for each.

    Laws: those of `fetch` hold for what is begun here; `ended` is called on the loop, never from within `begin`; what
    was begun is heard until there is an answer, or left.
    """

    def ready(self, ask: Ask) -> Any | None:
        """What can be begun at once; None where something must be waited for first, or nothing may be asked."""
        ...

    def begin(self, trip: Any, ended: Callable[[], None]) -> None:
        """Send it. `ended` is called when there is something to hear."""
        ...

    def listen(self) -> None:
        """Whatever has come by now is told at once, not in the next turn of the loop."""
        ...

    def hear(self, trip: Any) -> Reply | None:
        """The answer; None: it goes on, and `ended` is called once more."""
        ...

    def leave(self, trip: Any) -> None:
        """Nobody waits for the answer any more."""
        ...


@runtime_checkable
class Store(Protocol):
    """The one meeting place.

    Laws: `save` is one transaction, and idempotent but for the events that speak of no page; an id enters once;
    cursors rise in commit order and never change; `due` answers by rank, then due time; a server's stored
    `next_due_at` never exceeds the earliest due time of its pages: entering or saving a page lowers it, only
    `settle_server` raises it (saving a Server leaves it alone); its partition follows from its key.
    """

    partitions: int

    def close(self) -> None: ...

    def save(self, batch: Batch) -> Saved: ...

    def at_hand(self, *, to_read: bool = False) -> bool:
        """Whether a `save`, or a look, would wait for nobody now: for no network, and for no other writer."""
        ...

    # reading for the engine
    def pages(self, ids: Sequence[int]) -> list[Page]: ...

    def known(self, ids: Sequence[int]) -> set[int]: ...

    def due(self, server: str, before_at: float, limit: int, skip: Collection[int] = ()) -> list[Page]: ...

    def servers_due(self, partitions: Collection[int], before_at: float, limit: int) -> list[Server]: ...

    def settle_server(self, server: str) -> float | None:
        """Set the server's `next_due_at` to the true earliest due time of its pages and return it."""
        ...

    def server(self, key: str) -> Server | None: ...

    def servers(self) -> list[Server]: ...

    def robots(self, origin: str) -> RobotsFile | None: ...

    def memo(self, key: str) -> bytes | None:
        """A learnt thing under a name: a template's noise, a site's rhythm, a prior."""
        ...

    def memos(self, keys: Collection[str]) -> dict[str, bytes]:
        """Those of them that there are, in the order asked for."""
        ...

    def make_due(self, at: float, site: str = "", ids: Sequence[int] = (), rank: int | None = None) -> int:
        """Make every page that is visited at all (of a site; or the given ones) due at `at`, those due before as they
        are; how many. `rank`: what they go by until visited, where their own is less urgent."""
        ...

    # reading for people
    def scan(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[Page]:
        """Pages in order of id, for walking through all of them."""
        ...

    def visits(self, page: int, limit: int = 100) -> list[Visit]:
        """Newest first."""
        ...

    def versions(self, page: int, limit: int = EVERY, until_at: float = inf) -> list[Version]:
        """Of those seen until a moment so many, newest first."""
        ...

    def newest_versions(self, pages: Sequence[int]) -> list[Version]:
        """The newest of each of these pages that has any, in no order."""
        ...

    def versions_in(self, warc_file: str, from_offset: int = 0) -> list[Version]:
        """Those whose record lies in a file of the archive, from an offset on, in no order. A walk through all."""
        ...

    def records(self, pages: Sequence[int]) -> list[Record]:
        """All records of these pages, page by page as asked, oldest version first."""
        ...

    def newest_records(self, pages: Sequence[int]) -> list[Record]:
        """What was read from the newest version of each of these pages that anything was read from."""
        ...

    def record_pages(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[int]:
        """Pages that have records, in order of id, for walking through all of them."""
        ...

    def broken_records(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[Record]:
        """Of pages of whose newest version nothing could be read, in order of page: what was missing."""
        ...

    def events(
        self, after: int = 0, kinds: Collection[EventKind] = (), limit: int = 1000, since_at: float = 0.0
    ) -> list[Event]: ...

    def notices(self, page: int | None = None, limit: int = 100) -> list[Notice]: ...

    def totals(self, site: str = "", now: float = 0.0) -> Totals: ...

    def sites(self) -> list[str]:
        """Names of the sites that have pages."""
        ...

    def next_due(self, limit: int = 20, site: str = "") -> list[Page]:
        """The pages that come next, by due time alone."""
        ...

    def error_groups(self, site: str = "", limit: int = 100) -> list[ErrorGroup]:
        """Pages with a stored reason, counted by status and reason, most frequent first."""
        ...

    def interval_histogram(self, site: str = "") -> list[IntervalBand]:
        """Scheduled pages by revisit interval, in bands of a factor of two, shortest first; empty bands left out."""
        ...

    def compact(self, before_at: float) -> int:
        """Forget visits before a moment that proved no change; how many. Totals and beliefs keep them."""
        ...


@runtime_checkable
class Archive(Protocol):
    """Keeps every version.

    Laws: `append` returns only after the records can survive a kill (and, with `sync`, a power loss); a place it
    returned reads back byte for byte; opening mends a torn tail and says what it cut; a repeated capture is harmless.
    """

    def append(self, captures: Sequence[Capture]) -> list[Place]: ...

    def lay(self, captures: Sequence[Capture]) -> Laid:
        """The first half of `append`: everything is decided and made, nothing is written. What was laid is kept before
        anything else is laid."""
        ...

    def needs_body(self, reply: Reply) -> bool:
        """Whether a capture of it needs the decoded body; if not, that may be let go before (`Reply.let_go_bytes`)."""
        ...

    def read(self, place: Place, body_bytes: int = 0) -> Payload:
        """Its body has the digest it was kept with; where it is as long as it is known to be (`body_bytes`), that is
        taken for granted."""
        ...

    def walk(self) -> Iterator[tuple[Place, Payload]]: ...

    def close(self) -> None: ...


@runtime_checkable
class Policy(Protocol):
    """Turns what was seen into the next gap; vectorised: entry i of every array speaks of the same page.

    Laws: pure: equal arguments, equal answers; `observe` is a fold: the order of batches does not matter and the
    state does not grow; a first or failed visit changes no belief; gaps are finite, positive and never
    beyond the ceiling. `luck` holds numbers in [0, 1), drawn by the caller. The caller keeps the gap it was given
    in the state's `gap_s`: some policies (S1, Nutch, multiplicative) stretch the gap chosen last.
    """

    @property
    def name(self) -> str: ...

    def observe(self, states: States, seen: Sightings) -> States: ...

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats: ...


@runtime_checkable
class PricedPolicy(Policy, Protocol):
    """A policy that holds a budget by a price: what a visit must be worth before it is made.

    Laws: a value, every verb returns a new policy and leaves the old one as it was; a price that rises never shortens a
    gap; `memory` read back by `remembering` is the same policy.
    """

    @property
    def price(self) -> float: ...

    def priced(self, fill: float, hours: float) -> Self:
        """Move the price: `fill` is how full the budget's bucket is, 0..1, `hours` the time since the last move."""
        ...

    def memory(self) -> bytes: ...

    def remembering(self, memory: bytes) -> Self: ...


@runtime_checkable
class LearningPolicy(Policy, Protocol):
    """A policy that also learns about groups of pages, sites and sources, and holds a budget by a price.

    How it is fed, batch by batch: `policy = policy.with_groups(names)`; `context = policy.context(names,
    server_price, notices)`; `after = policy.observe(before, seen, context)`; `policy = policy.learned(before, seen,
    context)`; `policy = policy.at(now).priced(fill, hours)`; then `next_gap_s`. Laws: a value, every verb returns a
    new policy and leaves the old one as it was; without a context every page belongs to one nameless group; `learned`
    costs a few microseconds a visit and never looks at other pages; `memory` read back by `remembering` is the same
    policy; a price that rises never shortens the wait for a page's value, nor does a server's own price.
    """

    def observe(self, states: States, seen: Sightings, context: Context | None = None) -> States: ...

    def next_gap_s(
        self, states: States, importance: Floats, now: float, luck: Floats, context: Context | None = None
    ) -> Floats: ...

    def with_groups(self, names: Sequence[str]) -> "LearningPolicy":
        """Room for groups not met before; a name is `site|pattern`."""
        ...

    def context(self, names: Sequence[str], server_price: Floats, notices: Ints) -> Context: ...

    def learned(self, before: States, seen: Sightings, context: Context) -> "LearningPolicy": ...

    def at(self, now: float) -> "LearningPolicy":
        """Housekeeping whose hour has come: laws, rhythm and activity are refitted."""
        ...

    def priced(self, fill: float, hours: float) -> "LearningPolicy":
        """Move the price: `fill` is how full the budget's bucket is, 0..1, `hours` the time since the last move."""
        ...

    def memory(self) -> bytes: ...

    def remembering(self, memory: bytes) -> "LearningPolicy": ...


@runtime_checkable
class SearchIndex(Protocol):
    """Makes what is kept findable. It can be thrown away and made again from the store's events and the archive.

    Laws: `apply` is one transaction and is refused (False) unless the index stands at the step's `after`: each event
    counts once, whoever feeds it; a page put again replaces its entry (an index of all versions keeps one an `at`);
    what is removed is not found; `find` answers best first, of equals the one put last; its pages never overlap.
    """

    def close(self) -> None: ...

    def cursor(self) -> int: ...

    def apply(self, step: Step) -> bool: ...

    def find(self, question: Question, limit: int = 20, offset: int = 0) -> Found: ...

    def shelves(self) -> list[Shelf]:
        """Documents by site and category."""
        ...

    def extent(self) -> Extent: ...
