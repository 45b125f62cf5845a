"""What people type into a search box, read as a question.

    harbour fog          both words            "old bridge"        one after the other
    ferry OR boat        either                harb*               what begins so
    -storm               without               title:bridge        in one part: title, headings, emphasis, anchors, …
    site: kind: category: lang: url:           what the document is; with a minus, what it is not
    since:2h before:2026-11-01                 when it changed

Nothing anybody types is wrong, but a filter with a value that cannot be: that is an error with its column.
"""

import re
from collections.abc import Callable
from dataclasses import field

from recrawl.formats import moment
from recrawl.index.words import asked, is_paired
from recrawl.model.failure import FormatError
from recrawl.model.search import Filter, Part, Question, Sieve, Term
from recrawl.model.site import Kind
from recrawl.model.values import dataclass

LONGEST = 2000  # characters of a question that count
MOST_TERMS = 32

_ITEM = re.compile(
    r"""(?P<minus>(?<!\S)[-\u2212](?=\S))?
        (?:(?P<name>[A-Za-z_]+):(?=\S))?
        (?:"(?P<quoted>[^"]*)(?:"|$)(?P<star>\*)?|(?P<plain>[^\s"]+))""",
    re.VERBOSE,
)
_NAMES = {
    "in": "text",
    "language": "lang",
    "after": "since",
    "changed": "since",
    "until": "before",
    "heading": "headings",
}
_PARTS = {part.value: part for part in Part}
_FILTERS = {one.value: one for one in Filter}


@dataclass(slots=True)
class _Reading:
    now: float
    groups: list[tuple[Term, ...]] = field(default_factory=list)
    without: list[Term] = field(default_factory=list)
    sieves: list[Sieve] = field(default_factory=list)
    since_at: float | None = None
    before_at: float | None = None
    joins: bool = False  # the word before was OR
    silent: bool = False  # something was typed that holds no word


def parse(text: str, now: float) -> Question:
    """`now` gives `since:2h` its meaning."""
    reading = _Reading(now)
    for item in _ITEM.finditer(text[:LONGEST].replace("\x00", " ")):
        _take(reading, item)
    groups = tuple(reading.groups[:MOST_TERMS])
    if reading.silent and not groups:
        groups = ((),)  # only signs were asked for: found nowhere, rather than everywhere
    return Question(
        groups,
        tuple(reading.without[:MOST_TERMS]),
        tuple(reading.sieves[:MOST_TERMS]),
        reading.since_at,
        reading.before_at,
    )


def _take(reading: _Reading, item: re.Match[str]) -> None:
    name, minus = (item["name"] or "").lower(), bool(item["minus"])
    name = _NAMES.get(name, name)
    value = item["quoted"] if item["quoted"] is not None else item["plain"]
    if not name and item["plain"] in ("OR", "AND") and not minus:
        reading.joins = item["plain"] == "OR"
        return
    if name in _SETTERS:
        _SETTERS[name](reading, value, item.start())
    elif name in _FILTERS:
        reading.sieves.append(_sieve(_FILTERS[name], value, minus, item.start()))
    elif name in _PARTS:
        _words(reading, value, bool(item["star"]), minus, _PARTS[name])
    else:
        spelled = f"{item['name']}:{value}" if item["name"] else value
        _words(reading, spelled, bool(item["star"]), minus, None)
    reading.joins = False


def _words(reading: _Reading, text: str, star: bool, minus: bool, part: Part | None) -> None:
    found, is_open = asked(text)
    if not found:
        reading.silent = True
        return
    starred = (star or text.endswith("*")) and not is_paired(found[-1])
    term = Term(found, is_open or starred, part)
    if minus:
        reading.without.append(term)
    elif reading.joins and reading.groups:
        reading.groups[-1] = (*reading.groups[-1], term)
    else:
        reading.groups.append((term,))


def _sieve(one: Filter, value: str, minus: bool, start: int) -> Sieve:
    if one is Filter.KIND and value not in list(Kind):
        raise FormatError(f"kind:{value} is no kind of page; there are {', '.join(Kind)}", 1, start + 1)
    return Sieve(one, value.lower() if one is Filter.LANGUAGE else value, minus)


def _since(reading: _Reading, value: str, start: int) -> None:
    at = _moment(value, reading.now, start)
    reading.since_at = at if reading.since_at is None else max(reading.since_at, at)


def _before(reading: _Reading, value: str, start: int) -> None:
    at = _moment(value, reading.now, start)
    reading.before_at = at if reading.before_at is None else min(reading.before_at, at)


_SETTERS: dict[str, Callable[[_Reading, str, int], None]] = {"since": _since, "before": _before}


def _moment(value: str, now: float, start: int) -> float:
    try:
        return moment.parse(value, now)
    except FormatError as error:
        raise FormatError(error.message, 1, start + 1) from None
    except OverflowError:
        raise FormatError(f"{value} is too long ago", 1, start + 1) from None
