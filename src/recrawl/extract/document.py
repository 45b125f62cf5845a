"""Holds the room together: bytes in, `Document` out; or, where less is needed, a `Parsed` that reads only that."""

from collections.abc import Callable, Container, Hashable, Sequence
from itertools import chain
from operator import is_
from typing import Any, NamedTuple

from recrawl.extract.bounds import bounded, within
from recrawl.extract.charset import decode
from recrawl.extract.enough import has_main_text
from recrawl.extract.fresh import fresh_links, fresh_links_seen
from recrawl.extract.html import Parse, Tree
from recrawl.extract.language import guessed, said
from recrawl.extract.links import (
    Anchored,
    anchored,
    anchored_like,
    base_of,
    based,
    links_in,
    links_of_header,
    refresh_of,
)
from recrawl.extract.main import main_runs
from recrawl.extract.mime import Kind, kind_of
from recrawl.extract.page_read import (
    PageRead,
    SourceRead,
    links_like,
    links_of,
    read_page,
    read_source,
    runs_like,
    source_told,
)
from recrawl.extract.plain import text_blocks, xml_blocks
from recrawl.extract.resolve import Resolver, absolute
from recrawl.extract.settings import DEFAULT, ExtractSettings
from recrawl.extract.sight import Sight, sight_of
from recrawl.extract.space import folded
from recrawl.extract.template import template_of
from recrawl.extract.text import Reading, Run, read_runs
from recrawl.extract.text_written import Written, other_text, written_text
from recrawl.extract.turbo_late import parse as parse_turbo
from recrawl.extract.turbo_late import read_flat
from recrawl.extract.xml import has_links, is_xhtml, read_xml
from recrawl.model.directives import from_headers, from_meta
from recrawl.model.document import Block, Document, Media
from recrawl.model.ends import ends
from recrawl.model.headers import all_values
from recrawl.model.once import once
from recrawl.model.page import Link
from recrawl.model.values import dataclass

Headers = Sequence[tuple[str, str]]

TITLE_CHARS = 1000
NOTHING_SAID = frozenset[str]()
OFFERS = 'script[type="application/ld+json" i], [itemscope], meta[property*=":"], meta[name*=":"]'


class Planted(NamedTuple):
    """A document within its bounds, and its tree. `cut`: which limits bit."""

    text: str = ""
    media: Media = Media.OTHER
    tree: Tree | None = None
    cut: str = ""


