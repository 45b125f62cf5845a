"""selectolax (lexbor) behind the facade: the second parser, in the extra `lexbor`.

It follows the standard as closely, but deep nesting and many attributes cost it quadratic time and it gives no way
into declarative shadow roots: it is here to keep the facade honest and as a way out, not for hostile pages.
"""

from collections.abc import Collection, Generator, Hashable, Iterator
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from recrawl.extract.html import CAPTION_NODES, Step

_TEXT = "-text"


class LexborTree:
    def __init__(self, parser: LexborHTMLParser) -> None:
        self._parser = parser

    def elements(self, tags: tuple[str, ...]) -> Iterator[LexborNode]:
        return iter(self._parser.css(",".join(tags)))

    def attribute(self, element: LexborNode, name: str) -> str | None:
        attributes = element.attributes
        return attributes[name] or "" if name in attributes else None

    def hrefs(self) -> Iterator[str]:
        return (href for node in self._parser.css("a, area") if (href := self.attribute(node, "href")) is not None)

    def caption(self, element: LexborNode, chars: int) -> str:
        nodes = islice(element.traverse(include_text=True), 1, CAPTION_NODES + 1)
        parts = [node.text_content or "" for node in nodes if node.tag == _TEXT]
        return " ".join("".join(parts).split())[:chars]

    def nests(self, tag: str) -> bool:
        return True

    def alike(self, element: LexborNode, other: LexborNode) -> bool:
        return element.html == other.html

    def select(self, selector: str) -> set[Hashable]:
        try:
            return {node.mem_id for node in self._parser.css(selector)}
        except (SelectolaxError, ValueError):
            return set()

    def chosen(self, selector: str) -> list[LexborNode]:
        return self._parser.css(selector)

    def key(self, element: LexborNode) -> Hashable:
        return element.mem_id

    def all_text(self) -> str:
        return self._parser.root.text() if self._parser.root else ""

    def flat(self) -> None:
        return None

    def written(self) -> None:
        return None

    def whole(self) -> None:
        return None

    def walk(self, skip: Collection[str]) -> Generator[Step, bool | None, None]:
        stack: list[Iterator[LexborNode]] = [iter([self._parser.root] if self._parser.root else [])]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
            elif node.tag == _TEXT:
                yield Step(len(stack), "", None, node.text_content or "")
            elif _is_element(node) and node.tag not in skip and not (yield Step(len(stack), node.tag or "", node, "")):
                stack.append(node.iter(include_text=True, skip_empty=False))


def _is_element(node: LexborNode) -> bool:
    return node.tag != "template" and not (node.tag or "-").startswith(("-", "!"))


def parse(text: str) -> LexborTree:
    return LexborTree(LexborHTMLParser(text))
