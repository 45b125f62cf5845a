"""Tells early that a page certainly has a main text of its own: reads no further than that takes."""

from collections.abc import Collection, Hashable, Iterable, Sequence

from recrawl.extract.html import Node, Tree
from recrawl.extract.main import is_content
from recrawl.extract.paragraphs import letters_in_paragraphs
from recrawl.extract.regions import Region
from recrawl.extract.text import Opened
from recrawl.extract.text_flat import FlatWalk

_FRAMES = Region.FRAME | Region.FRAME_LIKE | Region.NOSCRIPT
_MARKS = {"main": Region.MAIN, "article": Region.ARTICLE}


def has_main_text(
    tree: Tree, nodes: Iterable[Node], ignored: Collection[Hashable], letters: int, chars: int, limit: int
) -> bool:
    """Whether `main_runs` would find more than so many letters, by runs it takes whatever follows them: long text with
    few links, outside every frame, and inside `main` or `article` where the page has those. False: perhaps."""
    mark = _mark(tree)
    if letters_in_paragraphs(tree, ignored, mark, letters) > letters:
        return True
    glance = _Glance(tree, ignored, chars, letters, mark)
    glance.read_nodes(nodes, limit)
    return glance.counted > letters


class _Glance(FlatWalk):
    def __init__(self, tree: Tree, ignored: Collection[Hashable], chars: int, letters: int, mark: int) -> None:
        super().__init__(tree, ignored, chars)
        self.counted = 0
        self._letters, self._mark = letters, mark

    def _keep(self, block: Opened, parts: Sequence[str], linked: int, stressed: int) -> None:
        known = len(self._reading.runs)
        super()._keep(block, parts, linked, stressed)
        if block.region & _FRAMES or (self._mark and not block.region & self._mark):
            return
        self.counted += sum(len(run.text) for run in self._reading.runs[known:] if is_content(run))
        if self.counted > self._letters:
            self._left_chars = 0  # enough


def _mark(tree: Tree) -> int:
    """What main text must stand in; 0: anywhere."""
    playing: set[Node] = tree.select("[role]")
    named = {element.tag for element in tree.elements(tuple(_MARKS))}
    named |= {(tree.attribute(element, "role") or "").strip().lower() for element in playing}
    return next((mark for name, mark in _MARKS.items() if name in named), Region.NONE)
