"""Addresses with captures, `/item/{id:int}/{slug}`, and templates that put them to use, `/detail?id={id}`.

{name}        a capture of the default type; a template names it again to have it put in
{name:type}   one of TYPES
{0} {1}       S2's captures, which have numbers for names
"""

import re

from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.nearest import nearest
from recrawl.model.values import dataclass

TYPES = {
    "slug": "one path segment, query value or argument; the default",
    "int": "digits",
    "date": "2026-11-15, also with other signs between, or none",
    "hex": "hexadecimal digits and dashes",
    "path": "anything, slashes included",
    "url": "an address inside the address, percent-encoded or not; it is decoded",
}
SCRIPT_MARK = "javascript:"
REGEX_MARK = "re:"
LONGEST = 2000

_CAPTURE = late(r"\{([A-Za-z_]\w*|\d+)(?::([A-Za-z_]\w*))?\}", re.ASCII)
_GROUP = late(r"\((?!\?)|\(\?P<(\w+)>")
_NO_GROUP = late(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Capture:
    name: str
    type: str = "slug"


Piece = str | Capture


def pieces(text: str, loose: bool = False) -> tuple[Piece, ...]:
    """Literal texts and captures in turn. `loose`: single braces may stand for themselves (scripts have them)."""
    found: list[Piece] = []
    at = 0
    for match in _CAPTURE.finditer(text):
        found += _literal(text, at, match.start(), loose)
        found.append(_capture(match, text))
        at = match.end()
    return (*found, *_literal(text, at, len(text), loose))


def captured(match: str) -> tuple[str, ...]:
    """Names of what a pattern captures, in order."""
    if match.startswith(REGEX_MARK):
        groups = _GROUP.finditer(_NO_GROUP.sub("", match))
        return tuple(group[1] or str(place) for place, group in enumerate(groups))
    return tuple(one.name for one in pieces(match, is_script(match)) if isinstance(one, Capture))


def check(match: str, target: str) -> None:
    """FormatError, with the column inside the text at fault, if a pattern and its template cannot be meant so."""
    if not match.strip():
        raise FormatError("an empty pattern matches nothing; write an address such as /item/{id:int}")
    if len(match) > LONGEST or len(target) > LONGEST:
        raise FormatError(f"a pattern has at most {LONGEST} characters")
    names = captured(match)
    for name in names:
        if names.count(name) > 1:
            raise FormatError(f"{{{name}}} is captured twice in {match!r}; give each capture a name of its own")
    for one in pieces(target):
        if isinstance(one, Capture) and one.name not in names:
            have = ", ".join(f"{{{name}}}" for name in names) or "none"
            raise FormatError(
                f"{{{one.name}}} is used in the target but not captured in {match!r} (captured: {have})",
                column=target.index(f"{{{one.name}") + 1,
            )


def is_script(match: str) -> bool:
    return match[: len(SCRIPT_MARK)].lower() == SCRIPT_MARK


def _capture(match: re.Match[str], text: str) -> Capture:
    name, kind = match[1], match[2] or "slug"
    if kind not in TYPES:
        near = nearest(kind, TYPES, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"known types: {', '.join(TYPES)}"
        raise FormatError(f"unknown type {kind!r} in {match[0]} of {text!r}; {hint}", column=match.start() + 1)
    return Capture(name, kind)


def _literal(text: str, start: int, end: int, loose: bool) -> list[Piece]:
    literal = text[start:end]
    for mark in "{}" if not loose else "":
        if mark in literal:
            raise FormatError(
                f"a brace that is no capture in {text!r}: write {{name}} or {{name:type}}, or %7B and %7D for braces",
                column=start + literal.index(mark) + 1,
            )
    return [literal] if literal else []
