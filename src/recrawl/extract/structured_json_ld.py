"""JSON-LD: what stands in `<script type="application/ld+json">`, with the slips that sites make in it.

References inside a page (`{"@id": "#offer"}`) are followed; what another node refers to is part of that node.
"""

import json
import re
from collections.abc import Iterator, Sequence

MOST_DEPTH = 20
MOST_NODES = 2000
MOST_INLINED = 500  # references of a page that are followed
# References that lead to the main thing, or back to it: they make nothing a part of something else.
TO_THE_MAIN = frozenset(
    {"mainEntity", "mainEntityOfPage", "isPartOf", "hasPart", "itemOffered", "itemReviewed", "about", "subjectOf"}
)

_COMMENTS = re.compile(
    r"^\s*(?:<!--|/\*\s*<!\[CDATA\[\s*\*/|//\s*<!\[CDATA\[|<!\[CDATA\[)|(?:-->|/\*\s*\]\]>\s*\*/|\]\]>)\s*;?\s*$"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_LAST_COMMA = re.compile(r",(\s*[}\]])")

Thing = dict[str, object]


def things(sources: Sequence[str]) -> list[Thing]:
    """The things that the scripts of a page tell of, but for those that are part of another."""
    nodes = [node for source in sources for node in _nodes(decoded(source), 0)][:MOST_NODES]
    known = {str(node["@id"]): node for node in nodes if len(node) > 1 and isinstance(node.get("@id"), str)}
    part_of_others = {name for node in nodes for name in _references(node, 0) if name in known}
    whole = [node for node in nodes if "@type" in node and str(node.get("@id", "")) not in part_of_others]
    follower = _Follower(known)
    chosen = whole or [node for node in nodes if "@type" in node]
    return [follower.whole(node, (str(node.get("@id", "")),), 0) for node in chosen]


def decoded(source: str) -> object:
    """None where no reading makes sense of it."""
    for text in (source, _LAST_COMMA.sub(r"\1", _COMMENTS.sub("", source.strip()))):
        try:
            return json.loads(text, strict=False, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            continue
    return None


def _nodes(value: object, depth: int) -> Iterator[Thing]:
    """Top-level things, and those of graphs."""
    if depth > MOST_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from _nodes(one, depth + 1)
    elif isinstance(value, dict):
        graph = value.get("@graph")
        if graph is not None:
            yield from _nodes(graph, depth + 1)
        if graph is None or "@type" in value:
            yield {name: one for name, one in value.items() if name != "@graph"}
            yield from _main(value.get("mainEntity"), depth)


def _main(value: object, depth: int) -> Iterator[Thing]:
    """What a page says it is about counts as if it stood alone."""
    if isinstance(value, (dict, list)) and value != {} and not _is_reference(value):
        yield from _nodes(value, depth + 1)


def _is_reference(value: object) -> bool:
    return isinstance(value, dict) and set(value) == {"@id"}


def _references(value: object, depth: int) -> Iterator[str]:
    if depth > MOST_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from _references(one, depth + 1)
    elif isinstance(value, dict):
        if _is_reference(value) and depth:
            yield str(value["@id"])
        for name, one in value.items():
            if name not in TO_THE_MAIN:
                yield from _references(one, depth + 1)


class _Follower:
    """Puts things in the place of references to them, within bounds: references can multiply without end."""

    def __init__(self, known: dict[str, Thing]) -> None:
        self._known, self._left = known, MOST_INLINED

    def whole(self, thing: Thing, inside: tuple[str, ...], depth: int) -> Thing:
        return {_text(name): self._value(one, inside, depth) for name, one in thing.items() if name != "@context"}

    def _value(self, value: object, inside: tuple[str, ...], depth: int) -> object:
        if depth > MOST_DEPTH:
            return None
        if isinstance(value, list):
            return [self._value(one, inside, depth + 1) for one in value]
        if not isinstance(value, dict):
            return _text(value) if isinstance(value, str) else value
        name = str(value.get("@id", ""))
        if _is_reference(value) and name in self._known and name not in inside and self._left > 0:
            self._left -= 1
            return self.whole(self._known[name], (*inside, name), depth + 1)
        return self.whole(value, inside, depth + 1)


def _text(written: str) -> str:
    """Half a surrogate pair, which JSON can spell, is no text."""
    return _SURROGATES.sub("\ufffd", written)
