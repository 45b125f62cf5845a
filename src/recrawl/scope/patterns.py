"""Thousands of patterns, one look a link: compiled once into a tree that is walked by host, path and query.

A literal segment is one look into a table; a segment that begins with a literal is found by that beginning; only
patterns that agree with the address so far are compared at all. The first pattern written wins.
"""

from dataclasses import dataclass, field
from typing import Any

from recrawl.formats.templates import REGEX_MARK, captured
from recrawl.scope.patterns_pieces import Alone, Literal, Mixed, Part, expression
from recrawl.scope.patterns_read import Shape, read_shape

Query = dict[str, str]


@dataclass(frozen=True, slots=True)
class Match:
    """`index` of the pattern in the list it came from, and what it captured."""

    index: int
    values: dict[str, str]


@dataclass(frozen=True, slots=True)
class _End:
    """A pattern whose path has been agreed with; its query is left to compare."""

    index: int
    shape: Shape
    captures: tuple[tuple[str, Alone | Mixed], ...]

    def read(self, query: Query, values: dict[str, str]) -> dict[str, str] | None:
        found = dict(values)
        for name, part in self.captures:
            if not part.read(query[name], found):
                return None
        if self.shape.query_rest:
            keys = self.shape.keys
            found[self.shape.query_rest] = "&".join(f"{key}={value}" for key, value in query.items() if key not in keys)
        return found


@dataclass(slots=True)
class _Ends:
    """The patterns that end at a node: by the names of their parameters, then by the values that are literal."""

    closed: dict[frozenset[str], dict[tuple[str, ...], dict[tuple[str, ...], list[_End]]]] = field(default_factory=dict)
    open: list[_End] = field(default_factory=list)

    def add(self, index: int, shape: Shape) -> None:
        literals = {name: part.text for name, part in shape.query if isinstance(part, Literal)}
        captures = tuple((name, part) for name, part in shape.query if not isinstance(part, Literal))
        end = _End(index, shape, captures)
        if shape.open_query:
            self.open.append(end)
            return
        names = tuple(sorted(literals))
        by_value = self.closed.setdefault(shape.keys, {}).setdefault(names, {})
        by_value.setdefault(tuple(literals[name] for name in names), []).append(end)

    def find(self, query: Query, values: dict[str, str], best: Match | None) -> Match | None:
        for names, by_value in self.closed.get(frozenset(query), _NOTHING).items():
            for end in by_value.get(tuple(query[name] for name in names), ()):
                best = _better(best, end, query, values)
        for end in self.open:
            if all(
                name in query and (not isinstance(part, Literal) or query[name] == part.text)
                for name, part in end.shape.query
            ):
                best = _better(best, end, query, values)
        return best


_NOTHING: dict[tuple[str, ...], dict[tuple[str, ...], list[_End]]] = {}


@dataclass(slots=True)
class _Node:
    literal: "dict[str, _Node]" = field(default_factory=dict)
    prefixed: "dict[int, dict[str, list[tuple[Alone | Mixed, _Node]]]]" = field(default_factory=dict)
    ends: _Ends = field(default_factory=_Ends)
    rests: "dict[int, dict[str, list[tuple[Part, _Ends]]]]" = field(default_factory=dict)

    def below(self, part: Part) -> "_Node":
        if isinstance(part, Literal):
            return self.literal.setdefault(part.text, _Node())
        known: list[tuple[Part, _Node]] = _bucket(self.prefixed, part)
        for other, node in known:
            if other == part:
                return node
        node = _Node()
        known.append((part, node))
        return node

    def rest(self, part: Part) -> _Ends:
        ends = _Ends()
        _bucket(self.rests, part).append((part, ends))
        return ends


class Patterns:
    """Compiled patterns. `match` compares a canonical address with all of them."""

    def __init__(self, written: list[str]) -> None:
        self._hosts: dict[str, _Node] = {}
        self._host_parts: list[tuple[Alone | Mixed, _Node]] = []
        self._anywhere = _Node()
        self._expressions: list[tuple[int, Any, tuple[str, ...]]] = []
        for index, one in enumerate(written):
            self._add(index, one)

    def match(self, url: str) -> Match | None:
        start = url.find("//") + 2
        path_at = url.find("/", start)
        host, path = url[start:path_at], url[path_at + 1 :]
        path, _, query_text = path.partition("?")
        segments = path.split("/")
        query = _query(query_text)
        best: Match | None = None
        if query is not None:
            node = self._hosts.get(host)
            best = _walk(node, segments, 0, query, {}, best) if node else None
            for part, node in self._host_parts:
                values: dict[str, str] = {}
                if part.read(host, values):
                    best = _walk(node, segments, 0, query, values, best)
            best = _walk(self._anywhere, segments, 0, query, {}, best)
        return self._by_expression(url, best)

    def _by_expression(self, url: str, best: Match | None) -> Match | None:
        for index, compiled, names in self._expressions:
            if best is not None and best.index < index:
                break
            found = compiled.search(url)
            if found is not None:
                return Match(index, {name: value or "" for name, value in zip(names, found.groups(), strict=True)})
        return best

    def _add(self, index: int, written: str) -> None:
        if written.startswith(REGEX_MARK):
            self._expressions.append((index, expression(written.removeprefix(REGEX_MARK)), captured(written)))
            return
        shape = read_shape(written)
        node = self._root(shape.host)
        for part in shape.segments:
            node = node.below(part)
        (node.ends if shape.rest is None else node.rest(shape.rest)).add(index, shape)

    def _root(self, host: Part | None) -> _Node:
        if host is None:
            return self._anywhere
        if isinstance(host, Literal):
            return self._hosts.setdefault(host.text, _Node())
        node = _Node()
        self._host_parts.append((host, node))
        return node


def _walk(
    node: _Node, segments: list[str], at: int, query: Query, values: dict[str, str], best: Match | None
) -> Match | None:
    """Every way through the tree that the address agrees with; at most as many steps as the tree has nodes."""
    if at == len(segments):
        return node.ends.find(query, values, best)
    segment = segments[at]
    literal = node.literal.get(segment)
    if literal is not None:
        best = _walk(literal, segments, at + 1, query, values, best)
    for length, by_prefix in node.prefixed.items():
        for part, below in by_prefix.get(segment[:length], ()):
            found = dict(values)
            if part.read(segment, found):
                best = _walk(below, segments, at + 1, query, found, best)
    if node.rests:
        best = _rest(node, "/".join(segments[at:]), query, values, best)
    return best


def _rest(node: _Node, rest: str, query: Query, values: dict[str, str], best: Match | None) -> Match | None:
    for length, by_prefix in node.rests.items():
        for part, ends in by_prefix.get(rest[:length], ()):
            found = dict(values)
            if isinstance(part, Alone | Mixed) and part.read(rest, found):
                best = ends.find(query, found, best)
    return best


def _better(best: Match | None, end: _End, query: Query, values: dict[str, str]) -> Match | None:
    if best is not None and best.index < end.index:
        return best
    found = end.read(query, values)
    return best if found is None else Match(end.index, found)


def _bucket(table: dict[int, dict[str, list[Any]]], part: Part) -> list[Any]:
    prefix = part.prefix if isinstance(part, Mixed) else ""
    return table.setdefault(len(prefix), {}).setdefault(prefix, [])


def _query(text: str) -> Query | None:
    """None where a name comes twice: no pattern can mean that."""
    if not text:
        return {}
    query: Query = {}
    for pair in text.split("&"):
        name, _, value = pair.partition("=")
        if name in query:
            return None
        query[name] = value
    return query
