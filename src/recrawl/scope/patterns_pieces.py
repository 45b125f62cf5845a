"""One path segment or query value of a pattern, compiled: what it must look like, and what it captures.

Texts with several captures (`{slug}-{id:int}.html`) are left to RE2, which takes time proportional to the text whatever
is written; a capture that stands alone, or framed by literal text, needs no expression at all.
"""

from collections.abc import Callable
from dataclasses import field
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import re2

from recrawl.formats.templates import Capture, Piece
from recrawl.model.late import late
from recrawl.model.values import dataclass
from recrawl.scope.encoding import normal_encoding
from recrawl.scope.regex_guard import expression

EXPRESSIONS = {
    "slug": r"[^/]+",
    "int": r"[0-9]+",
    "date": r"[0-9]{4}[-./_]?[0-9]{1,2}[-./_]?[0-9]{1,2}",
    "hex": r"[0-9A-Fa-f-]+",
    "path": r".+",
    "url": r".+",
}
_DATE = late(EXPRESSIONS["date"])
_HEX = late(EXPRESSIONS["hex"])

ALONE: dict[str, Callable[[str], bool]] = {
    "slug": lambda text: text != "",
    "int": lambda text: text.isascii() and text.isdigit(),
    "date": lambda text: _DATE.fullmatch(text) is not None,
    "hex": lambda text: _HEX.fullmatch(text) is not None,
    "path": lambda text: text != "",
    "url": lambda text: text != "",
}


@dataclass(frozen=True, slots=True)
class Literal:
    text: str


@dataclass(frozen=True, slots=True)
class Alone:
    """One capture and nothing else."""

    capture: Capture
    fits: Callable[[str], bool]

    def read(self, text: str, values: dict[str, str]) -> bool:
        if not self.fits(text):
            return False
        values[self.capture.name] = decoded(self.capture, text)
        return True


@dataclass(frozen=True, slots=True)
class Mixed:
    """Captures among literal text. `prefix` is the text before the first one."""

    prefix: str
    captures: tuple[Capture, ...]
    written: str
    expression: Any = field(compare=False)

    def read(self, text: str, values: dict[str, str]) -> bool:
        found = self.expression.fullmatch(text)
        if found is None:
            return False
        for capture, value in zip(self.captures, found.groups(), strict=True):
            values[capture.name] = decoded(capture, value)
        return True


@dataclass(frozen=True, slots=True)
class Framed:
    """One capture with literal text before or after it: no expression is needed for that either."""

    prefix: str
    suffix: str
    capture: Capture
    fits: Callable[[str], bool]

    def read(self, text: str, values: dict[str, str]) -> bool:
        end = len(text) - len(self.suffix)
        if end <= len(self.prefix) or not (text.startswith(self.prefix) and text.endswith(self.suffix)):
            return False
        inner = text[len(self.prefix) : end]
        if not self.fits(inner) or (self.capture.type == "slug" and "/" in inner):
            return False
        values[self.capture.name] = decoded(self.capture, inner)
        return True


Free = Alone | Framed | Mixed
Part = Literal | Free


def decoded(capture: Capture, text: str) -> str:
    return unquote(text) if capture.type == "url" else text


@lru_cache(maxsize=65536)  # patterns share most of their parts, and memory shared is memory at hand
def part_of(text: tuple[Piece, ...]) -> Part:
    """Literals are spelt as canonical addresses spell them."""
    captures = tuple(one for one in text if isinstance(one, Capture))
    spelt = tuple(normal_encoding(one) if isinstance(one, str) else one for one in text)
    if not captures:
        return Literal("".join(one for one in spelt if isinstance(one, str)))
    if len(text) == 1:
        return Alone(captures[0], ALONE[captures[0].type])
    prefix = spelt[0] if isinstance(spelt[0], str) else ""
    if len(captures) == 1:
        suffix = spelt[-1] if isinstance(spelt[-1], str) else ""
        return Framed(prefix, suffix, captures[0], ALONE[captures[0].type])
    written = "".join(re2.escape(one) if isinstance(one, str) else f"({EXPRESSIONS[one.type]})" for one in spelt)
    return Mixed(prefix, captures, written, expression(written))
