"""Reads the same text as `text.Walk` from a page that its parser has written out again.

Written out, a page is regular: every element is closed, every `<` and `>` of a text or a value is escaped. One regular
expression cuts it into texts and tags, and one loop over these does what a walk over the tree does, at a third of its
price. Its state is kept every so many tags, so that of another version of the same page only what differs is read.
"""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from recrawl.extract.html import Spelt, Tree
from recrawl.extract.text import BLOCKS, EMPHASIS, EMPHASIS_LEVEL, UNSEEN, Opened, Reading, Run, is_hidden, opened
from recrawl.extract.turbo import RAW

_VOID_TAGS = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
_VOID = frozenset(_VOID_TAGS.split())
_COMMENT = "!--[^-]*+(?:-(?!->)[^-]*+)*+--"
_RAW = "|".join(f"{name}(?: [^>]*+)?+>[^<]*+(?:<(?!/{name}>)[^<]*+)*+</{name}" for name in RAW)
_TAGS = re.compile("<([^>]*+)>")
_ALL_TAGS = re.compile(f"<({_COMMENT}|{_RAW}|(?!!--)[^>]*+)>")
_ATTRIBUTE = re.compile(r' (=?[^ \t\n\f\r/>=]*)="([^"]*)"')
_LONGEST_LOOK = 200  # of a tag that is remembered
_EVERY = 32  # tags after which the state is kept, …
_DEEPEST, _LONGEST_RUN = 200, 300  # … which must be small, or a page of nothing but open tags would fill the memory
_LINK, _STRESS = 1, 2
_new = tuple.__new__  # what the constructor of a named tuple calls, without the way there


class Odd(Exception):
    """What is written does not say where it ends: only a walk over the tree tells."""


class Context:
    """What an element stands for on the way through a page. `block` None: nobody sees what is inside."""

    __slots__ = ("block", "children", "ends_run", "marks")

    def __init__(self, block: Opened | None, marks: int = 0, ends_run: bool = False) -> None:
        self.block, self.marks, self.ends_run = block, marks, ends_run
        self.children: dict[str, Context] = {}


_NOTHING, _BREAK, _LINE = Context(None), Context(None), Context(None)  # elements without an inside


class State(NamedTuple):
    """Where a reading stands. The numbers are those of letters in links and in emphasis, of the run under way."""

    context: Context
    outer: tuple[Context, ...]
    parts: tuple[str, ...] = ()
    linked: int = 0
    stressed: int = 0


class Mark(NamedTuple):
    """`runs`: how many were read when the reading stood there."""

    state: State
    runs: int


