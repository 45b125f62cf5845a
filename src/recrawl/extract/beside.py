"""What two versions of a page differ in, where their sources plainly say that it is but a part of their main text."""

from collections.abc import Callable, Container
from typing import Any

from recrawl.extract.document import NOTHING_SAID, TITLE_CHARS, Parsed
from recrawl.extract.page_read import BothRead, links_at_once, links_unmet, read_both
from recrawl.extract.resolve import origin_of
from recrawl.extract.sight import unescaped
from recrawl.extract.space import folded
from recrawl.extract.template import template_of
from recrawl.model.directives import from_headers
from recrawl.model.document import Document, Media, Row, Sides
from recrawl.model.page import Link
from recrawl.native import compiled

Fold = Callable[[str], str]


def side_by_side(new: Parsed, old: Parsed, met: Container[str] | None, fold: Fold) -> Sides | None:
    """Nothing is made of what they share. `met`: where other documents led; None: it is known where both lead. None:
    `compared` and `kept` will tell."""
    if compiled is None or new.media is not Media.HTML:
        return None
    both = _read(new, old, met, fold)
    if both is not None and both.told is not None:
        return _sides(_plain_document(new, both) or _document(new, met), both.told)
    if old.title != new.title or not old.leads_like(new):
        return None
    one, other = old.page, new.page
    if one is None or other is None or new.header_values("link"):
        return None
    told = compiled.side_by_side(one.reading.runs, other.reading.runs, other.items, fold)
    return None if told is None else _sides(_document(new, met), told)


def _read(new: Parsed, old: Parsed, met: Container[str] | None, fold: Fold) -> BothRead | None:
    """Both at once, where nobody has read any of them and they say the same in their heads."""
    if new.spelt is None or old.spelt is None or not new.is_unread or not old.is_unread:
        return None
    origin, settings = origin_of(new.url), new.settings
    if not origin or not old.is_set_like(new) or (new.url, new.charset) != (old.url, old.charset):
        return None
    if new.header_values("link") or old.header_values("link"):
        return None
    if new.header_values("x-robots-tag") != old.header_values("x-robots-tag"):
        return None
    both = read_both(new.spelt, old.spelt, settings, origin, met, fold)
    if both is None or (both.new is not None and len(both.new[5]) >= settings.link_limit):
        return None
    new.take(both.new)
    if both.new is not None:
        old.take(both.old)
    return both


def _plain_document(new: Parsed, both: BothRead) -> Document | None:
    """Of a page whose source says nothing to robots; its address is its base. None: only its resolver can tell where it
    leads."""
    links = links_at_once(both.unmet, origin_of(new.url), new.settings) if both.unmet else []
    if links is None:
        return None
    title, _, offers, runs, skeleton, *_ = both.new or ()
    told = new.header_values("x-robots-tag")
    return Document(
        media=new.media,
        charset=new.charset,
        base=new.url,
        title=folded(unescaped(title))[:TITLE_CHARS],
        links=tuple(links),
        directives=from_headers(told) if told else NOTHING_SAID,
        offers=offers,
        template=template_of(skeleton, runs),
    )


def _document(new: Parsed, met: Container[str] | None) -> Document:
    """The same of any."""
    page, links = new.page, list[Link]()
    if page is not None and met is not None:
        links = links_unmet(page, new.base, lambda: new.resolver, new.settings, met)
    return Document(
        media=new.media,
        charset=new.charset,
        base=new.base,
        title=new.title,
        links=tuple(links),
        directives=new.directives,
        offers=new.offers,
        template=new.template,
        cut=new.cuts(with_text=True),
    )


def _sides(document: Document, told: tuple[Any, ...]) -> Sides:
    gone, come, rows, *counts = told
    return Sides(document, gone, come, [Row(*row) for row in rows], *counts)
