"""Which part of a batch goes where, when its rows live in several databases: the decision alone."""

from collections.abc import Callable, Mapping
from dataclasses import field

from recrawl.model.address import server_of
from recrawl.model.batch import Batch
from recrawl.model.event import Event
from recrawl.model.page import Page
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.values import dataclass
from recrawl.model.visit import Version, Visit

HOME = 0


@dataclass(slots=True)
class _Pile:
    pages: list[Page] = field(default_factory=list)
    entered: list[Page] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    versions: list[Version] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    robots: list[RobotsFile] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    lost: list[Version] = field(default_factory=list)


def by_shard(batch: Batch, places: Mapping[int, int], place_of: Callable[[str], int]) -> dict[int, Batch]:
    """The batch of each member that has one. `places`: the members of pages. Events of a page go beside it, and all of
    them home, in order; so do memos and notices."""
    piles: dict[int, _Pile] = {}

    def pile(number: int) -> _Pile:
        return piles.setdefault(number, _Pile())

    for page in batch.pages:
        pile(places[page.id]).pages.append(page)
    for page in batch.entered:
        pile(places[page.id]).entered.append(page)
    for server in batch.servers:
        pile(place_of(server.key)).servers.append(server)
    for file in batch.robots:
        pile(place_of(server_of(file.origin))).robots.append(file)
    for visit in batch.visits:
        pile(places.get(visit.page, HOME)).visits.append(visit)
    for version in batch.versions:
        pile(places.get(version.page, HOME)).versions.append(version)
    for version in batch.lost:
        pile(places.get(version.page, HOME)).lost.append(version)
    for record in batch.records:
        pile(places.get(record.page, HOME)).records.append(record)
    for event in batch.events:
        if event.page is not None and (number := places.get(event.page, HOME)) != HOME:
            pile(number).events.append(event)
    if batch.events or batch.memos or batch.notices:
        pile(HOME).events = list(batch.events)
    return {number: _batch(one, batch, number) for number, one in sorted(piles.items())}


def _batch(pile: _Pile, batch: Batch, number: int) -> Batch:
    return Batch(
        pages=tuple(pile.pages),
        entered=tuple(pile.entered),
        servers=tuple(pile.servers),
        visits=tuple(pile.visits),
        versions=tuple(pile.versions),
        events=tuple(pile.events),
        robots=tuple(pile.robots),
        records=tuple(pile.records),
        confirmed=batch.confirmed & {page.id for page in pile.pages},
        lost=tuple(pile.lost),
        notices=batch.notices if number == HOME else (),
        memos=batch.memos if number == HOME else (),
    )
