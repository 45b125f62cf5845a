"""Reads XHTML and other XML: well-formed documents by a strict parser, broken ones as HTML.

No entity of a document type is ever expanded: the names HTML knows are put in beforehand, all others make the
document "not well-formed".
"""

import re

from recrawl.extract.html import Tree
from recrawl.extract.turbo_late import parse_xml
from recrawl.model.late import late, late_module

XHTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"

_ENTITIES = late_module("html.entities")
_ENTITY = late(r"&([A-Za-z][A-Za-z0-9]*;)")
_PREFIX = late(rf"""xmlns:([A-Za-z_][\w.-]{{0,20}})\s*=\s*["'](?:{re.escape(XHTML)}|{re.escape(SVG)})["']""")
_FIRST_TAG = late(r"<(?:[A-Za-z_][\w.-]{0,20}:)?html[\s>][^>]*")
_KEPT = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})


def read_xml(text: str) -> Tree | None:
    """The tree of a well-formed document; None for any other. Prefixes of XHTML and SVG are taken off the tags."""
    named = _ENTITY.sub(_character, text)
    for prefix in set(_PREFIX.findall(named[:20_000])):
        named = re.sub(rf"(</?){re.escape(prefix)}:(?=[A-Za-z])", r"\1", named)
    return parse_xml(named)


def is_xhtml(text: str) -> bool:
    """Whether the first element is `html` of XHTML."""
    start = _FIRST_TAG.search(text[:4096])
    return start is not None and XHTML in start[0]


def has_links(text: str) -> bool:
    """Whether it speaks a vocabulary whose `a` and `link` are links."""
    return XHTML in text or SVG in text


def _character(entity: re.Match[str]) -> str:
    name = entity[1]
    character: str = entity[0] if name in _KEPT else _ENTITIES.html5.get(name, entity[0])
    return character