@dataclass(frozen=True)
class Parsed:
    """A document parsed once. Every property reads one thing of it, when first asked: a crawl that only needs the
    links of a page never pays for its text."""

    media: Media
    url: str
    charset: str
    settings: ExtractSettings
    headers: Headers
    ignore: Sequence[str]
    plant: Callable[[], Planted]
    beside: "Parsed | None" = None  # another version of the document, of which this one differs little
    sight: Sight | None = None
    spelt: str | None = None  # its source, where that may say enough without a tree

    @once
    def _planted(self) -> Planted:
        return self.plant()

    @property
    def tree(self) -> Tree | None:
        return self._planted.tree

    @property
    def source(self) -> str:
        return self._planted.text

    @once
    def _at_source(self) -> SourceRead | None:
        """Without a tree; None: it takes one, or there is one."""
        settings = self.settings
        if "_taken" in vars(self):
            return source_told(vars(self)["_taken"], settings)
        if self.spelt is None or "_planted" in vars(self) or settings.images or settings.scripts or settings.forms:
            return None
        known = self.beside
        return read_source(self.spelt, settings, known._at_source if known and self.is_set_like(known) else None)

    @once
    def _seen(self) -> Sight | None:
        if self.sight is not None:
            return self.sight
        return None if self._at_source is None else self._at_source.sight

    @once
    def base(self) -> str:
        if self._seen is not None:
            return based(self._seen.base, self.url, self.charset)
        return base_of(self.tree, self.url, self.charset) if self.tree and self._is_linked else absolute(self.url)

    @once
    def links(self) -> tuple[Link, ...]:
        """Those of the document, then those of its Link headers."""
        if self.beside is not None and self._leads_like(self.beside):
            return self.beside.links
        if self._item_links is not None:
            return (*chain.from_iterable(self._item_links), *links_of_header(self.header_values("link"), self.url))
        if self.tree is None or self._anchored is None:
            return tuple(links_of_header(self.header_values("link"), self.url))
        found = links_in(self._anchored, self.tree, self.resolver, self.settings)
        return (*found, *links_of_header(self.header_values("link"), self.url))

    @property
    def is_unread(self) -> bool:
        """Its source may say enough, and nobody has asked it yet."""
        settings, asked = self.settings, vars(self)
        wants_more = settings.images or settings.scripts or settings.forms
        is_asked = "_planted" in asked or "_at_source" in asked or "_taken" in asked
        return self.spelt is not None and not wants_more and not is_asked

    def take(self, read: tuple[Any, ...] | None) -> None:
        """What the compiled part read at its source; None: it takes a tree."""
        vars(self)["_taken"] = read

    def leads_like(self, other: "Parsed") -> bool:
        """At their source both say the same of where they lead and of what they ask of robots."""
        mine, others = self._at_source, other._at_source
        if mine is None or others is None or (self.url, self.charset) != (other.url, other.charset):
            return False
        if mine.page.items != others.page.items or mine.sight.others != others.sight.others:
            return False
        if not self.is_set_like(other):
            return False
        mine_said, others_said = self.header_values("link"), other.header_values("link")
        return mine_said == others_said and self.header_values("x-robots-tag") == other.header_values("x-robots-tag")

    def is_set_like(self, other: "Parsed") -> bool:
        return self.settings is other.settings or self.settings == other.settings

    def _leads_like(self, other: "Parsed") -> bool:
        if self._item_links is None or self._item_links is not other._item_links:
            return False
        return self.url == other.url and self.header_values("link") == other.header_values("link")

    @once
    def page(self) -> PageRead | None:
        """Read by the compiled part."""
        if self._at_source is not None:
            return self._at_source.page
        if self.tree is None or self.media is not Media.HTML or self._ignored:
            return None
        return read_page(self.tree, self.settings)

    @once
    def _item_links(self) -> list[tuple[Link, ...]] | None:
        settings, page, known = self.settings, self.page, self.beside
        if page is None or settings.images or settings.scripts or settings.forms:
            return None
        if known is None or known.page is None or known._item_links is None or not self._links_like(known):
            return links_of(page, self.resolver)
        return links_like(page, known.page, known._item_links, self.resolver)

    @once
    def _anchored(self) -> Anchored | None:
        if self.tree is None or not self._is_linked:
            return None
        known = self.beside
        if known is None or known._anchored is None or not self._links_like(known):
            return anchored(self.tree, self.resolver, self.settings)
        return anchored_like(known._anchored, self.tree, self.resolver, self.settings)

    def fresh_links(self, met: Container[str]) -> tuple[Link, ...]:
        """`links` but for those met before."""
        settings, sight = self.settings, self.sight
        if settings.images or settings.scripts or settings.forms or not self._is_linked:
            return self.links
        if sight is not None and sight.anchors + len(sight.others) < settings.link_limit:
            found = fresh_links_seen(sight, lambda: self.resolver, met)
        elif self.tree is None:
            return self.links
        else:
            found = fresh_links(self.tree, self.resolver, settings, met)
        told = self.header_values("link")
        return (*found, *links_of_header(told, self.url)) if told else tuple(found)

    @once
    def canonical(self) -> str:
        return next((link.url for link in self.links if link.relation == "canonical"), "")

    @once
    def refresh(self) -> str:
        """The first one counts: a browser leaves with it."""
        if self.tree is None or self.media is not Media.HTML:
            return ""
        targets = (refresh_of(self.tree, meta, self.resolver) for meta in self.tree.elements(("meta",)))
        return next(filter(None, targets), "")

    @once
    def title(self) -> str:
        """The first title that is not that of a drawing."""
        if self._seen is not None:
            return folded(self._seen.title)[:TITLE_CHARS]
        if self.tree is None:
            return ""
        titles = list(self.tree.elements(("title",)))
        if titles and (head := titles[0].parent) is not None and head.tag == "head":
            return self.tree.caption(titles[0], TITLE_CHARS)
        drawn = self.tree.select("svg title") if titles else ()
        shown = (element for element in titles if self.tree.key(element) not in drawn)
        return next((self.tree.caption(element, TITLE_CHARS) for element in shown), "")

    @once
    def language(self) -> str:
        declared = said(*self._root_languages(), *self.header_values("content-language"), self._meta_language())
        if declared or not self.settings.guess_language:
            return declared
        return guessed((block.text for block in self.blocks), self.charset)

    @once
    def directives(self) -> frozenset[str]:
        told, sight = self.header_values("x-robots-tag"), self.sight
        metas = self._metas("name") if sight is None or sight.others else []
        return from_meta(metas) | from_headers(told) if told or metas else NOTHING_SAID

    @property
    def offers(self) -> bool:
        if self.sight is not None:
            return self.sight.offers
        if self._seen is not None:
            return self._seen.offers
        return self.tree is not None and bool(self.tree.select(OFFERS))

    @once
    def blocks(self) -> tuple[Block, ...]:
        if self.media is Media.HTML:
            return _blocks(self._runs)
        if self.media is Media.XML and self.tree:
            return tuple(xml_blocks(self.tree, self.settings.text_chars, self.settings.node_limit))
        return tuple(text_blocks(self.source, self.settings.text_chars)) if self.media is not Media.OTHER else ()

    @once
    def main(self) -> tuple[Block, ...]:
        return self._main_blocks() if self.media is Media.HTML else self.blocks

    def _main_blocks(self) -> tuple[Block, ...]:
        """Those that another version shares are the same objects, so that comparing the two costs little."""
        runs, other = self._main_runs, self.beside
        if other is None or other.media is not Media.HTML:
            return _blocks(runs)
        head, tail = ends(other._main_runs, runs, is_)
        known = other.main
        return (*known[:head], *_blocks(runs[head : len(runs) - tail]), *known[len(known) - tail :])

    @once
    def _main_runs(self) -> Sequence[Run]:
        return main_runs(self._runs)

    @once
    def template(self) -> int:
        return template_of(self._reading.skeleton, self._reading.runs) if self.media is Media.HTML else 0

    def shows_a_page(self, letters: int) -> bool:
        """At sight it is certainly well decoded and has more main text than so many letters."""
        return self.sight is not None and not self.ignore and self.sight.letters > letters and self.sight.is_decoded

    def is_plainly_a_page(self, letters: int) -> bool:
        """The same by a closer look; False: only reading it all will tell."""
        if self.shows_a_page(letters):
            return True
        if self.sight is not None and self._at_source is not None:
            is_whole = self.sight.is_decoded and not self._reading.cut
            return is_whole and sum(len(run.text) for run in self._main_runs) > letters
        if self.tree is None or self.media is not Media.HTML or self.tree.flat() is None or not self._is_decoded:
            return False
        return has_main_text(self.tree, self._ignored, letters, lambda: () if self._reading.cut else self._main_runs)

    def cuts(self, *, with_text: bool) -> str:
        """Which limits bit, of all that was asked of it so far; `with_text`: of its text too."""
        settings, resolver = self.settings, vars(self).get("resolver")  # None: nothing was resolved yet
        if resolver is None and not with_text and self.sight is not None:
            return ""
        cuts = [self._planted.cut] if self._seen is None and self._planted.cut else []
        if resolver and resolver.left_unread:
            cuts.append(f"only its first {settings.link_limit} links were read (extract.link_limit)")
        if resolver and resolver.too_long:
            cuts.append(f"links beyond {settings.href_chars} characters are none (extract.href_chars)")
        if with_text and self.media is Media.HTML and self._reading.cut:
            chars, nodes = settings.text_chars, settings.node_limit
            cuts.append(f"of its text {chars} characters or {nodes} nodes (extract.text_chars, extract.node_limit)")
        return "; ".join(cuts)

    @property
    def _is_decoded(self) -> bool:
        """No replacement character: neither plain, nor as a reference, nor made of what stands for no character."""
        if not any(sign in self.source for sign in ("\ufffd", "&", "\0")):
            return True
        return self.tree is None or "\ufffd" not in self.tree.all_text()

    @once
    def _ignored(self) -> set[Hashable]:
        return {key for selector in self.ignore for key in self.tree.select(selector)} if self.tree else set()

    @once
    def resolver(self) -> Resolver:
        return Resolver(self.base, self.charset, self.settings.href_chars)

    @once
    def _written(self) -> Written | None:
        """The text as read from what the parser writes; None: it must be walked for."""
        if self.tree is None or self._ignored:
            return None
        return written_text(self.tree, self.settings.text_chars, self.settings.node_limit)

    @once
    def _runs(self) -> Sequence[Run]:
        if self.page is not None:
            runs = self.page.reading.runs
            return (
                runs
                if self.beside is None or self.beside.page is None
                else runs_like(runs, self.beside.page.reading.runs)
            )
        if self.tree is None or self.beside is None or self._ignored or self.beside._written is None:
            return self._reading.runs
        limits = self.settings.text_chars, self.settings.node_limit
        found = other_text(self.beside._written, self.tree, *limits)
        return found.runs if found else self._reading.runs

    @once
    def _reading(self) -> Reading:
        if self.page is not None:
            return self.page.reading
        if self.tree is None:
            return Reading()
        if self._written is not None:
            return self._written.reading
        flat, settings = self.tree.flat(), self.settings
        if flat is None:
            return read_runs(self.tree, self._ignored, settings.text_chars, settings.node_limit)
        return read_flat(self.tree, flat, self._ignored, settings.text_chars, settings.node_limit)

    def _links_like(self, other: "Parsed") -> bool:
        """A link would mean the same in both, and none of its own was too long, which is told of each version."""
        same = (self.base, self.charset, self.settings) == (other.base, other.charset, other.settings)
        return same and not other.resolver.too_long

    @once
    def _is_linked(self) -> bool:
        return self.media is Media.HTML or (self.media is Media.XML and has_links(self.source))

    def _root_languages(self) -> list[str | None]:
        roots = next(self.tree.elements(("html",)), None) if self.tree else None
        return [self.tree.attribute(roots, name) for name in ("lang", "xml:lang")] if self.tree and roots else []

    def _meta_language(self) -> str:
        return next((content for name, content in self._metas("http-equiv") if name == "content-language"), "")

    def _metas(self, key: str) -> list[tuple[str, str]]:
        if self._seen is not None:
            return self._seen.metas(key)
        if self.tree is None:
            return []
        metas = [(self.tree.attribute(meta, key), meta) for meta in self.tree.elements(("meta",))]
        return [(name.lower(), self.tree.attribute(meta, "content") or "") for name, meta in metas if name]

    def header_values(self, name: str) -> list[str]:
        return all_values(self.headers, name, any_case=True)


