"""Blocks of documents that are not HTML: paragraphs of plain text, the text of every element of XML."""

from collections.abc import Iterator
from itertools import islice

from recrawl.extract.html import Tree
from recrawl.extract.places import ROOT, place_below
from recrawl.model.address import fingerprint
from recrawl.model.document import Block
from recrawl.model.late import late

PARAGRAPH = fingerprint("paragraph")

_BLANK_LINES = late(r"\n[\t\f\r ]*\n")


def text_blocks(text: str, chars: int) -> Iterator[Block]:
    for paragraph in _BLANK_LINES.split(text[:chars].replace("\r\n", "\n")):
        if folded := " ".join(paragraph.split()):
            yield Block(PARAGRAPH, folded)


def xml_blocks(tree: Tree, chars: int, nodes: int) -> Iterator[Block]:
    path = [(0, ROOT)]
    for step in islice(tree.walk(()), nodes):
        while path[-1][0] >= step.depth:
            path.pop()
        if step.tag:
            path.append((step.depth, place_below(path[-1][1], step.tag, "", "")))
        elif folded := " ".join(step.text.split())[:chars]:
            chars -= len(folded)
            yield Block(path[-1][1], folded)
