"""How many tags a source has and which letters they begin with, seen in one look, however long the source is."""

from typing import NamedTuple

from recrawl.model.late import late_module
from recrawl.native import compiled

FORMATTING = "b|big|code|em|font|i|s|small|strike|strong|tt|u"
_PLAIN = late_module("recrawl.extract.tag_letters_plain")


class TagLetters(NamedTuple):
    """`html`, `body`: tags that begin with the same two letters as these. `opened`: those that may be formatting;
    `bare`: of these the ones without attributes whose end is the next tag."""

    tags: int
    html: int
    body: int
    opened: int
    bare: int


def letters_of(source: str) -> TagLetters:
    counts = compiled.tag_letters(source) if compiled is not None else None
    return TagLetters(*(counts or _PLAIN.counted(source)))