def parse(
    body: bytes,
    content_type: str,
    url: str,
    settings: ExtractSettings = DEFAULT,
    headers: Headers = (),
    ignore: Sequence[str] = (),
    parse_html: Parse = parse_turbo,
    beside: Parsed | None = None,
    *,
    met: Container[str] | None = None,
) -> Parsed:
    """`ignore`: CSS selectors of elements whose text does not count; their links do. `beside`: another version of the
    document, parsed in the same way: what both share is read once. `met`: less may be asked of it than its tree
    knows, which is made when it is needed; and of its links only those that do not lead there."""
    options = all_values(headers, "x-content-type-options", any_case=True)
    nosniff = bool(options) and any("nosniff" in value.lower() for value in options)
    kind = kind_of(body, content_type, sniff=not nosniff)
    if kind is Kind.OTHER:
        return Parsed(Media.OTHER, url, "", settings, headers, ignore, Planted)
    source, charset, _ = decode(within(body, settings.source_bytes), content_type)

    def plant() -> Planted:
        text, sound, cut = bounded(source, len(body), settings)
        return Planted(text, *_tree(kind, sound, parse_html), cut)

    if kind is Kind.HTML and parse_html is parse_turbo and len(body) <= settings.source_bytes:
        sight = sight_of(source, settings.tags, url, met) if met is not None else None
        spelt = None if ignore else source
        return Parsed(Media.HTML, url, charset, settings, headers, ignore, plant, beside, sight, spelt)
    planted = plant()
    return Parsed(planted.media, url, charset, settings, headers, ignore, lambda: planted, beside)


