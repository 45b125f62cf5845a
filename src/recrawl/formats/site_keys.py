"""Every key of the site file: its type, its choices, what it means. Parser, writer, schema and reference read this."""

from collections.abc import Callable

from recrawl.formats import duration
from recrawl.model.failure import FormatError
from recrawl.model.nearest import nearest
from recrawl.model.ownership import fault_of
from recrawl.model.site import FieldType, Kind
from recrawl.model.values import dataclass

MOST_AT_ONCE = 1000  # requests, as the command line has it


def _string(value: object) -> object:
    if not isinstance(value, str):
        raise TypeError(f"must be a string, not {value!r}")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError("must be a list of strings")
    return tuple(value)


def _owned(value: object) -> object:
    entries = _strings(value)
    for entry in entries:
        if fault := fault_of(entry):
            raise ValueError(f"holds {entry!r}, which {fault}")
    return entries


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"has the wrong type: {value!r}; write a number")
    if not 0 <= value < float("inf"):
        raise ValueError(f"must be a number that is not negative, not {value!r}")
    return value


def _seconds(value: object) -> object:
    """A number, or as people write durations: "2s", "1m"."""
    return duration.parse(value) if isinstance(value, str) else _number(value)


def _count(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError(f"has the wrong type: {value!r}; write a whole number that is not negative")
    return value


def _at_once(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_AT_ONCE:
        raise ValueError(f"must be a whole number from 1 to {MOST_AT_ONCE}, not {value!r}")
    return value


def _truth(value: object) -> object:
    if not isinstance(value, bool):
        raise TypeError(f"has the wrong type: {value!r}; write true or false")
    return value


def _rows(value: object) -> object:
    return value


def _kind(value: object) -> object:
    return Kind(value) if isinstance(value, str) and value in list(Kind) else _string(value)


def _field_type(value: object) -> object:
    return FieldType(value) if isinstance(value, str) and value in list(FieldType) else _string(value)


SCHEMAS: dict[Callable[[object], object], dict[str, object]] = {
    _string: {"type": "string"},
    _strings: {"type": "array", "items": {"type": "string"}},
    _owned: {"type": "array", "items": {"type": "string"}},
    _number: {"type": "number", "minimum": 0},
    _seconds: {"type": ["number", "string"], "minimum": 0},
    _count: {"type": "integer", "minimum": 0},
    _at_once: {"type": "integer", "minimum": 1, "maximum": MOST_AT_ONCE},
    _truth: {"type": "boolean"},
    _rows: {"type": "array", "items": {"type": "object"}},
    _kind: {"type": "string"},
    _field_type: {"type": "string"},
}


@dataclass(frozen=True, slots=True)
class Key:
    fit: Callable[[object], object]
    meaning: str
    choices: tuple[str, ...] = ()
    needed: bool = False
    example: str = '"…"'

    def near(self, value: str) -> str:
        close = nearest(value, self.choices)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return f"{value!r}; it is one of {', '.join(self.choices)}{hint}"


class Table(dict[str, Key]):
    def unknown(self, key: str, where: str, line: int | None, source: str) -> FormatError:
        near = nearest(key, self, cutoff=0.5)
        place = f" in {where}" if where else ""
        hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(sorted(self))}"
        return FormatError(f"unknown key {key!r}{place}; {hint}", line=line, source=source)


_KINDS = tuple(kind.value for kind in Kind)
_TYPES = tuple(kind.value for kind in FieldType)

SITE = Table(
    name=Key(_string, "What the site is called here; the file's name if not given."),
    title=Key(_string, "What it is called by people (S2's title)."),
    seeds=Key(_strings, "Where to start. A site with patterns may leave them out until it is crawled."),
    own=Key(_owned, "Hosts, host:port or networks that are yours: there private addresses and no gap are allowed."),
    hosts=Key(_strings, "Further hosts that belong to the site: blog.example.com, *.example.com."),
    include=Key(_strings, "Globs (or re:…) of addresses wanted; without patterns only."),
    exclude=Key(_strings, "Globs (or re:…) of addresses never visited, whatever else matches."),
    depth=Key(_count, "How many links away from a seed."),
    gap_s=Key(_seconds, "Seconds between two requests to its servers."),
    parallel=Key(_at_once, "Requests at once, on servers that are yours."),
    importance=Key(_number, "Weight of the site against others when visits are shared out."),
    ignore=Key(_strings, "CSS selectors of parts whose changes do not count."),
    render=Key(_strings, "Globs (or re:…) of pages that are empty without their scripts: a browser runs them."),
    drop_parameters=Key(_strings, "Query parameters that name no page (session ids); !name keeps one."),
    sort_query=Key(_truth, "Whether the order of query parameters does not matter to the server."),
    requests_per_day=Key(_number, "The budget, never exceeded."),
    bytes_per_day=Key(_number, "The budget in bytes received; a page that is larger than any before may exceed it."),
    windows=Key(_strings, "When it may be visited: not monday 9-12, only 22-6 (UTC)."),
    paused=Key(_truth, "Keep everything, ask nothing."),
    archive=Key(_string, "folder: the newest copy of each page as a plain file too.", ("warc", "folder")),
    patterns=Key(_rows, "Addresses of wanted pages. With patterns, nothing else is fetched."),
    rewrites=Key(_rows, "Links that stand for others: javascript: calls, onclick code, redirects."),
    fields=Key(_rows, "What to extract from detail pages."),
    examples=Key(_rows, "Links with what must become of them; `recrawl scope test` checks them."),
)
PATTERN = Table(
    name=Key(_string, "What the pattern is called in tables and examples."),
    kind=Key(_kind, "What its pages are.", _KINDS, True, '"detail"'),
    match=Key(_string, "An address with captures, re: and an expression, or javascript: and a call.", (), True),
    target=Key(_string, "The address to fetch instead, with the captures put in."),
    category=Key(_string, "The category: a template over the captures, or css: and a selector."),
    importance=Key(_number, "Weight of its pages within the site."),
)
PATTERN["class"] = Key(_string, "What the pages are about (S2's class).")
REWRITE = Table(
    match=Key(_string, "A call (javascript:open({id:int})) or an address (/go?u={target:url}).", (), True),
    target=Key(_string, "What it stands for: /item/{id}, or {target} alone.", (), True),
)
FIELD = Table(
    name=Key(_string, "The field's name in records.", (), True, '"price"'),
    css=Key(_string, "CSS selector of its element."),
    xpath=Key(_string, "XPath of its element, instead of css."),
    attribute=Key(_string, "The attribute that holds the value; its text if not given."),
    regex=Key(_string, "The part of the value that counts: the first group, or all that matches."),
    type=Key(_field_type, "What the value is.", _TYPES),
    of=Key(_field_type, "What the entries of a list are.", _TYPES),
    locale=Key(_string, "How numbers and dates are written: de, en, ko …"),
    currency=Key(_string, "The currency where the page names none: EUR."),
    required=Key(_truth, "A page without it is a broken record."),
    pattern=Key(_string, "The pattern whose pages have it; every detail page if not given."),
    fields=Key(_rows, "The fields of each entry of a list: reviews with stars and text."),
)
EXAMPLE = Table(
    link=Key(_string, "An address, or javascript: code.", (), True),
    kind=Key(_string, "What it is, or dropped.", (*_KINDS, "dropped"), True, '"detail"'),
    becomes=Key(_string, "The address it must be rewritten to."),
    category=Key(_string, "The category it must get."),
    pattern=Key(_string, "The pattern that must match."),
)
TABLES = {"patterns": PATTERN, "rewrites": REWRITE, "fields": FIELD, "examples": EXAMPLE}
