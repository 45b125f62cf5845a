"""What of a document is content: its title, its main text, and where the links of its main text lead.

Links count because a list may change its targets and not one word. They come as one block, in an order of
their own, without the parameters that look like tokens (sessions, cache busters); where they still differ at
every look, that block is learnt as noise like any other. So does whether the page asks not to be found: a page that
turns `noindex` must leave the index though not one word of it changed.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from operator import is_
from typing import NamedTuple

from recrawl.detect.digest import fold, words
from recrawl.detect.known_words import KnownWords
from recrawl.detect.lately import lately
from recrawl.detect.shapes import Shape, shape_of
from recrawl.model.document import Block, Document, Media
from recrawl.model.ends import ends
from recrawl.model.page import Link
from recrawl.native import compiled

TITLE = -1  # places of what stands nowhere in the text
LINKS = -2
HIDDEN = -3
ASIDE = frozenset({LINKS, HIDDEN})  # compared, but no words that anybody reads
COUNTED_RELATIONS = frozenset({"a", "area", "next"})
MOST_LINKS = 5_000
_NOT_TO_BE_FOUND = (Block(HIDDEN, "noindex"),)


@lately
def content(document: Document) -> tuple[Block, ...]:
    """Folded, non-empty blocks: title, main text, links, and the wish not to be found."""
    return (*text_blocks(document), *link_blocks(document), *_hidden(document))


@lately
def but_for_links(document: Document) -> tuple[Block, ...]:
    """The same without its links, which cost more to find than all else."""
    return (*text_blocks(document), *_hidden(document))


def _hidden(document: Document) -> tuple[Block, ...]:
    return _NOT_TO_BE_FOUND if "noindex" in document.directives else ()


def leads_alike(old: Document, new: Document) -> bool:
    """The links in their main text are the same for certain, whatever they are. False: only looking will tell."""
    if compiled is None or old.links is not new.links:
        return False
    last = _last_alike[0]
    if last.old is not old or last.new is not new:
        alike = compiled.stand_alike(tuple(old.main), tuple(new.main), tuple(new.links), MOST_LINKS)
        last = _last_alike[0] = Alike(old, new, alike)
    return last.alike


class Alike(NamedTuple):
    """What was said last, which is asked twice of most."""

    old: Document | None
    new: Document | None
    alike: bool


_last_alike = [Alike(None, None, False)]


def text_blocks(document: Document) -> tuple[Block, ...]:
    """Those that another version shares are the same objects, so that comparing the two costs little."""
    return tuple([block for block in (_title(document.title), *_folded_main(document.main)) if block.text])


@lru_cache(maxsize=8)
def _title(text: str) -> Block:
    return Block(TITLE, fold(text))


class Folded(NamedTuple):
    """The main text of a document, and what each of its blocks became."""

    blocks: Sequence[Block]
    folded: Sequence[Block]


_last_folded = [Folded((), ())]  # most of the time the document asked for next is another version of the last one


def _folded_main(blocks: Sequence[Block]) -> Sequence[Block]:
    last = _last_folded[0]
    head, tail = ends(last.blocks, blocks, is_)
    between = _folded_each(tuple(blocks[head : len(blocks) - tail]))
    folded = [*last.folded[:head], *between, *last.folded[len(last.folded) - tail :]]
    _last_folded[0] = Folded(blocks, folded)
    return folded


def _folded_each(blocks: tuple[Block, ...]) -> Sequence[Block]:
    if compiled is None:
        return [_folded(block) for block in blocks]
    made: list[Block] = compiled.folded_blocks(blocks, _folded)
    return made


def _folded(block: Block) -> Block:
    """Most are folded already, since they come from a document."""
    text = fold(block.text)
    return block if text == block.text and not block.level else Block(block.place, text)


class Linked(NamedTuple):
    """The links of a document that count by their relation, the words of each, and what is told of them."""

    known: KnownWords
    links: list[Link]
    captions: list[frozenset[bytes]]
    counts: list[bool]
    blocks: tuple[Block, ...]


_last_linked: list[Linked] = []
_last_targets: list[tuple[Block, ...]] = [()]


def link_blocks(document: Document) -> tuple[Block, ...]:
    """Of the links all of whose words stand in the main text; a document does not say where its links stand."""
    if compiled is not None:
        targets = compiled.link_targets(tuple(document.main), tuple(document.links), MOST_LINKS)
        if targets is not None:
            return _linked_to(targets)
    return read_link_blocks(document)


def _linked_to(targets: str) -> tuple[Block, ...]:
    """The same object as that of another version which leads to the same: comparing the two then ends there."""
    last = _last_targets[0]
    if not targets or (last and last[0].text == targets):
        return last if targets else ()
    made = _last_targets[0] = (Block(LINKS, targets),)
    return made


def read_link_blocks(document: Document) -> tuple[Block, ...]:
    """The same of any document, in Python."""
    links = [link for link in document.links[:MOST_LINKS] if link.relation in COUNTED_RELATIONS and link.text.strip()]
    if not links:
        return ()
    texts = [block.text for block in document.main]
    alike = _linked_like(_last_linked[0], links, texts) if _last_linked else None
    linked = alike or _linked(KnownWords(texts), links)
    _last_linked[:] = [linked]
    return linked.blocks


def _linked_like(other: Linked, links: list[Link], texts: list[str]) -> Linked | None:
    """By what is known of another version; None where it differs in much."""
    if (beside := other.known.beside(texts)) is None:
        return None
    known, differing = beside
    if links != other.links:
        return _linked(known, links)
    before = zip(other.captions, other.counts, strict=True)
    unsure = [(caption, counts) for caption, counts in before if not differing.isdisjoint(caption)]
    is_same = known.has_each([caption for caption, _ in unsure]) == [counts for _, counts in unsure]
    return other._replace(known=known) if is_same else _linked(known, links)


def _linked(known: KnownWords, links: list[Link]) -> Linked:
    captions = [_caption_words(link.text) for link in links]
    counts = known.has_each(captions)
    return Linked(known, links, captions, counts, _targets(links, counts))


def _targets(links: list[Link], counts: list[bool]) -> tuple[Block, ...]:
    return _linked_to(" ".join(sorted({target(link.url) for link in compress(links, counts)})))


def has_text(document: Document | None) -> bool:
    return document is not None and document.media is not Media.OTHER and bool(document.title or document.main)


def target(url: str) -> str:
    """An address without fragment, path parameters and token-like query values: near enough to canonical."""
    return _stripped(url) if "?" in url or "#" in url or ";" in url else url


@lru_cache(maxsize=512)  # two versions of a page lead to nearly the same
def _stripped(url: str) -> str:
    base, _, query = url.partition("#")[0].partition("?")
    path = "/".join(segment.partition(";")[0] for segment in base.split("/"))
    kept = [pair for pair in query.split("&") if pair and not _is_token(pair)]
    return path + ("?" + "&".join(sorted(kept)) if kept else "")


def _is_token(pair: str) -> bool:
    value = pair.partition("=")[2]
    return len(value) >= 8 and shape_of(value) in (Shape.TOKEN, Shape.MOMENT)


if compiled is not None:
    compiled.linked(Block, Link, COUNTED_RELATIONS, _stripped)


@lru_cache(maxsize=4096)  # menus say the same on every page
def _caption_words(text: str) -> frozenset[bytes]:
    return frozenset(words(text))
