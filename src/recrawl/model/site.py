"""What a user wants: one site, as written in its site file."""

from dataclasses import field
from enum import StrEnum

from recrawl.model.values import dataclass


class Kind(StrEnum):
    """S2's page kinds. `SIGNAL` pages (sitemap, feed) speak about other pages."""

    GENERAL = "general"
    LIST = "list"
    DETAIL = "detail"
    SIGNAL = "signal"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Addresses of one kind of page (S2.2). `match` is an address with captures (`/item/{id:int}/{slug}`), a regular
    expression after `re:`, or a call after `javascript:`; `target` is the address to fetch instead, '' the same.
    `category` is a template over the captures (`{category}`) or `css:` and a selector; '' see `scope/order.py`."""

    kind: Kind
    match: str
    name: str = ""
    target: str = ""
    item_class: str = ""  # S2's `class`: what the pages are about
    category: str = ""
    importance: float = 1.0


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A link that stands for another one: a `javascript:` call, `onclick` code, a redirect such as `/go?u=…`."""

    match: str
    target: str


@dataclass(frozen=True, slots=True)
class Example:
    """A link with what the site file must make of it: `kind` is a page kind or "dropped"."""

    link: str
    kind: str
    becomes: str = ""
    category: str | None = None
    pattern: str = ""


class FieldType(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    PRICE = "price"
    URL = "url"
    LIST = "list"  # of `of`, or of nested records where there are `fields`


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record. `css` or `xpath` finds the element, `attribute` (default: its text) the value,
    `regex` the part of it that counts: its first group, or all it matches."""

    name: str
    css: str = ""
    xpath: str = ""
    attribute: str = ""
    regex: str = ""
    type: FieldType = FieldType.TEXT
    of: FieldType = FieldType.TEXT
    locale: str = ""  # "de": 1.234,50; '' is told by the text itself
    currency: str = ""  # where the text names none
    required: bool = False
    pattern: str = ""  # name of the pattern whose pages have it; '' every detail page
    fields: "tuple[Field, ...]" = ()


@dataclass(frozen=True, slots=True)
class Site:
    """A wish. `own` lists authorities, hosts or networks that belong to the user: there alone private
    addresses are allowed, the gap is 0 unless set, and `parallel` may be raised."""

    name: str
    seeds: tuple[str, ...]
    own: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    gap_s: float | None = None
    parallel: int = 1
    importance: float = 1.0
    ignore: tuple[str, ...] = ()
    render: tuple[str, ...] = ()
    drop_parameters: tuple[str, ...] = ()
    sort_query: bool = False
    requests_per_day: float | None = None
    bytes_per_day: float | None = None
    windows: tuple[str, ...] = ()  # "not monday 9-12", "only 22-6"
    paused: bool = False
    title: str = ""
    archive: str = "warc"  # "folder": the newest copy as a plain file with S2's XML record beside it, too
    patterns: tuple[Pattern, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    fields: tuple[Field, ...] = ()
    examples: tuple[Example, ...] = ()
    extra: dict[str, object] = field(default_factory=dict)
