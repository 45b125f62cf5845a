"""Reads the same text as `text.Walk` from a page that its parser has written out again.

Written out, a page is regular: every element is closed, every `<` and `>` of a text or a value is escaped. One regular
expression cuts it into texts and tags, and one loop over these does what a walk over the tree does, at a third of its
price. Its state is kept every so many tags, so that of another version of the same page only what differs is read.
"""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from recrawl.extract.contexts import BREAK, LINK, STRESS, Context, Odd, shared_contexts, unescaped
from recrawl.extract.html import RAW, Spelt, Tree
from recrawl.extract.space import folded
from recrawl.extract.text import EMPHASIS_LEVEL, Opened, Reading, Run
from recrawl.model.ends import ends
from recrawl.model.late import late

_COMMENT = "!--[^-]*+(?:-(?!->)[^-]*+)*+--"
_RAW = "|".join(f"{name}(?: [^>]*+)?+>[^<]*+(?:<(?!/{name}>)[^<]*+)*+</{name}" for name in RAW)
_TAGS = late("<([^>]*+)>")
_ALL_TAGS = late(f"<({_COMMENT}|{_RAW}|(?!!--)[^>]*+)>")
_EVERY = 32  # tags after which the state is kept, …
_DEEPEST, _LONGEST_RUN = 200, 300  # … which must be small, or a page of nothing but open tags would fill the memory
_FARTHER = 4_000  # letters that may have come in between
_new = tuple.__new__  # what the constructor of a named tuple calls, without the way there


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
        self._contexts = shared_contexts()
        self._tokens = self._tags.split(spelt.page)
        self._marks: list[Mark] = []
        start = State(self._contexts.body, ())
        self._end(self._read(self._tokens, start, self.reading, self._marks), self.reading.runs)

    def other(self, spelt: Spelt) -> Reading:
        """Another version of the page; its skeleton is not looked for. Only what differs is read, each time from the
        mark before it to a mark where both go on alike."""
        if _tags_of(spelt) is not self._tags:
            raise Odd
        page, stops, marks, known = spelt.page, self._stops, self._marks, self.reading.runs
        runs: list[Run] = []
        at = here = 0
        while True:
            same = self._alike(page, here, at, stops)
            runs += known[marks[at].runs : marks[same].runs if same < len(marks) else None]
            if same == len(marks):
                return Reading(runs)
            at, here = same, here + stops[same] - stops[at]
            mark, there = self._meeting(page, here, at, stops)
            read = Reading()
            state = self._read_on(page[here:there], marks[at].state, read)
            goes_on = mark < len(marks) and state == marks[mark].state
            if not goes_on:
                self._end(self._read_on(page[there:], state, read), read.runs)
            runs += _with_known(read.runs, known[marks[at].runs : marks[mark].runs if goes_on else None])
            if not goes_on:
                return Reading(runs)
            at, here = mark, there

    def _alike(self, page: str, here: int, at: int, stops: Sequence[int]) -> int:
        """Up to which mark the other page, from here on, says what this one says from its mark on."""
        mine, last = self.page, len(stops) - 2
        while at < last and mine[stops[at] : stops[at + 1]] == page[here : here + stops[at + 1] - stops[at]]:
            here, at = here + stops[at + 1] - stops[at], at + 1
        return len(self._marks) if at == last and mine[stops[at] :] == page[here:] else at

    def _meeting(self, page: str, here: int, at: int, stops: Sequence[int]) -> tuple[int, int]:
        """A mark behind this one, and where in the other page that is said which follows it; else the end of both. The
        further a mark is, the further it is looked for: together they cost no more than reading so far."""
        step = 1
        while at + step < len(stops) - 1:
            begin, end = stops[at + step] - 1, stops[at + step + 1]  # from the end of the tag before it on
            found = page.find(self.page[begin:end], max(0, here - 1), here + 2 * (end - stops[at]) + _FARTHER)
            if found >= 0:
                return at + step, found + 1
            step += max(1, step // 2)
        return len(self._marks), len(page)

    @property
    def _stops(self) -> list[int]:
        """Where in the page the marks stand, and where it ends."""
        starts = range(0, 2 * _EVERY * (len(self._marks) - 1), 2 * _EVERY)
        lengths = (2 * _EVERY + len("".join(self._tokens[at : at + 2 * _EVERY])) for at in starts)
        return [0, *accumulate(lengths), len(self.page)]

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
        for at in range(0, len(texts), _EVERY):
            if len(stack) > _DEEPEST or len(parts) > _LONGEST_RUN:
                raise Odd
            if marks is not None:
                marks.append(Mark(State(context, tuple(stack), tuple(parts), linked, stressed), len(found.runs)))
            for text, tag in zip(texts[at : at + _EVERY], tags[at : at + _EVERY], strict=True):
                if text and context.block is not None:
                    if "&" in text:
                        text = unescaped(text)
                    if parts or not text.isspace():  # nothing begins with space
                        parts.append(text)
                        if context.marks:
                            letters = len(text.strip())
                            linked += letters if context.marks & LINK else 0
                            stressed += letters if context.marks & STRESS else 0
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
                if not child.is_void:
                    stack.append(context)
                    context = child
                    if child.named:
                        skeleton.add(child.named)
                elif child is BREAK and parts:
                    parts.append("\n")
        return State(context, tuple(stack), tuple(parts), linked, stressed)


def _with_known(runs: list[Run], known: list[Run]) -> list[Run]:
    """Those that another version has as well are its objects."""
    head, tail = ends(known, runs)
    return [*known[:head], *runs[head : len(runs) - tail], *known[len(known) - tail :]]


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