class Written:
    """The text of one page as read; ready to read other versions of it."""

    def __init__(self, spelt: Spelt) -> None:
        page = self.page = spelt.page
        self._suspects = spelt.may_hide
        self._tags = _tags_of(spelt)
        self.reading = Reading()
        self._tokens = self._tags.split(page)
        body = Context(opened(opened(Opened(0, ""), 0, "html", "", "", None)[0], 0, "body", "", "", None)[0])
        self._marks = [Mark(State(body, ()), 0)]
        self._body = body
        self._read_all(self._tokens, self._marks, self.reading.runs)

    def other(self, spelt: Spelt) -> Reading:
        """Another version of the page; its skeleton is not looked for."""
        if _tags_of(spelt) is not self._tags:
            raise Odd
        page = spelt.page
        self._suspects = self._suspects or spelt.may_hide
        ends, mine, longer = self._ends, self.page, len(page) - len(self.page)
        begin = 0
        while begin + 1 < len(ends) and mine[ends[begin] : ends[begin + 1]] == page[ends[begin] : ends[begin + 1]]:
            begin += 1
        end, begin_at, end_at, longest = len(ends), ends[begin], len(mine), len(page) - ends[begin]
        for at in range(len(ends) - 1, begin, -1):
            start = ends[at]
            if len(mine) - start > longest or mine[start:end_at] != page[start + longer : end_at + longer]:
                break
            end, end_at = at, start
        runs = self.reading.runs[: self._marks[begin].runs]
        state = self._read_on(page[begin_at : end_at + longer], self._marks[begin].state, runs)
        if end < len(ends):
            if state == self._marks[end].state:
                return Reading(runs + self.reading.runs[self._marks[end].runs :])
            state = self._read_on(page[end_at + longer :], state, runs)
        self._end(state, runs)
        return Reading(runs)

    @property
    def _ends(self) -> list[int]:
        """Where in the page the marks stand."""
        starts = range(0, 2 * _EVERY * (len(self._marks) - 1), 2 * _EVERY)
        lengths = (2 * _EVERY + sum(map(len, self._tokens[at : at + 2 * _EVERY])) for at in starts)
        return [0, *accumulate(lengths)]

    def _read_all(self, tokens: Sequence[str], marks: list[Mark], runs: list[Run]) -> None:
        state = marks[0].state
        for at in range(0, len(tokens), 2 * _EVERY):
            state = self._read(tokens[at : at + 2 * _EVERY], state, runs)
            marks.append(Mark(state, len(runs)))
        marks.pop()  # behind the end
        self._end(state, runs)

    def _end(self, state: State, runs: list[Run]) -> None:
        if state.context is not self._body:
            raise Odd
        if state.parts:
            _keep(runs, self._body.block, state.parts, state.linked, state.stressed)

    def _read_on(self, written: str, state: State, runs: list[Run]) -> State:
        tokens = self._tags.split(written)
        if any("<" in text for text in tokens[::2]):
            raise Odd  # cut in the middle of a comment
        return self._read(tokens, state, runs)

    def _read(self, tokens: Sequence[str], state: State, runs: list[Run]) -> State:
        """One long loop on purpose: it turns once for every tag of every page."""
        context, linked, stressed = state.context, state.linked, state.stressed
        stack, parts = list(state.outer), list(state.parts)
        texts, tags = tokens[::2], tokens[1::2]
        for text, tag in zip(texts, tags if len(tags) == len(texts) else (*tags, ""), strict=True):
            if text and context.block is not None:
                if "&" in text:
                    text = _unescaped(text)
                if parts or not text.isspace():  # nothing begins with space
                    parts.append(text)
                    if context.marks:
                        letters = len(text.strip())
                        linked += letters if context.marks & _LINK else 0
                        stressed += letters if context.marks & _STRESS else 0
            if not tag:
                break
            if tag[0] == "/":
                if context.ends_run and parts:
                    _keep(runs, context.block, parts, linked, stressed)
                    parts, linked, stressed = [], 0, 0
                if not stack:
                    raise Odd
                context = stack.pop()
                continue
            child = context.children.get(tag) or self._child(context, tag)
            if child.ends_run or child is _LINE:
                if parts:
                    _keep(runs, context.block, parts, linked, stressed)
                    parts, linked, stressed = [], 0, 0
                if child is _LINE:
                    continue
            elif child is _NOTHING:
                continue
            elif child is _BREAK:
                if parts:
                    parts.append("\n")
                continue
            stack.append(context)
            context = child
        if len(stack) > _DEEPEST or len(parts) > _LONGEST_RUN:
            raise Odd
        return State(context, tuple(stack), tuple(parts), linked, stressed)

    def _child(self, context: Context, tag: str) -> Context:
        """What an element with this tag, its attributes included, stands for below."""
        may_hide = self._suspects and (" hidden=" in tag or " style=" in tag)
        if tag[:2] == "a " and not may_hide and "a" in context.children:
            return context.children["a"]
        if tag[0] == "!" or "</" in tag:  # a comment, or a raw text with its end
            return _NOTHING
        name, _, attributes = tag.partition(" ")
        if name in RAW:
            raise Odd  # without its end
        child = self._made(context, name, attributes, may_hide)
        if len(tag) < _LONGEST_LOOK and name not in ("a", "img"):
            context.children[tag] = child
        return child

    def _made(self, context: Context, name: str, attributes: str, may_hide: bool) -> Context:
        parent = context.block
        if parent is None:
            return _NOTHING if name in _VOID else Context(None)
        values = _values(attributes) if may_hide or name in BLOCKS else {}
        if name in UNSEEN or (may_hide and is_hidden(values.get("hidden"), values.get("style"))):
            return _NOTHING if name in _VOID else Context(None)
        if name in _VOID:
            return {"br": _BREAK, "hr": _LINE}.get(name, _NOTHING)
        if name in BLOCKS:
            identifier, classes = values.get("id", ""), values.get("class", "")
            block, named = opened(parent, 0, name, identifier, classes, values.get("role"))
            if named:
                self.reading.skeleton.add(named)
            return Context(block, context.marks, ends_run=True)
        if name not in context.children:
            marks = context.marks | (_LINK if name == "a" else _STRESS if name in EMPHASIS else 0)
            context.children[name] = Context(parent, marks)
        return context.children[name]


def written_text(tree: Tree, chars: int, nodes: int) -> Written | None:
    """None: the page has its limits or its oddities, and must be walked."""
    spelt = _spelt(tree, chars, nodes)
    try:
        return spelt and Written(spelt)
    except Odd:
        return None


def other_text(written: Written, tree: Tree, chars: int, nodes: int) -> Reading | None:
    """The same of another version of a page read before."""
    spelt = _spelt(tree, chars, nodes)
    try:
        return spelt and written.other(spelt)
    except Odd:
        return None


def _spelt(tree: Tree, chars: int, nodes: int) -> Spelt | None:
    """A page so short that no limit can bite."""
    spelt = tree.written()
    if spelt is None or len(spelt.page) > chars:
        return None
    return spelt if len(spelt.page) <= nodes or spelt.page.count("<") * 2 <= nodes else None


def _tags_of(spelt: Spelt) -> re.Pattern[str]:
    has_comments = "!" in spelt.page and "<!--" in spelt.page
    return _ALL_TAGS if spelt.has_raw or has_comments else _TAGS


def _keep(runs: list[Run], block: Opened | None, parts: Sequence[str], linked: int, stressed: int) -> None:
    """A run, if it holds more than space."""
    text = parts[0] if len(parts) == 1 else "".join(parts)
    if not text.isprintable() or "  " in text or text[0] == " " or text[-1] == " ":
        text = " ".join(text.split())
    if text and block is not None:
        level = block.level or (EMPHASIS_LEVEL if stressed * 10 >= len(text) * 9 else 0)
        shown = linked if linked < len(text) else len(text)
        runs.append(_new(Run, (block.place, text, level, shown, block.region, block.tag)))


def _unescaped(text: str) -> str:
    text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")


def _values(attributes: str) -> dict[str, str]:
    found = dict(_ATTRIBUTE.findall(" " + attributes)) if attributes else {}
    return {name: _unescaped(value) if "&" in value else value for name, value in found.items()}
