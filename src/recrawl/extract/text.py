"""Walks a tree once and reads its visible text: runs between block-level tags, each with its place and region."""

import re
from collections.abc import Collection, Generator, Hashable, Sequence
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from recrawl.extract.html import Element, Step, Tree
from recrawl.extract.places import ROOT, place_below, signature
from recrawl.extract.regions import Region, region_of
from recrawl.model.late import late
from recrawl.model.values import dataclass

_UNSEEN_TAGS = "audio canvas datalist desc head iframe metadata noembed noframes object rp script style title video"
_BLOCK_TAGS = (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav noscript ol "
    "optgroup option p plaintext pre search section select summary table tbody td textarea tfoot th thead tr ul "
    "xmp"
)
UNSEEN = frozenset(_UNSEEN_TAGS.split())  # never shown: no text is read inside
BLOCKS = frozenset(_BLOCK_TAGS.split())
HEADINGS = {f"h{level}": level for level in range(1, 7)}
EMPHASIS = frozenset({"b", "strong", "em", "mark"})
EMPHASIS_LEVEL = 8

_NOT_SHOWN = late(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))",
    re.IGNORECASE | re.ASCII,  # CSS knows the case of ASCII only
)
_LANDMARKS = frozenset({"article", "aside", "footer", "header", "main", "nav"})
_CONTAINERS = frozenset({"div", "section", "form"})
_STRUCTURE = _LANDMARKS | _CONTAINERS | {"table", "ul", "ol", "dl"}
_CLOSED = _LANDMARKS - {"main"}  # their inside differs from page to page
_MAIN_LEVELS = 2


class Run(NamedTuple):
    """A block with what is needed to judge it. `link_chars`: how much of its text stands inside links."""

    place: int
    text: str
    level: int
    link_chars: int
    region: int
    tag: str


@dataclass(slots=True)
class Reading:
    """What one walk brought."""

    runs: list[Run] = field(default_factory=list)
    skeleton: set[str] = field(default_factory=set)
    cut: bool = False  # there is more text than may be read


class Opened(NamedTuple):
    """A block-level element that has been entered and not left. `skeleton`: levels below that are still structure."""

    depth: int
    tag: str
    place: int = ROOT
    region: int = Region.NONE
    level: int = 0
    skeleton: int = 4


def read_runs(tree: Tree, ignored: Collection[Hashable], chars: int, nodes: int) -> Reading:
    """All visible text outside the ignored elements, up to so many characters and nodes, and the page's skeleton."""
    return Walk(tree, ignored, chars).read(nodes)


