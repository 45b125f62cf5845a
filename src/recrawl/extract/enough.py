"""Tells early that a page certainly has a main text of its own: reads no further than that takes."""

from collections.abc import Callable, Collection, Hashable, Sequence

from recrawl.extract.html import Node, Tree
from recrawl.extract.paragraphs import letters_in_paragraphs
from recrawl.extract.regions import Region
from recrawl.extract.text import Run

_MARKS = {"main": Region.MAIN, "article": Region.ARTICLE}


def has_main_text(
    tree: Tree, ignored: Collection[Hashable], letters: int, main_runs: Callable[[], Sequence[Run]]
) -> bool:
    """Whether the main text has more than so many letters: by its plainest paragraphs, which are taken whatever stands
    around them, else by reading it."""
    marked: set[Node] = tree.select("[role], [hidden], [style]")
    if letters_in_paragraphs(tree, marked | set(ignored), ignored, _mark(tree, marked), letters) > letters:
        return True
    return sum(len(run.text) for run in main_runs()) > letters


def _mark(tree: Tree, playing: Collection[Node]) -> int:
    """What main text must stand in; 0: anywhere."""
    named = {element.tag for element in tree.elements(tuple(_MARKS))}
    named |= {(tree.attribute(element, "role") or "").strip().lower() for element in playing}
    return next((mark for name, mark in _MARKS.items() if name in named), Region.NONE)
