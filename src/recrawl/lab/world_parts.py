"""The parts a world is made of: servers, pages, shelves of items, and how each of them behaves."""

import math
from enum import StrEnum

from recrawl.lab.tempers import DAY_S, STILL, Poisson, Temper
from recrawl.model.values import dataclass

NOW_AND_THEN = Poisson(5 * DAY_S)


class Shape(StrEnum):
    """What a page looks like, and so what a change does to it."""

    HOME = "home"  # links to everything its server has; the way in
    HUB = "hub"  # links to a stretch of the server's pages; changes when one of them appears or goes
    ARTICLE = "article"  # each change rewrites one paragraph
    GROWING = "growing"  # each change adds an entry on top
    LIST = "list"  # one page of a shelf, newest item first
    DETAIL = "detail"  # an item: price and reviews


class Noise(StrEnum):
    """What differs at every visit without the content changing."""

    CLOCK = "clock"
    TOKEN = "token"
    COUNTER = "counter"
    ADVERT = "advert"


class Tag(StrEnum):
    """What kind of ETag a page carries."""

    NONE = "none"
    STRONG = "strong"
    WEAK = "weak"
    FROZEN = "frozen"  # lies: stays the same when the page changes
    RESTLESS = "restless"  # lies: differs at every answer


class Dated(StrEnum):
    """What kind of Last-Modified a page carries."""

    NONE = "none"
    HONEST = "honest"
    FROZEN = "frozen"  # lies: stays the same when the page changes
    RESTLESS = "restless"  # lies: always now


class Declared(StrEnum):
    """Where a page says which charset it is in."""

    HEADER = "header"
    META = "meta"
    HTTP_EQUIV = "http_equiv"
    BOM = "bom"
    NOWHERE = "nowhere"


class Ending(StrEnum):
    """What a page that has ended answers with."""

    NOT_FOUND = "not_found"
    GONE = "gone"
    MOVED = "moved"
    SOFT_404 = "soft_404"


@dataclass(frozen=True, slots=True)
class PageSpec:
    """`born_at` and `ended_at` bound its life; `moved_to` (a path of the same server) tells where a move leads.
    `number` is the place among its kind: which hub, which page of a list, which item of a shelf."""

    path: str
    temper: Temper = STILL
    shape: Shape = Shape.ARTICLE
    title: str = ""
    language: str = "en"
    charset: str = "utf-8"
    declared: Declared = Declared.HEADER
    noise: tuple[Noise, ...] = ()
    tag: Tag = Tag.STRONG
    dated: Dated = Dated.HONEST
    born_at: float = -math.inf
    ended_at: float = math.inf
    ending: Ending = Ending.NOT_FOUND
    moved_to: str = ""
    links: tuple[str, ...] = ()  # further links, as they stand in the page
    paragraphs: int = 6
    number: int = 0

    @property
    def lasting(self) -> bool:
        return self.born_at == -math.inf and self.ended_at == math.inf


@dataclass(frozen=True, slots=True)
class Shelf:
    """A list page with pagination and the items on it. Items arrive by a temper and stay for `life_s`."""

    path: str  # "/shop/": the list; its items are "/shop/item-12"
    title: str = ""
    items: int = 30  # on the shelf at the start
    arrivals: Temper = STILL
    life_s: float = math.inf
    per_page: int = 20
    item_temper: Temper = NOW_AND_THEN
    language: str = "en"
    charset: str = "utf-8"
    declared: Declared = Declared.HEADER
    noise: tuple[Noise, ...] = ()
    tag: Tag = Tag.STRONG
    dated: Dated = Dated.NONE


@dataclass(frozen=True, slots=True)
class Robots:
    """`traps` are linked to and disallowed: whoever asks for one did not read the file.
    `status` other than 200: the file is not there."""

    disallow: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    crawl_delay_s: float | None = None
    sitemap: bool = True
    traps: tuple[str, ...] = ()
    status: int = 200


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """`name` is its identity (chance is drawn from it), `authority` where it can be asked.
    `alias_of`: another name of that server, by the same content or, with `alias_redirects`, by redirects."""

    name: str
    authority: str = ""
    title: str = ""
    pages: tuple[PageSpec, ...] = ()
    shelves: tuple[Shelf, ...] = ()
    home: PageSpec = PageSpec("/", shape=Shape.HOME)
    robots: Robots = Robots()
    delay_s: float = 0.02
    coding: str = ""  # gzip, deflate, br or zstd where the client accepts it
    hub_size: int = 40
    soft_404: bool = False  # answers every unknown path with a polite 200
    alias_of: str = ""
    alias_redirects: bool = False
    neighbours: tuple[str, ...] = ()  # names of servers its home page links to

    @property
    def origin(self) -> str:
        return f"http://{self.authority or self.name + '.test'}"
