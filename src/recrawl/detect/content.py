"""What of a document is content: its title, its main text, and where the links of its main text lead.

Links count because a list may change its targets and not one word. They come as one block, in an order of
their own, without the parameters that look like tokens (sessions, cache busters); where they still differ at
every look, that block is learnt as noise like any other. So does whether the page asks not to be found: a page that
turns `noindex` must leave the index though not one word of it changed.
"""

from collections.abc import Iterable
from functools import lru_cache

from recrawl.detect.digest import fold, words
from recrawl.detect.known_words import known_words
from recrawl.detect.lately import lately
from recrawl.detect.shapes import Shape, shape_of
from recrawl.model.document import Block, Document, Media
from recrawl.model.page import Link

TITLE = -1  # places of what stands nowhere in the text
LINKS = -2
HIDDEN = -3
ASIDE = frozenset({LINKS, HIDDEN})  # compared, but no words that anybody reads
COUNTED_RELATIONS = frozenset({"a", "area", "next"})
MOST_LINKS = 5_000
REMEMBERED_LETTERS = 2_000


@lately
def content(document: Document) -> tuple[Block, ...]:
    """Folded, non-empty blocks: title, main text, links, and the wish not to be found."""
    hidden = (Block(HIDDEN, "noindex"),) if "noindex" in document.directives else ()
    return (*text_blocks(document), *link_blocks(document), *hidden)


def text_blocks(document: Document) -> tuple[Block, ...]:
    blocks = (Block(TITLE, document.title), *document.main)
    return tuple(block for block in map(_folded, blocks) if block.text)


def _folded(block: Block) -> Block:
    """Most are folded already, since they come from a document."""
    text = _folded_text(block.text) if len(block.text) <= REMEMBERED_LETTERS else fold(block.text)
    return block if text == block.text and not block.level else Block(block.place, text)


_folded_text = lru_cache(maxsize=512)(fold)  # most of what two versions of a page say is the same


def link_blocks(document: Document) -> tuple[Block, ...]:
    targets = sorted({target(link.url) for link in _main_links(document)})
    return (Block(LINKS, " ".join(targets)),) if targets else ()


def has_text(document: Document | None) -> bool:
    return document is not None and document.media is not Media.OTHER and bool(document.title or document.main)


def target(url: str) -> str:
    """An address without fragment, path parameters and token-like query values: near enough to canonical."""
    if "?" not in url and "#" not in url and ";" not in url:
        return url
    base, _, query = url.partition("#")[0].partition("?")
    path = "/".join(segment.partition(";")[0] for segment in base.split("/"))
    kept = [pair for pair in query.split("&") if pair and not _is_token(pair)]
    return path + ("?" + "&".join(sorted(kept)) if kept else "")


def _is_token(pair: str) -> bool:
    value = pair.partition("=")[2]
    return len(value) >= 8 and shape_of(value) in (Shape.TOKEN, Shape.MOMENT)


def _main_links(document: Document) -> Iterable[Link]:
    """Links all of whose words stand in the main text; a document does not say where its links stand."""
    counted = [link for link in document.links[:MOST_LINKS] if link.relation in COUNTED_RELATIONS]
    if not counted:
        return []
    known = known_words(document.main)
    return [link for link in counted if link.text.strip() and known.has(_caption_words(link.text))]


@lru_cache(maxsize=4096)  # menus say the same on every page
def _caption_words(text: str) -> frozenset[bytes]:
    return frozenset(words(text))
