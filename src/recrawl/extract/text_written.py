"""Reads the same text as `text.Walk` from a page that its parser has written out again.

Written out, a page is regular: every element is closed, every `<` and `>` of a text or a value is escaped. One regular
expression cuts it into texts and tags, and one loop over these does what a walk over the tree does, at a third of its
price. Its state is kept every so many tags, so that of another version of the same page only what differs is read.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from recrawl.extract.html import Spelt, Tree
from recrawl.extract.space import folded
from recrawl.extract.text import BLOCKS, EMPHASIS, EMPHASIS_LEVEL, UNSEEN, Opened, Reading, Run, is_hidden, opened
from recrawl.extract.turbo import RAW
from recrawl.model.ends import ends

_VOID_TAGS = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
_VOID = frozenset(_VOID_TAGS.split())
_COMMENT = "!--[^-]*+(?:-(?!->)[^-]*+)*+--"
_RAW = "|".join(f"{name}(?: [^>]*+)?+>[^<]*+(?:<(?!/{name}>)[^<]*+)*+</{name}" for name in RAW)
_TAGS = re.compile("<([^>]*+)>")
_ALL_TAGS = re.compile(f"<({_COMMENT}|{_RAW}|(?!!--)[^>]*+)>")
_ATTRIBUTE = re.compile(r' (=?[^ \t\n\f\r/>=]*)="([^"]*)"')
_DIGITS = str.maketrans("123456789", "0" * 9)
_LONGEST_LOOK = 200  # of a tag that is remembered
_MOST_LOOKS = 10_000  # of all pages together
_EVERY = 32  # tags after which the state is kept, …
_DEEPEST, _LONGEST_RUN = 200, 300  # … which must be small, or a page of nothing but open tags would fill the memory
_LINK, _STRESS = 1, 2
_new = tuple.__new__  # what the constructor of a named tuple calls, without the way there


class Odd(Exception):
    """What is written does not say where it ends: only a walk over the tree tells."""


class Context:
    """What an element stands for on the way through a page. `block` None: nobody sees what is inside. `named`: what it
    adds to the skeleton of the page."""

    __slots__ = ("block", "children", "ends_run", "marks", "named")

    def __init__(self, block: Opened | None, marks: int = 0, ends_run: bool = False, named: str = "") -> None:
        self.block, self.marks, self.ends_run, self.named = block, marks, ends_run, named
        self.children: dict[str, Context] = {}


_NOTHING, _BREAK, _LINE = Context(None), Context(None), Context(None, ends_run=True)  # elements without an inside
_HIDDEN = Context(None)
_MARKS = {"a": _LINK, **dict.fromkeys(EMPHASIS, _STRESS)}


class Contexts:
    """Those that were met so far, on whatever page: pages of a template stand for the same few."""

    def __init__(self) -> None:
        self.body = Context(opened(opened(Opened(0, ""), 0, "html", "", "", None)[0], 0, "body", "", "", None)[0])
        self._known: dict[tuple[Opened, int, str, bool], Context] = {}
        self._looks = 0

    @property
    def is_full(self) -> bool:
        return self._looks > _MOST_LOOKS

    def child(self, context: Context, tag: str) -> Context:
        """What an element with this tag, its attributes included, stands for below."""
        if tag[0] == "!" or "</" in tag:  # a comment, or a raw text with its end
            return _NOTHING
        name, _, attributes = tag.partition(" ")
        may_hide = attributes and (" hidden=" in tag or " style=" in tag)
        look = name
        if may_hide or (attributes and name in BLOCKS):  # which number it has says nothing, nor do attributes of others
            look = f"{name} {attributes.translate(_DIGITS)}"
        child = context.children.get(look)
        if child is None:
            child = self._made(context, name, _values(attributes) if look is not name else {})
            self._remember(context, look, child)
        if look != tag and name not in ("a", "img"):
            self._remember(context, tag, child)
        return child

    def _remember(self, context: Context, look: str, child: Context) -> None:
        if len(look) < _LONGEST_LOOK:
            context.children[look] = child
            self._looks += 1

    def _made(self, context: Context, name: str, values: Mapping[str, str]) -> Context:
        if name in RAW:
            raise Odd  # without its end
        parent = context.block
        if parent is None or name in UNSEEN or is_hidden(values.get("hidden"), values.get("style")):
            return _NOTHING if name in _VOID else _HIDDEN
        if name in _VOID:
            return {"br": _BREAK, "hr": _LINE}.get(name, _NOTHING)
        if name not in BLOCKS:
            return self._one(parent, context.marks | _MARKS.get(name, 0), "", ends_run=False)
        identifier, classes = values.get("id", ""), values.get("class", "")
        block, named = opened(parent, 0, name, identifier, classes, values.get("role"))
        return self._one(block, context.marks, named, ends_run=True)

    def _one(self, block: Opened, marks: int, named: str, ends_run: bool) -> Context:
        """The same for all elements that stand for the same: what was met inside one is known inside the others."""
        look = (block, marks, named, ends_run)
        known = self._known.get(look)
        if known is None:
            known = self._known[look] = Context(block, marks, ends_run, named)
        return known


_shared = [Contexts()]


def _contexts() -> Contexts:
    if _shared[0].is_full:
        _shared[0] = Contexts()
    return _shared[0]


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
        self.page, self._tags = spelt.page, _tags_of(spelt)
        self.reading = Reading()
        self._contexts = _contexts()
        self._tokens = self._tags.split(spelt.page)
        self._marks: list[Mark] = []
        start = State(self._contexts.body, ())
        self._end(self._read(self._tokens, start, self.reading, self._marks), self.reading.runs)

    def other(self, spelt: Spelt) -> Reading:
        """Another version of the page; its skeleton is not looked for."""
        if _tags_of(spelt) is not self._tags:
            raise Odd
        page = spelt.page
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
        found = Reading(self.reading.runs[: self._marks[begin].runs])
        state = self._read_on(page[begin_at : end_at + longer], self._marks[begin].state, found)
        if end < len(ends):
            if state == self._marks[end].state:
                return Reading(self._with_known(found.runs + self.reading.runs[self._marks[end].runs :]))
            state = self._read_on(page[end_at + longer :], state, found)
        self._end(state, found.runs)
        return Reading(self._with_known(found.runs))

    def _with_known(self, runs: list[Run]) -> list[Run]:
        """Those that this page has as well are its own objects."""
        known = self.reading.runs
        head, tail = ends(known, runs)
        return [*known[:head], *runs[head : len(runs) - tail], *known[len(known) - tail :]]

    @property
    def _ends(self) -> list[int]:
        """Where in the page the marks stand."""
        starts = range(0, 2 * _EVERY * (len(self._marks) - 1), 2 * _EVERY)
        lengths = (2 * _EVERY + len("".join(self._tokens[at : at + 2 * _EVERY])) for at in starts)
        return [0, *accumulate(lengths)]

    def _end(self, state: State, runs: list[Run]) -> None:
        if state.context is not self._contexts.body:
            raise Odd
        if state.parts:
            runs.append(_run(self._contexts.body.block, state.parts, state.linked, state.stressed))

    def _read_on(self, written: str, state: State, found: Reading) -> State:
        tokens = self._tags.split(written)
        if any("<" in text for text in tokens[::2]):
            raise Odd  # cut in the middle of a comment
        return self._read(tokens, state, found)

    def _read(self, tokens: Sequence[str], state: State, found: Reading, marks: list[Mark] | None = None) -> State:
        """One long loop on purpose: it turns once for every tag of every page."""
        context, outer, some, linked, stressed = state
        stack, parts, keep, skeleton = list(outer), list(some), found.runs.append, found.skeleton
        texts, tags, child_of = tokens[::2], [*tokens[1::2], ""], self._contexts.child
        child: Context | None
        for at in range(0, len(texts), _EVERY):
            if len(stack) > _DEEPEST or len(parts) > _LONGEST_RUN:
                raise Odd
            if marks is not None:
                marks.append(Mark(State(context, tuple(stack), tuple(parts), linked, stressed), len(found.runs)))
            for text, tag in zip(texts[at : at + _EVERY], tags[at : at + _EVERY], strict=True):
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
                    if parts and context.ends_run:
                        keep(_run(context.block, parts, linked, stressed))
                        parts, linked, stressed = [], 0, 0
                    if not stack:
                        raise Odd
                    context = stack.pop()
                    continue
                child = context.children.get(tag) or child_of(context, tag)
                if parts and child.ends_run:
                    keep(_run(context.block, parts, linked, stressed))
                    parts, linked, stressed = [], 0, 0
                if child.block is not None or child is _HIDDEN:
                    stack.append(context)
                    context = child
                    if child.named:
                        skeleton.add(child.named)
                elif child is _BREAK and parts:
                    parts.append("\n")
        return State(context, tuple(stack), tuple(parts), linked, stressed)


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


def _run(block: Opened | None, parts: Sequence[str], linked: int, stressed: int) -> Run:
    """Of text that is not all space; nobody hears what stands in no block."""
    assert block is not None
    text = folded(parts[0] if len(parts) == 1 else "".join(parts))
    level, letters = block.level, len(text)
    if stressed and not level and stressed * 10 >= letters * 9:
        level = EMPHASIS_LEVEL
    return _new(Run, (block.place, text, level, linked if linked < letters else letters, block.region, block.tag))


def _unescaped(text: str) -> str:
    text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")


def _values(attributes: str) -> dict[str, str]:
    found = dict(_ATTRIBUTE.findall(" " + attributes)) if attributes else {}
    return {name: _unescaped(value) if "&" in value else value for name, value in found.items()}
