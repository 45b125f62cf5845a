"""The facade over HTML parsers: the little that the rest of the room needs of a tree.

A second parser is one more module with a `parse` of this shape (`turbo`, `lexbor`); the same tests run over both.
Laws: elements come in document order; nothing inside an inert `<template>` is ever given; `<noscript>` is read
as markup, as a browser without scripting does; no method recurses.
"""

from collections.abc import Callable, Collection, Generator, Hashable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

# An element of whichever parser made the tree. Names are lower-cased; SVG's keep the prefix: `xlink:href`.
Element = Any
Node = Any  # an element, a text or whatever else a parser keeps in its tree


class Step(NamedTuple):
    """One step of a walk: an element entered, or (with `tag` '') a run of text. `depth` is that of its parent."""

    depth: int
    tag: str
    element: Element
    text: str


class Spelt(NamedTuple):
    """A body written out again by its parser (see `text_written`)."""

    page: str
    has_raw: bool  # elements whose text is written as it is, scripts and the like


class Elements(Protocol):
    """What can be asked of single elements."""

    def attribute(self, element: Element, name: str) -> str | None:
        """Its value, '' where it has none, None where there is no such attribute."""
        ...

    def caption(self, element: Element, chars: int) -> str:
        """The first text inside, white space folded: a bounded look, however much stands inside."""
        ...


class FlatElements:
    """Elements as dictionaries of their attributes; nobody knows what stands inside."""

    attribute = staticmethod(dict[str, str].get)

    def caption(self, element: dict[str, str], chars: int) -> str:
        return ""


FLAT = FlatElements()


class Tree(Elements, Protocol):
    def elements(self, tags: tuple[str, ...]) -> Iterator[Element]:
        """All elements of these names, in document order."""
        ...

    def hrefs(self) -> Iterable[str]:
        """Of all anchors and areas, in no order."""
        ...

    def nests(self, tag: str) -> bool:
        """Whether an element of this name may stand inside another one."""
        ...

    def alike(self, element: Element, other: Element) -> bool:
        """Whether an element of this tree and one of another are equal, with all that is inside them."""
        ...

    def select(self, selector: str) -> set[Hashable]:
        """Keys of the elements a CSS selector matches; none if the selector is broken."""
        ...

    def chosen(self, selector: str) -> list[Element]:
        """The elements themselves, in document order, but for those inside inert templates."""
        ...

    def key(self, element: Element) -> Hashable:
        """What tells one element of this tree from another."""
        ...

    def all_text(self) -> str:
        """All text, shown or not."""
        ...

    def flat(self) -> Iterable[Node] | None:
        """All nodes in document order as turbohtml has them; None: only a walk tells what is shown."""
        ...

    def written(self) -> Spelt | None:
        """What stands in the body as turbohtml writes it; None: it cannot be told from that what is shown."""
        ...

    def whole(self) -> str | None:
        """The same of the whole document."""
        ...

    def walk(self, skip: Collection[str]) -> Generator[Step, bool | None, None]:
        """Everything in document order, except what is inside elements named in `skip`. Sending True skips the
        inside of the element just entered."""
        ...


Parse = Callable[[str], Tree]

CAPTION_NODES = 64  # how far a caption looks
RAW = ("script", "style", "iframe", "noembed", "noframes")  # their text is written as it is, and nobody sees it
