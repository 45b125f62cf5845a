"""A page as the wrapper sees it: elements by CSS or XPath, and their text. turbohtml's own tree, since it has both."""

from collections.abc import Iterator

import turbohtml

_BLOCKS = """
address article aside blockquote br caption dd details div dl dt fieldset figcaption figure footer form h1
h2 h3 h4 h5 h6 header hr legend li main nav ol optgroup option p pre section summary table tbody td tfoot th
thead tr ul
"""
BLOCKS = frozenset(_BLOCKS.split())
UNSEEN = frozenset({"script", "style", "template", "noscript"})
MOST_CHARS = 200_000  # of one element

Node = turbohtml.Element | turbohtml.Document
Found = turbohtml.Element | str


def page_tree(text: str) -> turbohtml.Document:
    """Inert templates are no part of the page."""
    document = turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False)
    for template in list(document.iter_elements("template")):
        if template.attr("shadowrootmode") not in ("open", "closed"):
            template.decompose()
    return document


def by_css(node: Node, selector: str) -> list[Found]:
    return list(node.select(selector))


def by_xpath(node: Node, expression: str) -> list[Found]:
    """Elements and texts; a count or a truth is a text too."""
    found = node.xpath(expression)
    if isinstance(found, list):
        return [one if isinstance(one, turbohtml.Element) else str(one) for one in found]
    if isinstance(found, float) and found.is_integer():
        return [str(int(found))]
    return [str(found)] if found != "" else []


def text_of(element: turbohtml.Element) -> str:
    """What is seen of it, white space folded and a space between blocks; of a script or style, its source."""
    if element.tag in UNSEEN:
        return str(element.text)
    parts: list[str] = []
    chars = 0
    for text in _seen(element):
        parts.append(text)
        chars += len(text)
        if chars > MOST_CHARS:
            break
    return " ".join("".join(parts).split())


def _seen(element: turbohtml.Element) -> Iterator[str]:
    stack: list[tuple[Iterator[turbohtml.Node], bool]] = [(iter(element.children), False)]
    while stack:
        nodes, is_block = stack[-1]
        node = next(nodes, None)
        if node is None:
            stack.pop()
            if is_block:
                yield " "
        elif isinstance(node, (turbohtml.Text, turbohtml.CData)):
            yield node.data
        elif isinstance(node, turbohtml.Element) and node.tag not in UNSEEN:
            block = node.tag in BLOCKS
            if block:
                yield " "
            stack.append((iter(node.children), block))
