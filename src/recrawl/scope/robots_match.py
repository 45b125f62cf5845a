"""Which rule of a group decides about a path: the longest that matches, Allow before Disallow (RFC 9309 2.2.2).

The rules are sorted so that the first one that matches decides. A short list becomes one regular expression
in that order; a long one a table of prefixes beside a list of wildcard patterns. Both take time proportional
to the path: the text between two wildcards is sought from the left and never sought again.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from recrawl.model.late import late
from recrawl.model.values import dataclass
from recrawl.scope.robots_parse import Rule

# Characters that mean the same bare and encoded (RFC 9309 2.2.2); `/ ? # % * $` do not.
_BARE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!&'()+,:;=@")
_LEGAL = "!#-;=?-Z_a-z~"
_OCTET = late(rf"%([0-9A-Fa-f]{{2}})|%|[^{_LEGAL}]")
_SPELLING = {f"{octet:02x}": chr(octet) if octet in _BARE else f"%{octet:02X}" for octet in range(256)}
_SPECIAL = {"*": "%2A", "$": "%24"}  # in a path they are characters, in a rule they are signs
_SPECIAL_CHARACTER = late(r"[*$]")
# A path, alone or of an address, that is spelt as rules are: no percent sign, star, dollar or illegal octet.
PLAIN_PATH = late(r"(?:https?://[^/?#;]++|(?!//))(/[!&-)+-;=?-Z_a-z~]*+)", re.ASCII)
_STARS = late(r"\*+")

SHORT_LIST = 256  # texts that one expression may hold
SHORT_TEXT = 64  # characters between wildcards that an expression may seek
INDEX_PAGE = late(r"(.*/)index\.htm[^/]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A rule's path taken apart: `texts` are what stands between the stars, `ends`: nothing may follow."""

    texts: tuple[str, ...]
    ends: bool
    octets: int  # how specific it is

    def matches(self, path: str) -> bool:
        first, *others = self.texts
        if not path.startswith(first):
            return False
        if not others:
            return not self.ends or len(path) == len(first)
        at, last = len(first), others.pop() if self.ends else None
        for text in others:
            at = path.find(text, at)
            if at < 0:
                return False
            at += len(text)
        return last is None or (len(path) - len(last) >= at and path.endswith(last))

    def expression(self) -> str:
        first, *others = (re.escape(text) for text in self.texts)
        if not self.ends:
            return first + "".join(f"(?>.*?{text})" for text in others if text)
        if not others:
            return first + r"\Z"
        return first + "".join(f"(?>.*?{text})" for text in others[:-1] if text) + rf".*{others[-1]}\Z"


@dataclass(frozen=True, slots=True)
class Candidate:
    pattern: Pattern
    rule: Rule


class Matcher(Protocol):
    def first(self, path: str) -> int | None:
        """The place of the deciding candidate, None if none matches."""
        ...


def candidates(rules: Iterable[Rule]) -> list[Candidate]:
    """In the order of decision. A permission for a directory's index page is one for the directory too."""
    found = [Candidate(read_pattern(rule.pattern), rule) for rule in rules]
    for rule in rules:
        if rule.allow and (index := INDEX_PAGE.fullmatch(rule.pattern)):
            found.append(Candidate(read_pattern(index[1] + "$"), rule))
    return sorted(found, key=lambda one: (-one.pattern.octets, not one.rule.allow, one.rule.line.number))


def matcher(patterns: Sequence[Pattern]) -> Matcher:
    texts = [text for pattern in patterns for text in pattern.texts]
    short = len(texts) <= SHORT_LIST and all(len(text) <= SHORT_TEXT for text in texts)
    return OneExpression(patterns) if short else PrefixTable(patterns)


class OneExpression:
    """Branch i of the expression is pattern i, marked by an empty group."""

    __slots__ = ("_match",)

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        branches = "|".join(f"{pattern.expression()}()" for pattern in patterns)
        self._match = re.compile(branches or "(?!)", re.DOTALL).match

    def first(self, path: str) -> int | None:
        found = self._match(path)
        return None if found is None or found.lastindex is None else found.lastindex - 1


class PrefixTable:
    """Plain prefixes by length in a dictionary; the others one after the other, as long as one could still decide."""

    __slots__ = ("_lengths", "_others", "_prefixes")

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._prefixes: dict[str, int] = {}
        self._others: list[tuple[int, Pattern]] = []
        for place, pattern in enumerate(patterns):
            if len(pattern.texts) == 1 and not pattern.ends:
                self._prefixes.setdefault(pattern.texts[0], place)
            else:
                self._others.append((place, pattern))
        self._lengths = sorted({len(prefix) for prefix in self._prefixes}, reverse=True)

    def first(self, path: str) -> int | None:
        best = self._longest_prefix(path)
        for place, pattern in self._others:
            if best is not None and place > best:
                break
            if pattern.matches(path):
                return place
        return best

    def _longest_prefix(self, path: str) -> int | None:
        for length in self._lengths:
            if (place := self._prefixes.get(path[:length])) is not None and length <= len(path):
                return place
        return None


def read_pattern(written: str) -> Pattern:
    """`written` holds octets as characters. What follows a question mark is a query, where `%2F` is `/` (RFC 9309)."""
    ends = written.endswith("$")
    path, mark, query = (written[:-1] if ends else written).partition("?")
    spelt = _spell(path) + mark + _spell(query).replace("%2F", "/")
    texts = tuple(text.replace("$", "%24") for text in _STARS.split(spelt))
    return Pattern(texts, ends, len(spelt) + ends)


def path_spellings(path: str) -> tuple[str, ...]:
    """The path as rules are compared with it; twice if its query holds an encoded slash."""
    octets = path.encode("utf-8", "surrogatepass").decode("latin-1")
    spelt = _SPECIAL_CHARACTER.sub(lambda found: _SPECIAL[found[0]], _spell(octets))
    before, mark, query = spelt.partition("?")
    return (spelt, before + mark + query.replace("%2F", "/")) if "%2F" in query else (spelt,)


def _spell(octets: str) -> str:
    return _OCTET.sub(_spell_one, octets)


def _spell_one(found: re.Match[str]) -> str:
    digits = found[1]
    return f"%{ord(found[0]):02X}" if digits is None else _SPELLING[digits.lower()]
