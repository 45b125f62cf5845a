"""Reads the text of a page and where it leads in one pass of the compiled part: over its source, where tags are plainly
nested, else over the page as its parser writes it.

The same as `text_written` and `links` read, at a fifth of their price; None where there is no compiled part, or where
only a walk over the tree will do.
"""

from collections.abc import Callable, Container
from typing import Any, NamedTuple

from recrawl.extract.contexts import BREAK, Context, Odd, shared_contexts
from recrawl.extract.html import FLAT, Tree
from recrawl.extract.links import anchor_read, rare_links
from recrawl.extract.resolve import Resolver, is_origin, origin_of
from recrawl.extract.settings import ExtractSettings
from recrawl.extract.sight import Sight, sight_told
from recrawl.extract.text import Reading, Run
from recrawl.extract.turbo_late import unescape
from recrawl.model.ends import ends
from recrawl.model.page import Link
from recrawl.native import compiled

Item = tuple[
    Any, ...
]  # an anchor (tag, href, rel, caption) or another element that may lead somewhere (tag, attributes)

_MOST_NODES_A_TAG = 8  # itself, parts of a table that it implies, and texts between them

if compiled is not None:
    compiled.contexts(Context, Run, BREAK, unescape)


class PageRead(NamedTuple):
    """`items` in document order."""

    reading: Reading
    items: list[Item]


class SourceRead(NamedTuple):
    """What a page without a tree says; its links are items of the page, not of its sight. `trail`: the way."""

    sight: Sight
    page: PageRead
    trail: object


class BothRead(NamedTuple):
    """Two versions, each None where it needs its tree. `told`: what they differ in, as the compiled part says it; None:
    that is not so plain. `unmet`: items of the new one that may lead to where no other led, if anybody asks."""

    new: tuple[Any, ...] | None
    old: tuple[Any, ...] | None
    told: tuple[Any, ...] | None
    unmet: list[Item] | None


def read_source(source: str, settings: ExtractSettings, beside: SourceRead | None = None) -> SourceRead | None:
    """Of a page so short that no limit can bite; where it is like another version of it that was read with the same
    settings, it is not read again. None: it needs its tree."""
    if compiled is None or not _is_short(source, settings):
        return None
    contexts = shared_contexts()
    chars, trail = settings.link_text_chars, None if beside is None else beside.trail
    try:
        read = compiled.read_source(source, settings.tags, contexts.body, contexts.child, chars, trail)
    except Odd:
        return None
    return source_told(read, settings)


def read_both(
    new: str, old: str, settings: ExtractSettings, origin: str, met: Container[str] | None, fold: Callable[[str], str]
) -> BothRead | None:
    """Two versions of a page, and what they differ in. `met` None: nobody asks where they lead. None: `read_source`
    will tell."""
    if compiled is None or not (met is None or isinstance(met, compiled.Met)):
        return None
    if not _is_short(new, settings) or not _is_short(old, settings):
        return None
    contexts, tags, chars, href_chars = shared_contexts(), settings.tags, settings.link_text_chars, settings.href_chars
    try:
        return BothRead(
            *compiled.beside(
                new, old, tags, contexts.body, contexts.child, chars, fold, origin, is_origin, href_chars, met
            )
        )
    except Odd:
        return None


def source_told(read: tuple[Any, ...] | None, settings: ExtractSettings) -> SourceRead | None:
    """Of what the compiled part read."""
    if read is None:
        return None
    title, others, offers, runs, skeleton, items, trail = read
    if len(items) >= settings.link_limit:
        return None
    return SourceRead(sight_told(title, others, offers), PageRead(Reading(runs, skeleton), items), trail)


def _is_short(source: str, settings: ExtractSettings) -> bool:
    size, most_nodes = len(source), settings.node_limit
    return size <= settings.text_chars and (size <= most_nodes or source.count("<") * _MOST_NODES_A_TAG <= most_nodes)


def read_page(tree: Tree, settings: ExtractSettings) -> PageRead | None:
    """Of a page so short that no limit can bite."""
    page = tree.whole() if compiled is not None else None
    if page is None or len(page) > settings.text_chars:
        return None
    if len(page) > settings.node_limit and page.count("<") * 2 > settings.node_limit:
        return None
    contexts = shared_contexts()
    try:
        read = compiled.read_page(page, contexts.body, contexts.child, settings.link_text_chars)
    except Odd:
        return None
    if read is None or len(read[2]) >= settings.link_limit:
        return None
    runs, skeleton, items = read
    return PageRead(Reading(runs, skeleton), items)


def links_of(page: PageRead, resolver: Resolver) -> list[tuple[Link, ...]]:
    """Of each item."""
    return _links_of_each(page.items, resolver)


def links_unmet(
    page: PageRead, base: str, resolver: Callable[[], Resolver], settings: ExtractSettings, met: Container[str]
) -> list[Link]:
    """Of all items but those that certainly lead to where others led; nearly always there is nothing to resolve."""
    items = page.items
    if compiled is not None and isinstance(met, compiled.Met):
        items = compiled.unmet_items(items, origin_of(base), is_origin, settings.href_chars, met)
    return [link for links in _links_of_each(items, resolver()) for link in links] if items else []


def links_at_once(items: list[Item], origin: str, settings: ExtractSettings) -> list[Link] | None:
    """Of all items, below this origin; None: some have no plain address."""
    plain = compiled.plain_links(items, origin, Link, is_origin, settings.href_chars)
    return None if None in plain else [link for links in plain for link in links]


def links_like(
    page: PageRead, other: PageRead, others: list[tuple[Link, ...]], resolver: Resolver
) -> list[tuple[Link, ...]]:
    """The same of another version with the same base, whose links are known: these very ones where none differs."""
    head, tail = ends(other.items, page.items)
    if head == len(page.items) == len(other.items):
        return others
    unknown = page.items[head : len(page.items) - tail]
    return [*others[:head], *_links_of_each(unknown, resolver), *others[len(others) - tail :]]


def runs_like(runs: list[Run], known: list[Run]) -> list[Run]:
    """Those that another version has as well are its objects: comparing the two then costs little."""
    head, tail = ends(known, runs)
    return [*known[:head], *runs[head : len(runs) - tail], *known[len(known) - tail :]]


def _links_of_each(items: list[Item], resolver: Resolver) -> list[tuple[Link, ...]]:
    """Most have a plain address."""
    plain = compiled.plain_links(items, resolver.origin, Link, is_origin, resolver.most_chars)
    return [links_of_item(item, resolver) if links is None else links for item, links in zip(items, plain, strict=True)]


def links_of_item(item: Item, resolver: Resolver) -> tuple[Link, ...]:
    if len(item) == 2:
        return tuple(rare_links(FLAT, item[1], item[0], resolver))
    tag, href, rel, caption = item
    link = anchor_read(tag, href, rel, caption, resolver)
    return () if link is None else (link,)
