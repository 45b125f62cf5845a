"""One server of a world, looked up: which pages it has, what they link to, when they changed."""

import math
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from recrawl.lab import prose
from recrawl.lab.chance import bits, key_of
from recrawl.lab.histories import Fixed, History, Numbered, Shifted, Span, Together, history_of
from recrawl.lab.world_parts import Ending, PageSpec, ServerSpec, Shape, Shelf
from recrawl.model.values import dataclass

_ROTTEN = (Ending.MOVED, Ending.SOFT_404)  # links to pages that ended so stay where they are

MEMO_PAGES = 50_000


class State(StrEnum):
    UNBORN = "unborn"
    ALIVE = "alive"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Anchor:
    href: str
    text: str


@dataclass(frozen=True, slots=True)
class Stock:
    """A shelf over time: items [left, arrived) are on it."""

    shelf: Shelf
    arrivals: Numbered
    departures: History

    def window(self, at: float) -> range:
        return range(self.departures.span(at).count, self.shelf.items + self.arrivals.span(at).count)

    def list_pages(self, at: float) -> int:
        return max(1, math.ceil(len(self.window(at)) / self.shelf.per_page))

    def on_page(self, number: int, at: float) -> list[int]:
        """The items of one list page, newest first."""
        newest_first = self.window(at)[::-1]
        return list(newest_first[number * self.shelf.per_page : (number + 1) * self.shelf.per_page])


