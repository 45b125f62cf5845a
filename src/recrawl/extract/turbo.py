"""turbohtml behind the facade: the parser recrawl uses."""

from collections.abc import Collection, Generator, Hashable, Iterable, Iterator
from itertools import islice
from typing import cast

import turbohtml

from recrawl.extract.html import CAPTION_NODES, RAW, Spelt, Step
from recrawl.extract.space import folded

_HREFS = turbohtml.XPath("//a/@href")
_HREFS_OF_ALL = turbohtml.XPath("//a/@href | //area/@href")
_TEXTS = (turbohtml.Text, turbohtml.CData)
_SEEN_AT_ONCE = ("template", "base", "meta", "link", "title", "area", "frame", "iframe", "main", "article")
_AT_ONCE = frozenset(_SEEN_AT_ONCE)  # few in most documents, and asked for often: found in one walk
_MOST_AT_ONCE = 1_000


class TurboTree:
    def __init__(self, document: turbohtml.Document, is_html: bool = False) -> None:
        self._document, self._is_html = document, is_html
        self._nests: dict[str, bool] = {}
        self._inert: set[turbohtml.Element] = set()
        self._at_once = _at_once(document) if is_html else None
        self._has_template = next(self.elements(("template",)), None) is not None
        if self._has_template:
            self._inert = _inert(document)

    def elements(self, tags: tuple[str, ...]) -> Iterator[turbohtml.Element]:
        if self._at_once is not None and _AT_ONCE.issuperset(tags):
            found = iter([element for tag, element in self._at_once if tag in tags])
        else:
            found = self._document.iter_elements(tags)
        return (element for element in found if element not in self._inert) if self._inert else found

    attribute = staticmethod(turbohtml.Element.attr)

    def hrefs(self) -> Iterable[str]:
        if not self._inert:
            has_areas = self._at_once is None or any(tag == "area" for tag, _ in self._at_once)
            return cast(list[str], (_HREFS_OF_ALL if has_areas else _HREFS)(self._document))
        return (href for element in self.elements(("a", "area")) if (href := element.attr("href")) is not None)

    def caption(self, element: turbohtml.Element, chars: int) -> str:
        # An element without its like inside is read whole, since no other caption reads the same nodes; of nested
        # ones each looks only so far. Together they stay linear.
        tag = element.tag
        nests = self._nests.get(tag)
        if (self.nests(tag) if nests is None else nests) and element.find(tag) is not None:
            nodes = islice(element.descendants, CAPTION_NODES)
            text = "".join(node.data for node in nodes if isinstance(node, _TEXTS))
        else:
            text = element.text
        return folded(text)[:chars]

    def nests(self, tag: str) -> bool:
        known = self._nests.get(tag)
        if known is None:
            known = self._nests[tag] = self._is_nested(tag)
        return known

    def _is_nested(self, tag: str) -> bool:
        if self._at_once is not None and tag in _AT_ONCE and sum(name == tag for name, _ in self._at_once) < 2:
            return False
        is_name = tag.isascii() and tag.isalnum()
        return not is_name or self._document.select_one(f"{tag} {tag}") is not None

    alike = staticmethod(turbohtml.Element.equals)

    def select(self, selector: str) -> set[Hashable]:
        try:
            return set(self._document.select(selector))
        except ValueError:
            return set()

    def chosen(self, selector: str) -> list[turbohtml.Element]:
        return [element for element in self._document.select(selector) if element not in self._inert]

    def key(self, element: turbohtml.Element) -> Hashable:
        return element

    def all_text(self) -> str:
        return str(self._document.text)

    def flat(self) -> Iterable[turbohtml.Node] | None:
        """Templates hide what stands in them or show it as a shadow: those trees are walked."""
        return None if self._has_template else self._document.descendants

    def written(self) -> Spelt | None:
        body = self._plain_body()
        return None if body is None else Spelt(body.inner_html, next(body.iter_elements(RAW), None) is not None)

    def whole(self) -> str | None:
        return None if self._plain_body() is None else str(self._document.html)

    def _plain_body(self) -> turbohtml.Element | None:
        """None: it cannot be told from what the parser writes what is shown."""
        body = self._document.find("body") if self._is_html and not self._has_template else None
        if body is None or any(_may_be_hidden(element) for element in (body, body.parent)):
            return None
        return None if any(map(_is_odd, body.iter_elements((*RAW, "xmp", "plaintext")))) else body

    def walk(self, skip: Collection[str]) -> Generator[Step, bool | None, None]:
        stack: list[Iterator[turbohtml.Node]] = [iter(self._document.children)]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
            elif isinstance(node, turbohtml.Element):
                tag = node.tag
                if tag in skip or (tag == "template" and _shadow(node) is None):
                    continue
                if not (yield Step(len(stack), tag, node, "")):
                    stack.append(iter(node.children))
            elif isinstance(node, _TEXTS):
                yield Step(len(stack), "", None, node.data)
            elif isinstance(node, turbohtml.DocumentFragment):
                stack.append(iter(node.children))


def parse(text: str) -> TurboTree:
    document = turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False)
    return TurboTree(document, is_html=True)


def parse_xml(text: str) -> TurboTree | None:
    """None: not well-formed."""
    try:
        return TurboTree(turbohtml.parse_xml(text))
    except turbohtml.HTMLParseError:
        return None


def _at_once(document: turbohtml.Document) -> list[tuple[str, turbohtml.Element]] | None:
    """With their names; None: there are too many to hold."""
    found = list(islice(document.iter_elements(_SEEN_AT_ONCE), _MOST_AT_ONCE))
    return [(element.tag, element) for element in found] if len(found) < _MOST_AT_ONCE else None


def _may_be_hidden(element: turbohtml.Node | None) -> bool:
    if not isinstance(element, turbohtml.Element):
        return True
    return element.attr("hidden") is not None or element.attr("style") is not None


def _is_odd(raw: turbohtml.Element) -> bool:
    """Shown though it is raw, no HTML, or a script that holds what looks like its end."""
    if raw.tag not in RAW or raw.namespace is not turbohtml.Namespace.HTML:
        return True
    return raw.tag == "script" and "<!--" in (code := raw.text) and "<script" in code.lower()


def _shadow(template: turbohtml.Element) -> turbohtml.Element | None:
    """A declarative shadow root is shown, without any script; every other template is inert."""
    return template if template.attr("shadowrootmode") in ("open", "closed") else None


def _inert(document: turbohtml.Document) -> set[turbohtml.Element]:
    """All elements inside inert templates. Templates inside templates are met once."""
    inside: set[turbohtml.Element] = set()
    for template in document.iter_elements("template"):
        if template not in inside and _shadow(template) is None:
            inside.update(template.iter_elements())
    return inside
