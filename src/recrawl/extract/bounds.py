"""How much of a document is read at all: a parser's tree costs many times its source, whoever wrote it."""

import re
from itertools import islice

_TAG = re.compile("<")
_NUL = "\0"
_FEW = 1000
_LONG = 65_536
_ROOT = re.compile(r"<(html|body)(?=[\s/])[^<>]*>?", re.IGNORECASE)


def within(body: bytes, most_bytes: int) -> bytes:
    return body if len(body) <= most_bytes else body[:most_bytes]


def up_to_tags(source: str, most_tags: int) -> str:
    """The source up to its last tag that may be read; nearly every page is too short to be counted."""
    if len(source) <= most_tags or source.count("<") <= most_tags:
        return source
    beyond = next(islice(_TAG.finditer(source), most_tags, None))
    return source[: beyond.start()]


def without_floods(source: str) -> str:
    """Without what means nothing in a document and costs a parser dear: many NULs, and further `html` and `body` tags
    of a long document, whose attributes would be compared with those of the first, each with each."""
    if source.count(_NUL) > _FEW:
        source = source.replace(_NUL, "")
    return _with_first_roots(source) if len(source) > _LONG else source


def _with_first_roots(source: str) -> str:
    lowered = source.lower()
    if lowered.count("<html") <= 1 and lowered.count("<body") <= 1:
        return source
    met: set[str] = set()

    def first(tag: re.Match[str]) -> str:
        name = tag[1].lower()
        if name in met:
            return ""
        met.add(name)
        return tag[0]

    return _ROOT.sub(first, source)