class ServerMap:
    """Built once for a server. Everything it answers follows from the seed, the spec and the moment asked about."""

    def __init__(self, seed: int, spec: ServerSpec, start_at: float, neighbours: tuple[Anchor, ...]) -> None:
        self.seed, self.spec, self.start_at, self.neighbours = seed, spec, start_at, neighbours
        self.stocks = {shelf.path: self._stock(shelf) for shelf in spec.shelves}
        self.hubs = tuple(_hubs(spec))
        self._fixed = {page.path: page for page in self._fixed_pages()}
        self._index = {page.path: index for index, page in enumerate(spec.pages)}
        self._births = [self._births_and_ends(self.children(hub)) for hub in self.hubs]
        self._spans: dict[str, Span] = {}
        self.bodies: dict[str, tuple[int, bytes]] = {}  # by path: the version rendered last; filled by `world`

    def key(self, page: PageSpec) -> int:
        return key_of(self.seed, self.spec.name, page.path)

    def heading(self, page: PageSpec) -> str:
        return page.title or prose.title(page.language, self.key(page))

    def find(self, path: str) -> PageSpec | None:
        return self._fixed.get(path) or self._shelved(path)

    def state(self, page: PageSpec, at: float) -> State:
        if page.shape is Shape.LIST:
            there = page.number < self.stocks[_shelf_path(page.path)].list_pages(at)
            return State.ALIVE if there else State.ENDED
        if at < page.born_at:
            return State.UNBORN
        return State.ALIVE if at < page.ended_at else State.ENDED

    def history(self, page: PageSpec) -> History:
        """Changes of the page's content since it was born (or since the world began)."""
        own = history_of(page.temper, self.key(page), max(self.start_at, page.born_at))
        if page.shape is Shape.LIST:
            stock = self.stocks[_shelf_path(page.path)]
            return Together((stock.arrivals, stock.departures))
        if page.shape is Shape.HUB:
            return self._births[page.number]
        if page.shape is Shape.HOME and len(self.hubs) == 1:
            return Together((own, self._births[0]))
        return own

    def span(self, page: PageSpec, at: float) -> Span:
        """The version of the page at a moment and how long it stands; kept, as most questions fall into one span."""
        span = self._spans.get(page.path)
        if span is None or not (span.since_at or -math.inf) <= at < span.until_at:
            if len(self._spans) >= MEMO_PAGES:
                self._spans.clear()
            span = self._spans[page.path] = self.history(page).span(at)
        return span

    def anchors(self, page: PageSpec, at: float) -> list[Anchor]:
        """What the page links to, in order. They differ between two moments only if the page changed between."""
        extra = [Anchor(href, href.strip("/") or "home") for href in page.links]
        if page.shape is Shape.HOME:
            return self._home_anchors(at) + extra
        if page.shape is Shape.HUB:
            return [Anchor("/", "Home"), *self._child_anchors(page, at), *extra]
        if page.shape is Shape.LIST:
            return self._list_anchors(page, at) + extra
        return self._leaf_anchors(page) + extra

    def alive(self, at: float) -> Iterator[PageSpec]:
        """Every page that exists now and may be asked for, each once."""
        for page in self._fixed.values():
            if self.state(page, at) is State.ALIVE and not self.forbids(page.path):
                yield page
        for stock in self.stocks.values():
            if self.forbids(stock.shelf.path):
                continue
            for number in range(1, stock.list_pages(at)):
                yield _list_page(stock.shelf, number)
            for number in stock.window(at):
                yield self._item(stock, number)

    def forbids(self, path: str) -> bool:
        """By the robots file: the longest matching prefix decides, a tie allows."""
        robots = self.spec.robots
        if robots.status != 200:
            return False
        no = max((len(prefix) for prefix in robots.disallow if path.startswith(prefix)), default=-1)
        yes = max((len(prefix) for prefix in robots.allow if path.startswith(prefix)), default=-1)
        return no > yes

    def children(self, hub: PageSpec) -> tuple[PageSpec, ...]:
        size = self.spec.hub_size
        return self.spec.pages[hub.number * size : (hub.number + 1) * size]

    def _fixed_pages(self) -> Iterator[PageSpec]:
        yield replace(self.spec.home, path="/", shape=Shape.HOME, title=self.spec.title or self.spec.name)
        yield from self.spec.pages
        if len(self.hubs) > 1:
            yield from self.hubs
        yield from (_list_page(stock.shelf, 0) for stock in self.stocks.values())
        known = {page.path for page in self.spec.pages}
        yield from (PageSpec(path) for path in self.spec.robots.traps if path not in known)

    def _stock(self, shelf: Shelf) -> Stock:
        key = key_of(self.seed, self.spec.name, shelf.path, "arrivals")
        arrivals = history_of(shelf.arrivals, key, self.start_at)
        if shelf.life_s == math.inf:
            return Stock(shelf, arrivals, Fixed())
        left = Fixed(tuple(self._born_at(shelf, number) + shelf.life_s for number in range(shelf.items)))
        return Stock(shelf, arrivals, Together((left, Shifted(arrivals, shelf.life_s))))

    def _born_at(self, shelf: Shelf, number: int) -> float:
        """Of an item on the shelf at the start: spread over one life before it."""
        if shelf.life_s == math.inf:
            return -math.inf
        return self.start_at - shelf.life_s + math.ceil(shelf.life_s * (number + 1) / (shelf.items + 1))

    def _shelved(self, path: str) -> PageSpec | None:
        stock = self.stocks.get(_shelf_path(path))
        if stock is None:
            return None
        kind, _, digits = path[len(stock.shelf.path) :].replace("?page=", "page-").partition("-")
        if len(digits) > 6 or not (digits.isascii() and digits.isdigit()) or str(int(digits)) != digits:
            return None
        if kind == "page" and int(digits) > 1:
            return _list_page(stock.shelf, int(digits) - 1)
        return self._item(stock, int(digits)) if kind == "item" else None

    def _item(self, stock: Stock, number: int) -> PageSpec:
        shelf = stock.shelf
        key = key_of(self.seed, self.spec.name, shelf.path, "item", number)
        born_at = self._born_at(shelf, number)
        if number >= shelf.items:
            born_at = stock.arrivals.moment(number - shelf.items + 1)
        return PageSpec(
            f"{shelf.path}item-{number}",
            shelf.item_temper,
            Shape.DETAIL,
            _item_title(shelf, number),
            shelf.language,
            shelf.charset,
            shelf.declared,
            shelf.noise,
            shelf.tag,
            shelf.dated,
            born_at,
            born_at + shelf.life_s,
            Ending.GONE if bits(key, 0) % 3 == 0 else Ending.NOT_FOUND,
            number=number,
        )

    def _births_and_ends(self, pages: tuple[PageSpec, ...]) -> Fixed:
        moments = [page.born_at for page in pages]
        moments += [page.ended_at for page in pages if page.ending not in _ROTTEN]
        return Fixed(tuple(sorted(float(at) for at in moments if self.start_at < at < math.inf)))

    def _home_anchors(self, at: float) -> list[Anchor]:
        stock_anchors = [Anchor(path, stock.shelf.title or path.strip("/")) for path, stock in self.stocks.items()]
        hub_anchors = [Anchor(hub.path, hub.title) for hub in self.hubs]
        if len(self.hubs) == 1:
            hub_anchors = self._child_anchors(self.hubs[0], at)
        trap_anchors = [Anchor(path, "Internal") for path in self.spec.robots.traps]
        return [*self.neighbours, *stock_anchors, *hub_anchors, *trap_anchors]

    def _child_anchors(self, hub: PageSpec, at: float) -> list[Anchor]:
        return [Anchor(page.path, self.heading(page)) for page in self.children(hub) if self._listed(page, at)]

    def _listed(self, page: PageSpec, at: float) -> bool:
        return page.born_at <= at and (at < page.ended_at or page.ending in _ROTTEN)

    def _list_anchors(self, page: PageSpec, at: float) -> list[Anchor]:
        path = _shelf_path(page.path)
        stock, number = self.stocks[path], page.number
        anchors = [Anchor("/", "Home")]
        anchors += [Anchor(f"{path}item-{item}", _item_title(stock.shelf, item)) for item in stock.on_page(number, at)]
        if number:
            anchors.append(Anchor(path if number == 1 else f"{path}?page={number}", "Newer"))
        if number + 1 < stock.list_pages(at):
            anchors.append(Anchor(f"{path}?page={number + 2}", "Older"))
        return anchors

    def _leaf_anchors(self, page: PageSpec) -> list[Anchor]:
        anchors = [Anchor("/", "Home")]
        if page.shape is Shape.DETAIL:
            return [*anchors, Anchor(_shelf_path(page.path), "All items")]
        index = self._index.get(page.path)
        if index is None:
            return anchors
        friends = (self.spec.pages[(index + step) % len(self.spec.pages)] for step in (1, 7))
        anchors += [Anchor(friend.path, self.heading(friend)) for friend in friends if friend.lasting]
        if index % 5 == 0:
            anchors += [Anchor(path, "Internal") for path in self.spec.robots.traps[:1]]
        return anchors


def _hubs(spec: ServerSpec) -> Iterator[PageSpec]:
    for number in range(max(1, math.ceil(len(spec.pages) / spec.hub_size))):
        yield PageSpec(f"/part-{number + 1}/", shape=Shape.HUB, title=f"Part {number + 1}", number=number)


def _list_page(shelf: Shelf, number: int) -> PageSpec:
    path = f"{shelf.path}?page={number + 1}" if number else shelf.path
    return PageSpec(
        path, shape=Shape.LIST, title=shelf.title, language=shelf.language, charset=shelf.charset,
        declared=shelf.declared, noise=shelf.noise, tag=shelf.tag, dated=shelf.dated, number=number,
    )  # fmt: skip


def _item_title(shelf: Shelf, number: int) -> str:
    return f"{shelf.title or shelf.path.strip('/')} no. {number}"


def _shelf_path(path: str) -> str:
    return path[: path.rfind("/") + 1]