def read(
    body: bytes,
    content_type: str,
    url: str,
    settings: ExtractSettings = DEFAULT,
    headers: Headers = (),
    ignore: Sequence[str] = (),
) -> Document:
    """Everything there is to read. A broken document does not raise: it gives what could be read."""
    parsed = parse(body, content_type, url, settings, headers, ignore)
    _ = parsed.tree  # more is asked of it than its source tells
    return Document(
        media=parsed.media,
        charset=parsed.charset,
        base=parsed.base,
        title=parsed.title,
        language=parsed.language,
        blocks=parsed.blocks,
        main=parsed.main,
        links=parsed.links,
        canonical=parsed.canonical,
        refresh=parsed.refresh,
        directives=parsed.directives,
        offers=parsed.offers,
        template=parsed.template,
        cut=parsed.cuts(with_text=True),
    )


def compared(parsed: Parsed) -> Document:
    """What two versions of a page are compared by, and what becomes of the newer one: all but its whole text, its
    language and what it says of itself to others."""
    return Document(
        media=parsed.media,
        charset=parsed.charset,
        base=parsed.base,
        title=parsed.title,
        main=parsed.main,
        links=parsed.links,
        directives=parsed.directives,
        offers=parsed.offers,
        template=parsed.template,
        cut=parsed.cuts(with_text=True),
    )


