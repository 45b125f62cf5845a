"""Address patterns as the user writes them: globs, and regular expressions after `re:`.

    *.pdf              the last segment of the path
    /docs/             everything below /docs/
    /news/*/comments   `*` stays within a segment, `**` crosses slashes
    /list?page=*       with a question mark the query is compared too, else it is ignored
    https://a.example/**   the whole address
    re:/\\d{4}/\\d{2}/    searched for anywhere in the address

A glob takes time proportional to the address, however many stars it has: pieces between `**` are sought from the
left, the last one from the right, and no choice is ever taken back.
"""

import re
from functools import lru_cache
from typing import Any

from recrawl.model.failure import ConfigError
from recrawl.model.values import dataclass
from recrawl.scope.regex_guard import expression

REGEX_MARK = "re:"


@dataclass(frozen=True, slots=True)
class Expression:
    written: str
    expression: Any  # RE2's

    def matches(self, url: str) -> bool:
        return self.expression.search(url) is not None


@dataclass(frozen=True, slots=True)
class Glob:
    """`pieces` are what stands between double stars: the first must begin the text, the last must end it
    (kept reversed, to be matched against the reversed text)."""

    written: str
    first: re.Pattern[str]
    inner: tuple[re.Pattern[str], ...]
    last_reversed: re.Pattern[str] | None
    whole_address: bool
    with_query: bool

    def matches(self, url: str) -> bool:
        return self.matches_text(self._text(url))

    def matches_text(self, text: str) -> bool:
        if self.last_reversed is None:
            return self.first.fullmatch(text) is not None
        found = self.first.match(text)
        for piece in self.inner:
            found = found and piece.search(text, found.end())
        last = self.last_reversed.match(text[::-1]) if found else None
        return found is not None and last is not None and found.end() <= len(text) - last.end()

    def _text(self, url: str) -> str:
        if not self.with_query:
            url = url.partition("?")[0]
        return url if self.whole_address else url[url.index("/", 8) :]


AddressPattern = Expression | Glob
LONGEST = 10_000  # characters of a pattern: no address is as long


def read_pattern(written: str) -> AddressPattern:
    """ConfigError, with a sentence for the user, if it cannot be meant so or could take forever."""
    if not written.strip():
        raise ConfigError("An address pattern is empty; remove it, or write ** for every address.")
    if len(written) > LONGEST:
        raise ConfigError(
            f"The pattern {written[:40]!r}… has {len(written):,} characters, more than {LONGEST:,}: "
            "make several patterns of it."
        )
    if written.startswith(REGEX_MARK):
        return Expression(written, expression(written.removeprefix(REGEX_MARK)))
    return read_glob(written)


@lru_cache(maxsize=4096)
def read_glob(written: str) -> Glob:
    whole_address = "://" in written
    first, *others = re.split(r"\*\*+", _rooted(written, whole_address))
    inner, last = others[:-1], others[-1] if others else None
    return Glob(
        written,
        first=_piece(first, anchored=last is None),
        inner=tuple(_piece(piece) for piece in inner if piece),
        last_reversed=None if last is None else _piece(last[::-1]),
        whole_address=whole_address,
        with_query="?" in written,
    )


def _rooted(written: str, whole_address: bool) -> str:
    if not whole_address and not written.startswith(("/", "**")):
        written = "**/" + written
    return written + "**" if written.endswith("/") else written


def _piece(piece: str, anchored: bool = False) -> re.Pattern[str]:
    """Single stars as the shortest run without a slash; taking the nearest text is always right, so it is final.
    Only where the text must end with the piece is the last run as long as it can be."""
    first, *others = (re.escape(text) for text in piece.split("*"))
    if not anchored or not others:
        return re.compile(first + "".join(f"(?>[^/]*?{text})" for text in others), re.DOTALL)
    inner = "".join(f"(?>[^/]*?{text})" for text in others[:-1])
    return re.compile(f"{first}{inner}[^/]*{others[-1]}", re.DOTALL)