class Walk:
    def __init__(self, tree: Tree, ignored: Collection[Hashable], chars: int) -> None:
        self._tree = tree
        self._ignored = ignored
        self._left_chars = chars
        self._pending_chars = 0
        self._reading = Reading()
        self._blocks = [Opened(0, "")]
        self._links: list[int] = []  # depths of the links we are in
        self._stresses: list[int] = []  # and of the emphases
        self._parts: list[str] = []
        self._linked = self._stressed = 0

    def read(self, nodes: int) -> Reading:
        steps = self._tree.walk(UNSEEN)
        step = next(steps, None)
        while step is not None and self._pending_chars < self._left_chars and nodes > 0:
            nodes -= 1
            self._leave(step.depth)
            if step.tag:
                step = _advance(steps, self._enter(step))
            else:
                self._hear(step.text)
                step = next(steps, None)
        self._reading.cut = step is not None
        self._flush()
        return self._reading

    def _hear(self, text: str) -> None:
        self._parts.append(text)
        self._pending_chars += len(text)
        if self._links:
            self._linked += len(text.strip())
        if self._stresses:
            self._stressed += len(text.strip())

    def _leave(self, depth: int) -> None:
        """Close what is not an ancestor of something at this depth."""
        while self._blocks[-1].depth >= depth:
            self._flush()
            self._blocks.pop()
        for depths in (self._links, self._stresses):
            while depths and depths[-1] >= depth:
                depths.pop()

    def _enter(self, step: Step) -> bool:
        """Open an element; True if nothing inside it shall be read."""
        tag = step.tag
        if is_unseen(self._tree, step.element, self._ignored):
            return True
        if tag in BLOCKS:
            self._flush()
            self._blocks.append(self._block(self._blocks[-1], step.depth, tag, step.element))
        elif tag == "br":
            self._parts.append("\n")
        elif tag == "a":
            self._links.append(step.depth)
        elif tag in EMPHASIS:
            self._stresses.append(step.depth)
        return False

    def _block(self, parent: Opened, depth: int, tag: str, element: Element) -> Opened:
        attribute = self._tree.attribute
        identifier, classes = attribute(element, "id") or "", attribute(element, "class") or ""
        block, named = opened(parent, depth, tag, identifier, classes, attribute(element, "role"))
        if named:
            self._reading.skeleton.add(named)
        return block

    def _flush(self) -> None:
        """The run ends here."""
        if self._parts:
            self._keep(self._blocks[-1], self._parts, self._linked, self._stressed)
            self._parts, self._pending_chars, self._linked, self._stressed = [], 0, 0, 0

    def _keep(self, block: Opened, parts: Sequence[str], linked: int, stressed: int) -> None:
        """A run, if it holds more than space."""
        whole = " ".join("".join(parts).split())
        text = whole[: self._left_chars]
        if len(text) < len(whole):
            self._reading.cut = True
        if text:
            level = block.level or (EMPHASIS_LEVEL if stressed * 10 >= len(text) * 9 else 0)
            shown = min(linked, len(text))
            self._reading.runs.append(Run(block.place, text, level, shown, block.region, block.tag))
            self._left_chars -= len(text)


@lru_cache(maxsize=4096)  # pages of a template open the same few
def opened(parent: Opened, depth: int, tag: str, identifier: str, classes: str, role: str | None) -> tuple[Opened, str]:
    """The block that an element opens, and what it adds to the skeleton of the page ('': nothing)."""
    if tag in ("html", "body"):  # their classes speak of the page, not of the place
        return Opened(depth, tag, place_below(parent.place, tag, "", ""), parent.region), ""
    region = region_of(tag, role, f"{identifier} {classes}", parent.region)
    named, levels = _skeleton(parent, tag, identifier, classes, region)
    place = place_below(parent.place, tag, identifier, classes)
    return Opened(depth, tag, place, parent.region | region, HEADINGS.get(tag) or parent.level, levels), named


def _skeleton(parent: Opened, tag: str, identifier: str, classes: str, region: int) -> tuple[str, int]:
    """Landmarks and named containers near the root make the skeleton; how many levels below still count."""
    if parent.skeleton == 0 or tag not in _STRUCTURE:
        return "", 0
    named = ""
    if parent.region & Region.MAIN:
        identifier = ""  # inside the content ids name the page's own sections
    if identifier or classes or tag in _LANDMARKS:
        named = f"{parent.place}/{signature(tag, identifier, classes)}"
    elif tag not in _CONTAINERS:
        return "", 0
    if tag in _CLOSED or region & Region.FRAME_LIKE:
        return named, 0
    return named, _MAIN_LEVELS if tag == "main" else parent.skeleton - 1


def is_unseen(tree: Tree, element: Element, ignored: Collection[Hashable]) -> bool:
    if ignored and tree.key(element) in ignored:
        return True
    return is_hidden(tree.attribute(element, "hidden"), tree.attribute(element, "style"))


def is_hidden(hidden: str | None, style: str | None) -> bool:
    """By the values of these attributes."""
    if hidden is not None and hidden.lower() != "until-found":
        return True
    return style is not None and _NOT_SHOWN.search(style) is not None


def _advance(steps: Generator[Step, bool | None, None], skip: bool) -> Step | None:
    try:
        return steps.send(skip)
    except StopIteration:
        return None
