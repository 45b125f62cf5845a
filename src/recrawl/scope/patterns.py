"""Thousands of patterns, one look a link: compiled once into a tree that is walked by host, path and query.

A literal segment is one look into a table; a segment that begins with a literal is found by that beginning; only
patterns that agree with the address so far are compared at all. The first pattern written wins.
"""

from dataclasses import field
from typing import Any

from recrawl.formats.templates import REGEX_MARK, captured
from recrawl.model.values import dataclass
from recrawl.scope.patterns_pieces import Alone, Free, Literal, Part
from recrawl.scope.patterns_read import Shape, read_shape
from recrawl.scope.regex_guard import expression

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
    keys: frozenset[str]
    literals: tuple[tuple[str, str], ...]
    captures: tuple[tuple[str, Free], ...]
    is_open: bool
    rest: str

    def read(self, query: Query, values: dict[str, str]) -> dict[str, str] | None:
        found = dict(values)
        for name, part in self.captures:
            if not part.read(query[name], found):
                return None
        if self.rest:
            found[self.rest] = "&".join(f"{key}={value}" for key, value in query.items() if key not in self.keys)
        return found


@dataclass(slots=True)
class _Ends:
    """The patterns that end at a node. Where there are many, those with literal parameters are found by these."""

    plain: list[_End] = field(default_factory=list)
    named: dict[tuple[str, ...], dict[tuple[str, ...], list[_End]]] | None = None  # by literal names, then values

    def add(self, end: _End) -> None:
        if not end.literals:
            self.plain.append(end)
            return
        self.named = self.named or {}
        by_value = self.named.setdefault(tuple(name for name, _ in end.literals), {})
        by_value.setdefault(tuple(text for _, text in end.literals), []).append(end)

    def find(self, query: Query, values: dict[str, str], best: Match | None) -> Match | None:
        for end in self.plain:
            best = _better(best, end, query, values)
        for names, by_value in self.named.items() if self.named else ():
            for end in by_value.get(tuple(query.get(name, "") for name in names), ()):
                best = _better(best, end, query, values)
        return best


_NO_KEYS: frozenset[str] = frozenset()


def _end_of(index: int, shape: Shape) -> _End:
    literals = tuple(sorted((name, part.text) for name, part in shape.query if isinstance(part, Literal)))
    captures = tuple((name, part) for name, part in shape.query if not isinstance(part, Literal))
    return _End(index, shape.keys or _NO_KEYS, literals, captures, shape.open_query, shape.query_rest)


@dataclass(frozen=True, slots=True)
class _Tail:
    """All that is left of a pattern that no other shares its way with: compared in one go."""

    parts: tuple[Part, ...]
    rest: Free | None
    end: _End

    def find(
        self, segments: list[str], at: int, query: Query, values: dict[str, str], best: Match | None
    ) -> Match | None:
        stop = at + len(self.parts)
        if len(segments) < stop or (len(segments) > stop) != (self.rest is not None):
            return best
        found = dict(values)
        for part, segment in zip(self.parts, segments[at:stop], strict=True):
            if not (part.text == segment if isinstance(part, Literal) else part.read(segment, found)):
                return best
        if self.rest is not None and not self.rest.read("/".join(segments[stop:]), found):
            return best
        if any(query.get(name) != text for name, text in self.end.literals):
            return best
        return _better(best, self.end, query, found)


@dataclass(slots=True)
class _Node:
    """Lean, for there may be many: tables are made when something is put into them, and a pattern that has its way
    to itself is kept whole."""

    tail: _Tail | None = None
    literal: "dict[str, _Node] | None" = None
    prefixed: "dict[int, dict[str, list[tuple[Free, _Node]]]] | None" = None
    ends: _Ends | None = None
    rests: "dict[int, dict[str, list[tuple[Free, _Ends]]]] | None" = None

    @property
    def is_empty(self) -> bool:
        return not (self.tail or self.literal or self.prefixed or self.ends or self.rests)

    def put(self, tail: _Tail) -> None:
        """Take a pattern in; one that had the node to itself moves on with it."""
        if self.is_empty:
            self.tail = tail
            return
        former, self.tail = self.tail, None
        for one in (former, tail):
            if one is not None and one.parts:
                self._below(one.parts[0]).put(_Tail(one.parts[1:], one.rest, one.end))
            elif one is not None:
                self._end(one.rest).add(one.end)

    def _below(self, part: Part) -> "_Node":
        if isinstance(part, Literal):
            self.literal = self.literal or {}
            return self.literal.setdefault(part.text, _Node())
        self.prefixed = self.prefixed or {}
        known: list[tuple[Free, _Node]] = _bucket(self.prefixed, part)
        for other, node in known:
            if other == part:
                return node
        node = _Node()
        known.append((part, node))
        return node

    def _end(self, rest: Free | None) -> _Ends:
        if rest is None:
            self.ends = self.ends or _Ends()
            return self.ends
        ends = _Ends()
        self.rests = self.rests or {}
        _bucket(self.rests, rest).append((rest, ends))
        return ends


class Patterns:
    """Compiled patterns. `match` compares a canonical address with all of them."""

    def __init__(self, written: list[str]) -> None:
        self._hosts: dict[str, _Node] = {}
        self._host_parts: list[tuple[Free, _Node]] = []
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
        assert not isinstance(shape.rest, Literal), "what crosses slashes is a capture"
        self._root(shape.host).put(_Tail(shape.segments, shape.rest, _end_of(index, shape)))

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
    if node.tail is not None:
        return node.tail.find(segments, at, query, values, best)
    if at == len(segments):
        return node.ends.find(query, values, best) if node.ends else best
    segment = segments[at]
    literal = node.literal.get(segment) if node.literal else None
    if literal is not None:
        best = _walk(literal, segments, at + 1, query, values, best)
    for length, by_prefix in node.prefixed.items() if node.prefixed else ():
        for part, below in by_prefix.get(segment[:length], ()):
            found = dict(values)
            if part.read(segment, found):
                best = _walk(below, segments, at + 1, query, found, best)
    return _rest(node, "/".join(segments[at:]), query, values, best) if node.rests else best


def _rest(node: _Node, rest: str, query: Query, values: dict[str, str], best: Match | None) -> Match | None:
    for length, by_prefix in node.rests.items() if node.rests else ():
        for part, ends in by_prefix.get(rest[:length], ()):
            found = dict(values)
            if part.read(rest, found):
                best = ends.find(query, found, best)
    return best


def _better(best: Match | None, end: _End, query: Query, values: dict[str, str]) -> Match | None:
    if best is not None and best.index < end.index:
        return best
    keys = query.keys()
    if keys != end.keys and not (end.is_open and end.keys <= keys):
        return best
    found = end.read(query, values)
    return best if found is None else Match(end.index, found)


def _bucket(table: dict[int, dict[str, list[Any]]], part: Free) -> list[Any]:
    prefix = "" if isinstance(part, Alone) else part.prefix
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
