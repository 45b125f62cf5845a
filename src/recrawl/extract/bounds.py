"""How much of a document is read at all: a parser's tree costs many times its source, whoever wrote it."""

import re
from itertools import islice

_TAG = re.compile("<")
_NUL = "\0"
_FEW = 1000


def within(body: bytes, most_bytes: int) -> bytes:
    return body if len(body) <= most_bytes else body[:most_bytes]


def up_to_tags(source: str, most_tags: int) -> str:
    """The source up to its last tag that may be read; nearly every page is too short to be counted."""
    if len(source) <= most_tags or source.count("<") <= most_tags:
        return source
    beyond = next(islice(_TAG.finditer(source), most_tags, None))
    return source[: beyond.start()]


def without_floods(source: str) -> str:
    """NULs mean nothing in a document and cost a parser dear: where they are many they are taken out."""
    return source if source.count(_NUL) <= _FEW else source.replace(_NUL, "")
