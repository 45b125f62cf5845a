"""Finds main text in the plainest of places: paragraphs of words alone, judged by what they stand in.

Reads far less than a walk: most elements of a page are neither paragraphs nor what they stand in.
"""

from collections.abc import Collection, Hashable

from recrawl.extract.html import Node, Tree
from recrawl.extract.main import FEWEST_LETTERS, is_linked, is_long
from recrawl.extract.regions import Region, region_of
from recrawl.extract.text import BLOCKS, UNSEEN, is_unseen
from recrawl.extract.turbo_late import is_element

_FRAMES = Region.FRAME | Region.FRAME_LIKE | Region.NOSCRIPT
_OTHER = BLOCKS | UNSEEN
_LIKE_PARAGRAPHS = ("blockquote", "dd", "div", "li", "pre", "section", "td")
_MOST_INSIDE = 200  # elements: blocks may stand inside each other
_NEVER = UNSEEN | {"a"}


def letters_in_paragraphs(
    tree: Tree, suspects: Collection[Node], ignored: Collection[Hashable], mark: int, enough: int
) -> int:
    """How many letters of main text plain paragraphs hold, up to a little more than `enough`; there may be more. Where
    there are too few of them, other blocks without blocks inside are taken for paragraphs. `suspects`: all elements
    that may not be shown, and maybe others."""
    places = _Places(tree, suspects, ignored)
    letters = 0
    for tags in (("p",), _LIKE_PARAGRAPHS):
        for paragraph in tree.elements(tags):
            letters += _letters(paragraph, places, mark)
            if letters > enough:
                return letters
    return letters


def _letters(paragraph: Node, places: "_Places", mark: int) -> int:
    linked = places.linked(paragraph)
    if linked is None or len(text := paragraph.text) < FEWEST_LETTERS:
        return 0
    region = places.region(paragraph)
    if region is None or region & _FRAMES or (mark and not region & mark):
        return 0
    text = " ".join(text.split())
    return len(text) if is_long(text) and not is_linked(linked, len(text)) else 0


class _Places:
    """What the elements of a tree stand in, each found once."""

    def __init__(self, tree: Tree, suspects: Collection[Node], ignored: Collection[Hashable]) -> None:
        self._tree, self.suspects, self._ignored = tree, suspects, ignored
        self._known: dict[Node, int | None] = {}

    def linked(self, paragraph: Node) -> int | None:
        """How many letters of it stand in links, at most; None: there is more in it than words and a few links."""
        linked = 0
        for count, inner in enumerate(paragraph.iter_elements()):
            tag = inner.tag
            if tag in _OTHER or count >= _MOST_INSIDE or inner in self.suspects:
                return None
            if tag == "a":
                if inner.find("a") is not None:
                    return None
                linked += len(inner.text)
        return linked

    def region(self, element: Node) -> int | None:
        """Of a paragraph. None: nobody sees it, or all of it is a link."""
        if (parent := element.parent) in self._known:  # a paragraph among others
            region = self._known[parent]
            if region is None or (not element.attrs and element not in self.suspects):
                return region
            return self._below(region, element)
        unknown, above = [], element
        while is_element(above) and above not in self._known:
            unknown.append(above)
            above = above.parent
        region = self._known.get(above, Region.NONE)
        for one in reversed(unknown):
            region = self._known[one] = None if region is None else self._below(region, one)
        return region

    def _below(self, region: int, element: Node) -> int | None:
        tag = element.tag
        if tag in _NEVER or (element in self.suspects and is_unseen(self._tree, element, self._ignored)):
            return None
        if tag not in BLOCKS or tag in ("html", "body"):
            return region
        attribute = self._tree.attribute
        names = f"{attribute(element, 'id') or ''} {attribute(element, 'class') or ''}"
        return region | region_of(tag, attribute(element, "role"), names, region)
