"""The knife: text to words, where words are set off by spaces, and to overlapping pairs of characters elsewhere.

A run of `ABC` becomes `AB BC C`. A question for `ABC` asks for `AB` before `BC`, one for `AB` for that pair, one for
`A` for anything that begins with it: the last single character is there for exactly that.
"""

from collections.abc import Iterator
from functools import lru_cache
from unicodedata import combining

from recrawl.index.fold import fold
from recrawl.model.late import late
from recrawl.model.values import dataclass

EDITION = 1  # raised whenever a text would be cut otherwise: an index of another edition is made anew
Places = range | list[int]

LONGEST = 64  # characters of a word that count

# Scripts cut into pairs: Thai, Lao, Myanmar, Khmer, Hangul, kana, Bopomofo, Han.
_PAIRED = (
    "\u0e01-\u0e4e\u0e81-\u0ecf\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029"
    "\u3031-\u3035\u303b\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Signs that belong to a word though they are no letters: vowel signs of Indic scripts, marks of others.
_SIGNS = (
    "\u0483-\u0487\u06d6-\u06ed\u0711-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0f18-\u0f39\u0f71-\u0fbc"
    "\u135d-\u135f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u3099\u309a\ua8e0-\ua8f1"
)
_RUN = late(rf"[\w{_SIGNS}{_PAIRED}]+")
_PIECE = late(rf"[{_PAIRED}]+|[^{_PAIRED}]+")
_HAS_PAIRED = late(rf"[{_PAIRED}]")
# What folding looks at together: a character and the marks behind it, half-width voicing and Hangul parts included.
_JOINED = (
    r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u1100-\u11ff\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f]" rf"|[{_SIGNS}]"
)
_JOINING = late(_JOINED)
_CLUSTER = late(rf"[\s\S](?:{_JOINED})*")


@dataclass(frozen=True, slots=True)
class Span:
    """A word and where it stands in the text as written."""

    word: str
    start: int
    end: int


def words(text: str) -> list[str]:
    """Every word of a text, in order."""
    found: list[str] = []
    for run in _RUN.findall(fold(text)):
        if run.isascii() or not _HAS_PAIRED.search(run):
            found.append(run[:LONGEST])
            continue
        for piece in _PIECE.findall(run):
            found += _pairs(piece) if _HAS_PAIRED.match(piece) else (piece[:LONGEST],)
    return found


def joined(text: str) -> str:
    """The words with spaces between: what a plain full-text engine can be given."""
    return " ".join(words(text))


def asked(text: str) -> tuple[tuple[str, ...], bool]:
    """The words of a question, and whether the last one is only a beginning."""
    found = words(text)
    if not found or not _HAS_PAIRED.match(found[-1]):
        return tuple(found), False
    if len(found) > 1 and _HAS_PAIRED.match(found[-2]) and len(found[-2]) == 2:
        return tuple(found[:-1]), False  # the last pair says all; in the text the run may go on
    return tuple(found), True


def is_paired(word: str) -> bool:
    """Is it of a script that is cut into pairs?"""
    return _HAS_PAIRED.match(word) is not None


def spans(text: str) -> Iterator[Span]:
    """`words` with their places."""
    folded, places = placed(text)
    return spans_within(folded, places, 0, len(folded))


def spans_within(folded: str, places: Places, start: int, end: int) -> Iterator[Span]:
    """The words of a stretch of folded text, with their places in the text as written."""
    for run in _RUN.finditer(folded, start, end):
        for piece in _PIECE.finditer(run[0]):
            start, end = run.start() + piece.start(), run.start() + piece.end()
            if not _HAS_PAIRED.match(piece[0]):
                yield Span(piece[0][:LONGEST], places[start], places[end])
                continue
            for at in range(start, end - 1):
                yield Span(folded[at : at + 2], places[at], places[at + 2])
            yield Span(folded[end - 1], places[end - 1], places[end])


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] + [run[-1]]


def placed(text: str) -> tuple[str, Places]:
    """The folded text, and for each place in it (and its end) the place in the text as written."""
    if text.isascii() or all(map(_keeps_its_place, set(text))):
        return fold(text), range(len(text) + 1)
    pieces: list[str] = []
    places: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        piece = fold(cluster[0])
        pieces.append(piece)
        places += [cluster.start()] * len(piece)
    places.append(len(text))
    return "".join(pieces), places


@lru_cache(maxsize=65_536)
def _keeps_its_place(letter: str) -> bool:
    """Is it one character before and after folding, whatever stands beside it?"""
    return len(fold(letter)) == 1 and not combining(letter) and not _JOINING.match(letter)
