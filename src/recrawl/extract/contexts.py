"""What the elements of a page that its parser wrote out again stand for, told by their tags (see `text_written`).

Pages of a template are made of the same few tags, so what was told of a tag once is remembered for all pages.
"""

from collections.abc import Mapping

from recrawl.extract.html import RAW
from recrawl.extract.text import BLOCKS, EMPHASIS, UNSEEN, Opened, is_hidden, opened
from recrawl.model.late import late

_VOID_TAGS = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
_VOID = frozenset(_VOID_TAGS.split())
_ATTRIBUTE = late(r' (=?[^ \t\n\f\r/>=]*)="([^"]*)"')
_DIGITS = str.maketrans("123456789", "0" * 9)
_LONGEST_LOOK = 200  # of a tag that is remembered
_MOST_LOOKS = 5_000  # of all pages together
LINK, STRESS = 1, 2
_MARKS = {"a": LINK, **dict.fromkeys(EMPHASIS, STRESS)}


class Odd(Exception):
    """What is written does not say where it ends: only a walk over the tree tells."""


class Context:
    """What an element stands for on the way through a page. `block` None: what is inside is not read. `named`: what it
    adds to the skeleton of the page. `is_void`: it has no inside."""

    __slots__ = ("block", "children", "ends_run", "is_void", "marks", "named")

    def __init__(self, block: Opened | None, marks: int = 0, named: str = "", *, ends_run: bool = False) -> None:
        self.block, self.marks, self.named, self.ends_run, self.is_void = block, marks, named, ends_run, False
        self.children: dict[str, Context] = {}

    @classmethod
    def void(cls, ends_run: bool = False) -> "Context":
        context = cls(None, ends_run=ends_run)
        context.is_void = True
        return context


NOTHING, BREAK, LINE = Context.void(), Context.void(), Context.void(ends_run=True)


class Contexts:
    """Those that were met so far, on whatever page."""

    def __init__(self) -> None:
        self.body = Context(opened(opened(Opened(0, ""), 0, "html", "", "", None)[0], 0, "body", "", "", None)[0])
        self._hidden = Context(None)
        self._known: dict[tuple[Opened, int, str, bool], Context] = {}
        self._looks = 0

    @property
    def is_full(self) -> bool:
        return self._looks + len(self._known) > _MOST_LOOKS

    def child(self, context: Context, tag: str) -> Context:
        """What an element with this tag, its attributes included, stands for below."""
        if tag[0] == "!" or "</" in tag:  # a comment, or a raw text with its end
            return NOTHING
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
            return NOTHING if name in _VOID else self._hidden
        if name in _VOID:
            return {"br": BREAK, "hr": LINE}.get(name, NOTHING)
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
            known = self._known[look] = Context(block, marks, named, ends_run=ends_run)
        return known


_shared = [Contexts()]


def shared_contexts() -> Contexts:
    """Those of all pages; once they are too many, they are forgotten."""
    if _shared[0].is_full:
        _shared[0] = Contexts()
    return _shared[0]


def unescaped(text: str) -> str:
    text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")


def _values(attributes: str) -> dict[str, str]:
    found = dict(_ATTRIBUTE.findall(" " + attributes)) if attributes else {}
    return {name: unescaped(value) if "&" in value else value for name, value in found.items()}
