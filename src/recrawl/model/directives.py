"""What a page says about itself to robots: `X-Robots-Tag` headers and `<meta name=robots>`.

Out comes a set of lower-case directives that hold for our agent: `noindex`, `nofollow`, `noarchive`, `max-snippet:-1`,
`unavailable_after:25 jun 2010 15:00:00 gmt`. `none` is spelt out, permissions (`all`, `index`) are left out,
and where a page contradicts itself the stricter word holds, simply by being in the set.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from recrawl.model.late import late
from recrawl.model.mail_date import read_mail_date

AGENT = "recrawl"  # the product token
WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
PERMISSIONS = frozenset(("all", "index", "follow", "archive", "snippet"))
MEANS = {"none": ("noindex", "nofollow"), "nocache": ("noarchive",)}
UNKEPT = frozenset(("noarchive", "nosnippet"))
EVERY_ROBOT = ("*", "robots", "")

_WEEKDAY = late(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?", re.IGNORECASE)


def from_headers(values: Iterable[str], agent: str = AGENT) -> frozenset[str]:
    """Of all X-Robots-Tag header lines of an answer. `otherbot: noindex, nofollow` speaks to otherbot only."""
    return frozenset(word for value in values for name, word in _scoped(value) if _is_for(name, agent))


def from_meta(tags: Iterable[tuple[str, str]], agent: str = AGENT) -> frozenset[str]:
    """Of the (name, content) of a document's meta elements; those of other names are passed over."""
    contents = [content for name, content in tags if name.strip().lower() in ("robots", agent.lower())]
    return frozenset(word for content in contents for word in _words(_pieces(content)))


def may_follow(directives: frozenset[str]) -> bool:
    return "nofollow" not in directives


def may_index(directives: frozenset[str], now: float) -> bool:
    return "noindex" not in directives and not is_expired(directives, now)


def may_keep(directives: frozenset[str], now: float) -> bool:
    """May a copy be kept?"""
    return not directives or (UNKEPT.isdisjoint(directives) and not is_expired(directives, now))


def is_expired(directives: frozenset[str], now: float) -> bool:
    """Whether `unavailable_after` has passed. A date nobody can read says nothing."""
    dates = [word.partition(":")[2] for word in directives if word.startswith("unavailable_after:")]
    moments = [moment for moment in map(_moment, dates) if moment is not None]
    return bool(moments) and min(moments) < now


def _is_for(name: str, agent: str) -> bool:
    return name in EVERY_ROBOT or name == agent.lower()


def _scoped(value: str) -> Iterator[tuple[str, str]]:
    """(agent name, directive): a name holds until the next one, also where a proxy has joined header lines."""
    name = ""
    for piece in _pieces(value):
        head, colon, rest = piece.partition(":")
        if colon and head.strip().lower() not in WITH_VALUE:
            name, piece = head.strip().lower(), rest
        for word in _words([piece]):
            yield name, word


def _pieces(content: str) -> list[str]:
    """Parts between commas, but for the comma after the weekday of a date."""
    pieces: list[str] = []
    for part in content.split(","):
        if pieces and _ends_in_weekday(pieces[-1]):
            pieces[-1] += f",{part}"
        else:
            pieces.append(part)
    return pieces


def _ends_in_weekday(piece: str) -> bool:
    head, colon, day = piece.rpartition(":")
    return bool(colon) and head.strip().lower().endswith("unavailable_after") and bool(_WEEKDAY.fullmatch(day.strip()))


def _words(pieces: Iterable[str]) -> Iterator[str]:
    for piece in pieces:
        name, colon, value = (part.strip().lower() for part in piece.partition(":"))
        if colon and name in WITH_VALUE:
            yield f"{name}:{value}"
        else:  # some write spaces where commas belong
            said = [word for one in name.split() for word in MEANS.get(one, (one,))]
            yield from (word for word in said if word not in PERMISSIONS)


def _moment(text: str) -> float | None:
    for read in (datetime.fromisoformat, read_mail_date):
        try:
            moment = read(text.strip().upper())
        except (ValueError, TypeError, IndexError):
            continue
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    return None
