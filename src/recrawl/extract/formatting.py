"""Formatting that multiplies: elements left open are opened anew in every block behind them, as the standard wants it.

`<p><b a=1><p><b a=2>…` of 100 KB becomes four million elements and half a gigabyte. How many elements a document can
become is bounded from its tags alone, in three steps, each more exact and dearer than the one before; most pages need
only the first. Where the last bound is too high the tags of formatting are taken out: what is read here needs none.
"""

import re

import numpy as np

from recrawl.extract.tag_letters import TagLetters
from recrawl.model.late import late

MOST_ELEMENTS = 500_000
_MOST_OPEN = 512  # of formatting: the parser opens no more anew

_NAMES = "b|big|code|em|font|i|s|small|strike|strong|tt|u"
_PLAIN = r'(?:\s++[\w:-]++(?:="[^"<>]*+")?+)*+\s*+'  # attributes that leave no doubt where the tag ends
_ANY = late(rf"</?(?:{_NAMES})(?=[\s/>])[^>]*>?", re.IGNORECASE)
_STEP = late(
    rf"<(?:({_NAMES}){_PLAIN}>|/({_NAMES})>|(?:a|span|sub|sup|br){_PLAIN}/?>|/(?:a|span|sub|sup)>"
    rf"|((?:{_NAMES})(?=[\s/>]))|())",
    re.IGNORECASE,
)
_NOTHING = "<!>"  # leaves no gap, and lets no new tag come together


def _first_letters() -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    """Which two bytes behind a `<` may begin a tag of formatting."""
    table = np.zeros((256, 256), dtype=np.bool_)
    others = [byte for byte in range(256) if not chr(byte).isalnum()]
    for first, second in (("b", "i"), ("c", "o"), ("e", "m"), ("f", "o"), ("s", "m"), ("s", "t"), ("t", "t")):
        for one in (first, first.upper()):
            table[ord(one), [ord(second), ord(second.upper())]] = True
    for first in "bisuBISU":
        table[ord(first), others] = True
    return table


_MAY_FORMAT = _first_letters()
_BARE = [(len(name) + 1, name.encode() + b">") for name in _NAMES.split("|")]  # and its length


def without_storms(source: str, most: int = MOST_ELEMENTS, letters: TagLetters | None = None) -> str:
    """The source, but for tags of formatting where they would multiply it to more elements. `letters`: those of the
    source, where they are known."""
    tags = source.count("<") if letters is None else len(letters.places)
    if tags * _MOST_OPEN <= most:
        return source
    openings = _openings(letters or TagLetters(source), most // tags)
    return source if tags * openings <= most or tags * _left_open(source) <= most else _ANY.sub(_NOTHING, source)


def _openings(letters: TagLetters, enough: int) -> int:
    """At least as many tags of formatting as are opened, but for bare ones whose end is the next tag. These are not
    looked for where no more than `enough` are opened in all."""
    data, places = letters.data, letters.places
    opened = np.flatnonzero(_MAY_FORMAT[letters.first, letters.second])
    if len(opened) <= enough:
        return len(opened)
    following = places[np.minimum(opened + 1, len(places) - 1)]
    begins, ends = letters.words(places[opened] + 1), letters.words(following + 2)
    closed = np.zeros(len(opened), dtype=np.bool_)
    for length, name in _BARE:
        mask, word = np.uint64((1 << 8 * length) - 1), np.uint64(int.from_bytes(name, "little"))
        closed |= (begins & mask == word) & (ends & mask == word)
    closed &= data[following + 1] == ord("/")
    return min(_MOST_OPEN, len(opened) - int(np.count_nonzero(closed)))


def _left_open(source: str) -> int:
    """At least as many as are not closed before anything happens that could keep their end from being theirs."""
    left = 0
    opened: list[str] = []
    for step in _STEP.finditer(source):
        opens, closes, doubtful, other = step.groups()
        if opens:
            opened.append(opens.lower())
        elif closes and opened and opened[-1] == closes.lower():
            opened.pop()
        elif closes is not None or doubtful is not None or other is not None:
            left += len(opened) + (doubtful is not None)
            opened.clear()
            if left >= _MOST_OPEN:
                return _MOST_OPEN
    return min(_MOST_OPEN, left + len(opened))
