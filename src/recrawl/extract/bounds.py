"""How much of a document is read at all: a parser's tree costs many times its source, whoever wrote it."""

import re
from itertools import islice
from typing import NamedTuple

from recrawl.extract.formatting import without_storms
from recrawl.extract.settings import ExtractSettings
from recrawl.extract.tag_letters import TagLetters, letters_of
from recrawl.model.late import late

_TAG = late("<")
_NUL = "\0"
_FEW = 1000
_LONG = 65_536
_HUGE = 524_288  # so long a flood of tags is cut before its letters are looked at: they take twenty times its memory
_ROOT = late(r"<(html|body)(?=[\s/])[^<>]*>?", re.IGNORECASE)


class Bounded(NamedTuple):
    """`text`: what is read of a document; `sound`: the same for a parser; `cut`: which limits bit."""

    text: str
    sound: str
    cut: str


def within(body: bytes, most_bytes: int) -> bytes:
    return body if len(body) <= most_bytes else body[:most_bytes]


def bounded(source: str, body_bytes: int, settings: ExtractSettings) -> Bounded:
    """`body_bytes`: how long the document is of which `source` was read."""
    letters = letters_of(source) if _LONG < len(source) <= _HUGE else None
    text = up_to_tags(source, settings.tags, letters)
    if text is not source or letters is None:
        letters = letters_of(text) if len(text) > _LONG else None
    flat = without_floods(text, letters)
    sound = without_storms(flat, settings.elements, letters if flat is text else None)
    if text is source and sound is flat and body_bytes <= settings.source_bytes:
        return Bounded(text, sound, "")
    cuts = (
        (body_bytes > settings.source_bytes, f"only its first {settings.source_bytes} bytes (extract.source_bytes)"),
        (text is not source, f"only its first {settings.tags} tags (extract.tags)"),
        (sound is not flat, f"no bold, italics or fonts, which would make {settings.elements} (extract.elements)"),
    )
    return Bounded(text, sound, "read of it: " + "; ".join(says for bit, says in cuts if bit))


def up_to_tags(source: str, most_tags: int, letters: TagLetters | None) -> str:
    """The source up to its last tag that may be read; nearly every page is too short to be counted."""
    if len(source) <= most_tags or (source.count("<") if letters is None else letters.tags) <= most_tags:
        return source
    beyond = next(islice(_TAG.finditer(source), most_tags, None))
    return source[: beyond.start()]


def without_floods(source: str, letters: TagLetters | None) -> str:
    """Without what means nothing in a document and costs a parser dear: many NULs, and further `html` and `body` tags
    of a long document, whose attributes would be compared with those of the first, each with each. `letters`: those of
    the source."""
    if _NUL in source and source.count(_NUL) > _FEW:
        source, letters = source.replace(_NUL, ""), None  # there may be others now
    return _with_first_roots(source, letters or letters_of(source)) if len(source) > _LONG else source


def _with_first_roots(source: str, letters: TagLetters) -> str:
    if letters.html <= 1 and letters.body <= 1:
        return source
    met: set[str] = set()

    def first(tag: re.Match[str]) -> str:
        name = tag[1].lower()
        if name in met:
            return ""
        met.add(name)
        return tag[0]

    return _ROOT.sub(first, source)
