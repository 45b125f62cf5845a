"""Formatting that multiplies: elements left open are opened anew in every block behind them, as the standard wants it.

`<p><b a=1><p><b a=2>…` of 100 KB becomes four million elements and half a gigabyte. How many elements a document can
become is bounded from its tags alone, in three steps, each more exact and dearer than the one before; most pages need
only the first. Where the last bound is too high the tags of formatting are taken out: what is read here needs none.
"""

import re

from recrawl.extract.tag_letters import FORMATTING, TagLetters, letters_of
from recrawl.model.late import late

MOST_ELEMENTS = 500_000
_MOST_OPEN = 512  # of formatting: the parser opens no more anew

_PLAIN = r'(?:\s++[\w:-]++(?:="[^"<>]*+")?+)*+\s*+'  # attributes that leave no doubt where the tag ends
_ANY = late(rf"</?(?:{FORMATTING})(?=[\s/>])[^>]*>?", re.IGNORECASE)
_STEP = late(
    rf"<(?:({FORMATTING}){_PLAIN}>|/({FORMATTING})>|(?:a|span|sub|sup|br){_PLAIN}/?>|/(?:a|span|sub|sup)>"
    rf"|((?:{FORMATTING})(?=[\s/>]))|())",
    re.IGNORECASE,
)
_NOTHING = "<!>"  # leaves no gap, and lets no new tag come together


def without_storms(source: str, most: int = MOST_ELEMENTS, letters: TagLetters | None = None) -> str:
    """The source, but for tags of formatting where they would multiply it to more elements. `letters`: those of the
    source, where they are known."""
    tags = source.count("<") if letters is None else letters.tags
    if tags * _MOST_OPEN <= most:
        return source
    openings = _openings(letters or letters_of(source), most // tags)
    return source if tags * openings <= most or tags * _left_open(source) <= most else _ANY.sub(_NOTHING, source)


def _openings(letters: TagLetters, enough: int) -> int:
    """At least as many tags of formatting as are opened, but for bare ones whose end is the next tag. These are not
    counted where no more than `enough` are opened in all."""
    return letters.opened if letters.opened <= enough else min(_MOST_OPEN, letters.opened - letters.bare)


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