def kept(parsed: Parsed) -> Document:
    """What the older one of two versions is compared by."""
    title, main, known = parsed.title, parsed.main, parsed.beside
    told = known if known is not None and parsed.leads_like(known) else parsed
    return Document(parsed.media, parsed.charset, title=title, main=main, links=told.links, directives=told.directives)


def glance(parsed: Parsed, met: Container[str] = ()) -> Document:
    """What it asks of robots and where it leads, but for where other documents led (see `fresh`); its text unread."""
    links = parsed.fresh_links(met)
    directives, cut, offers = parsed.directives, parsed.cuts(with_text=False), parsed.offers
    return Document(parsed.media, parsed.charset, links=links, directives=directives, cut=cut, offers=offers)


def _tree(kind: Kind, text: str, parse_html: Parse) -> tuple[Media, Tree | None]:
    """Broken XML is read as HTML, which takes anything; XML that turns out to be a page is a page."""
    if kind is Kind.TEXT:
        return Media.TEXT, None
    if kind is Kind.HTML:
        return Media.HTML, parse_html(text)
    tree = read_xml(text) or parse_html(text)
    return (Media.HTML if kind is Kind.XHTML or is_xhtml(text) else Media.XML), tree


def _blocks(runs: Sequence[Run]) -> tuple[Block, ...]:
    return tuple([Block(run.place, run.text, run.level) for run in runs])
