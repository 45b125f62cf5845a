"""The bytes of a robots.txt to its lines, and the lines to groups (RFC 9309 section 2.1, read generously).

Read as octets, one character each, so that no encoding error can lose a rule. Mistakes that webmasters make often
and mean clearly are understood: a missing colon, `useragent`, `dissallow` and their like.
"""

import re
from collections.abc import Iterator
from dataclasses import field
from enum import Enum

from recrawl.model.late import late
from recrawl.model.values import dataclass

MAX_BYTES = 500 * 1024  # RFC 9309 2.5: at least 500 kibibytes must be read
MAX_LINE_BYTES = 8 * 2083 - 1  # what the reference parser reads of a line
EVERYBODY = "*"

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_WHITE = " \t\n\v\f\r"
_LINE_END = late("\r\n|\r|\n")
_SPACE = late(r"[ \t]")
_WITHOUT_COLON = late(r"([^ \t]+)[ \t]+([^ \t]+)")
_PRODUCT = late(r"[A-Za-z_-]*")
_WORD = late(r"[^ \t/]*")


class Field(Enum):
    AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    SITEMAP = "sitemap"
    DELAY = "crawl-delay"


SPELLINGS = (
    (Field.AGENT, ("user-agent", "useragent", "user agent")),
    (Field.ALLOW, ("allow",)),
    (Field.DISALLOW, ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")),
    (Field.SITEMAP, ("sitemap", "site-map")),
    (Field.DELAY, ("crawl-delay", "crawldelay", "crawl delay")),
)


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    field: Field
    value: str  # octets as characters
    text: str  # the line as a person would see it


@dataclass(frozen=True, slots=True)
class Rule:
    """One Allow or Disallow line. `pattern` is octets as characters, as written."""

    allow: bool
    pattern: str
    line: Line

    @property
    def path(self) -> str:
        return _readable(self.pattern)


@dataclass(slots=True)
class Said:
    """What is said to the agents named together: held once, however many they are."""

    rules: list[Rule] = field(default_factory=list)
    delays_s: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """All that is said to one agent, however often it is named. `heard`: what was said, and how many delays were said
    before this agent was named."""

    heard: list[tuple[Said, int]] = field(default_factory=list)

    @property
    def rules(self) -> list[Rule]:
        return [rule for said, _ in self.heard for rule in said.rules]

    @property
    def delays_s(self) -> list[float]:
        return [delay_s for said, before in self.heard for delay_s in said.delays_s[before:]]

    def hear(self, said: Said) -> None:
        if not self.heard or self.heard[-1][0] is not said:
            self.heard.append((said, len(said.delays_s)))


@dataclass(slots=True)
class Parsed:
    """Groups by lower-case agent name."""

    groups: dict[str, Group] = field(default_factory=dict)
    sitemaps: list[str] = field(default_factory=list)
    lines: int = 0  # that said something


def parse(body: bytes) -> Parsed:
    parsed = Parsed()
    said = Said()  # what is said before any agent is named is said to nobody
    ruled = False  # a rule has come, so that the next agent line begins another group
    for line in read_lines(body):
        parsed.lines += 1
        if line.field is Field.AGENT:
            if ruled:
                said, ruled = Said(), False
            for name in agent_names(line.value):
                parsed.groups.setdefault(name, Group()).hear(said)
        elif line.field is Field.SITEMAP:
            parsed.sitemaps.append(_readable(line.value))
        elif line.field is Field.DELAY:
            _add_delay(said, line.value)
        else:
            ruled = True
            if line.value:  # an empty rule says nothing
                said.rules.append(Rule(line.field is Field.ALLOW, line.value, line))
    return parsed


def read_lines(body: bytes) -> Iterator[Line]:
    """The lines that say something this crawler understands; numbers count all lines, from 1."""
    for number, raw in enumerate(_LINE_END.split(_text(body)), 1):
        key, value = _key_and_value(raw[:MAX_LINE_BYTES])
        if found := _field(key):
            yield Line(number, found, value, _readable(raw.strip(_WHITE)))


def agent_names(value: str) -> set[str]:
    """The names a User-agent line stands for: the product token, also if it (wrongly) has digits or a version."""
    if value.startswith("*") and (len(value) == 1 or value[1] in _WHITE):
        return {EVERYBODY}
    names = {_match(_PRODUCT, value), _readable(_match(_WORD, value))}
    return {name.lower() for name in names}


def _readable(octets: str) -> str:
    return octets.encode("latin-1").decode("utf-8", "replace")


def _match(pattern: re.Pattern[str], value: str) -> str:
    found = pattern.match(value)
    return found[0] if found else ""


def _text(body: bytes) -> str:
    whole = len(body) <= MAX_BYTES
    body = body[:MAX_BYTES]
    if not whole:  # a rule cut in the middle would say something else
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    if encoding := _UTF16_MARKS.get(body[:2]):
        body = body[2:].decode(encoding, "replace").encode()
    return body[_mark_length(body) :].decode("latin-1")


def _mark_length(body: bytes) -> int:
    """Even a part of the byte order mark is skipped, as the reference parser does."""
    return next(length for length in (3, 2, 1, 0) if body[:length] == _BYTE_ORDER_MARK[:length])


def _key_and_value(raw: str) -> tuple[str, str]:
    said = raw.partition("#")[0].strip(_WHITE)
    key, colon, value = said.partition(":")
    if not colon or value.startswith("//"):  # no colon, or none but that of a sitemap's address
        found = _WITHOUT_COLON.fullmatch(said)
        if found and not _field(said):
            key, value = found[1], found[2]
    return key.strip(_WHITE), value.strip(_WHITE)


def _field(key: str) -> Field | None:
    """By the beginning of its name (`disallows`), but a sentence that begins so is no field."""
    key = key.lower()
    for found, spellings in SPELLINGS:
        for spelling in spellings:
            if key.startswith(spelling) and not _SPACE.search(key, len(spelling)):
                return found
    return None


def _add_delay(said: Said, value: str) -> None:
    try:
        delay_s = float(value)
    except ValueError:
        return
    if 0 <= delay_s < float("inf"):
        said.delays_s.append(delay_s)
