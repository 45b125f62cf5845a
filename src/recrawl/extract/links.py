"""Reads the links of a document, as a browser without scripting would offer them."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from recrawl.extract.forms import forms_of
from recrawl.extract.header import header_links
from recrawl.extract.html import Element, Elements, Tree
from recrawl.extract.refresh import refresh_target
from recrawl.extract.resolve import Resolver, absolute
from recrawl.extract.settings import ExtractSettings
from recrawl.extract.srcset import addresses
from recrawl.model.ends import ends
from recrawl.model.page import Link

# rel of <link> and of the Link header that lead to another page, and what we call them
RELATIONS = {
    "next": "next",
    "prev": "prev",
    "previous": "prev",
    "canonical": "canonical",
    "alternate": "alternate",
    "amphtml": "amphtml",
    "first": "first",
    "last": "last",
    "start": "first",
    "up": "up",
    "index": "index",
    "contents": "index",
    "toc": "index",
    "chapter": "chapter",
    "section": "chapter",
    "author": "author",
    "help": "help",
    "license": "license",
    "shortlink": "shortlink",
}
_FRAMES = {"frame": "frame", "iframe": "frame"}
_ANCHORS = ("a", "area")
_PAGE_TAGS = ("a", "area", "link", "frame", "iframe", "meta")
_IMAGE_TAGS = ("img", "source")
_SCRIPT_SCHEME = "javascript:"
_PAGE_SCHEMES = ("https://", "http://")


def base_of(tree: Tree, url: str, charset: str = "utf-8") -> str:
    """Where links start from: the first `<base href>`, itself resolved against the document's address."""
    hrefs = (tree.attribute(element, "href") for element in tree.elements(("base",)))
    return based(next((href for href in hrefs if href is not None), None), url, charset)


def based(href: str | None, url: str, charset: str = "utf-8") -> str:
    """The same of that `<base href>`; None: there is none."""
    base = Resolver(absolute(url), charset).resolve(href) if href is not None else None
    return absolute(url) if not base or base.startswith(("data:", _SCRIPT_SCHEME)) else base


class Anchored(NamedTuple):
    """The links of each element of a document that may hold any; of anchors, nearly all of them, also beside the
    element. `is_whole`: no limit cut them short."""

    links: list[tuple[Link, ...]]
    anchors: list[Element]
    anchor_links: list[tuple[Link, ...]]
    is_whole: bool


def links_in(found: Anchored, tree: Tree, resolver: Resolver, settings: ExtractSettings) -> list[Link]:
    """In document order, as many as the settings allow. Addresses other than http(s) are no pages and left out."""
    links = [link for some in found.links for link in some]
    if settings.scripts:
        links += [link for element in tree.chosen("[onclick]") for link in clicks_of(tree, element)]
    if settings.forms:
        links += forms_of(tree, resolver)
    return links[: settings.link_limit]


def anchored(tree: Tree, resolver: Resolver, settings: ExtractSettings) -> Anchored:
    found = Anchored([], [], [], is_whole=True)
    links, anchors, anchor_links, _ = found
    left = settings.link_limit
    for element in tree.elements(_tags(settings)):
        if (tag := element.tag) in _ANCHORS:
            some = _links_of_anchor(tree, element, tag, resolver, settings)
            anchors.append(element)
            anchor_links.append(some)
        else:
            some = tuple(rare_links(tree, element, tag, resolver))
        links.append(some)
        left -= len(some)
        if left <= 0:
            resolver.left_unread = True
            return found._replace(is_whole=False)
    return found


def anchored_like(known: Anchored, tree: Tree, resolver: Resolver, settings: ExtractSettings) -> Anchored:
    """The same of another version of a document, with the same base: anchors that both begin and end with are known.
    Other elements are few, and read anew."""
    if not known.is_whole or tree.nests("a") or tree.nests("area"):
        return anchored(tree, resolver, settings)
    elements = [(element, element.tag) for element in tree.elements(_tags(settings))]
    anchors = [element for element, tag in elements if tag in _ANCHORS]
    head, tail = ends(known.anchors, anchors, tree.alike)
    unknown = anchors[head : len(anchors) - tail]
    anchor_links = [
        *known.anchor_links[:head],
        *(_links_of_anchor(tree, element, element.tag, resolver, settings) for element in unknown),
        *known.anchor_links[len(known.anchors) - tail :],
    ]
    ordered = iter(anchor_links)
    links = [
        next(ordered) if tag in _ANCHORS else tuple(rare_links(tree, element, tag, resolver))
        for element, tag in elements
    ]
    is_whole = sum(map(len, links)) < settings.link_limit
    resolver.left_unread = not is_whole
    return Anchored(links, anchors, anchor_links, is_whole)


def _tags(settings: ExtractSettings) -> tuple[str, ...]:
    return _PAGE_TAGS + _IMAGE_TAGS if settings.images else _PAGE_TAGS


def _links_of_anchor(
    tree: Tree, element: Element, tag: str, resolver: Resolver, settings: ExtractSettings
) -> tuple[Link, ...]:
    if settings.scripts:
        return tuple(links_of_anchor(tree, element, tag, resolver, settings))
    link = anchor_link(tree, element, tag, resolver, settings.link_text_chars)
    return () if link is None else (link,)


def links_of_anchor(
    tree: Tree, element: Element, tag: str, resolver: Resolver, settings: ExtractSettings
) -> list[Link]:
    """Those of one `a` or `area`: the code a click would run, and the address."""
    scripts = _scripts(tree, element) if settings.scripts else []
    link = anchor_link(tree, element, tag, resolver, settings.link_text_chars)
    return scripts if link is None else [*scripts, link]


def clicks_of(tree: Tree, element: Element) -> list[Link]:
    """The code that a row, a button or a picture runs when clicked; that of an anchor is read with its address."""
    return [] if element.tag in _ANCHORS else _scripts(tree, element)


def links_of_header(values: Collection[str], url: str) -> Iterator[Link]:
    """Links of `Link` headers: relative to the document's own address, not to its base."""
    if not values:
        return
    resolver = Resolver(absolute(url))
    for found in header_links(values):
        if found.anchor is not None and resolver.resolve(found.anchor) != resolver.base.partition("#")[0]:
            continue  # speaks of another document
        target = _page_address(found.target, resolver)
        for name in _relations(found.relations) if target else ():
            rel = " ".join(found.relations)
            yield Link(target, name, found.title, "nofollow" in found.relations, rel, found.language, found.media_type)


def anchor_link(tree: Elements, element: Element, tag: str, resolver: Resolver, chars: int) -> Link | None:
    attribute = tree.attribute
    href = attribute(element, "href")
    if href is None:
        href = attribute(element, "xlink:href")
    url = resolver.resolve(href) if href is not None else None
    if url is None or not url.startswith(_PAGE_SCHEMES):
        return None
    return link_of(url, tag, attribute(element, "rel"), tree.caption(element, chars))


def anchor_read(tag: str, href: str | None, rel: str | None, caption: str, resolver: Resolver) -> Link | None:
    """The same of an anchor that was read already."""
    url = resolver.resolve(href) if href is not None else None
    return link_of(url, tag, rel, caption) if url is not None and url.startswith(_PAGE_SCHEMES) else None


def link_of(url: str, tag: str, rel: str | None, caption: str) -> Link:
    if not rel:
        return Link(url, tag, caption)
    words = rel.lower().split()
    return Link(url, tag, caption, "nofollow" in words, " ".join(words))


def rare_links(tree: Elements, element: Element, tag: str, resolver: Resolver) -> Iterator[Link]:
    """Everything but a and area."""
    if tag == "link":
        yield from _link_element(tree, element, resolver)
    elif tag in _FRAMES:
        if target := _page_address(tree.attribute(element, "src") or "", resolver):
            yield Link(target, _FRAMES[tag])
    elif tag == "meta":
        if target := refresh_of(tree, element, resolver):
            yield Link(target, "refresh")
    else:
        yield from _images(tree, element, resolver)


def refresh_of(tree: Elements, meta: Element, resolver: Resolver) -> str:
    """Where a meta refresh leads; '' for any other meta and for a page that only reloads itself."""
    if (tree.attribute(meta, "http-equiv") or "").lower() != "refresh":
        return ""
    return _page_address(refresh_target(tree.attribute(meta, "content") or "") or "", resolver)


def _link_element(tree: Elements, element: Element, resolver: Resolver) -> Iterator[Link]:
    words = tuple((tree.attribute(element, "rel") or "").lower().split())
    names = _relations(words)
    target = _page_address(tree.attribute(element, "href") or "", resolver) if names else ""
    for name in names if target else ():
        language = tree.attribute(element, "hreflang") or ""
        media_type = (tree.attribute(element, "type") or "").strip().lower()
        title = " ".join((tree.attribute(element, "title") or "").split())
        yield Link(target, name, title, "nofollow" in words, " ".join(words), language, media_type)


def _relations(words: tuple[str, ...]) -> list[str]:
    """What we call them, each once; an alternate stylesheet is no page."""
    if "stylesheet" in words:
        return []
    return list(dict.fromkeys(RELATIONS[word] for word in words if word in RELATIONS))


def _page_address(href: str, resolver: Resolver) -> str:
    url = resolver.resolve(href) if href.strip() else None
    return url if url is not None and url.startswith(_PAGE_SCHEMES) else ""


def _scripts(tree: Tree, element: Element) -> list[Link]:
    """What a click would run. A link with both keeps its address too: scope decides which of them counts."""
    href, code = tree.attribute(element, "href") or "", tree.attribute(element, "onclick") or ""
    written = [href] if _unspaced(href[:64]).startswith(_SCRIPT_SCHEME) else []
    written += [code] if code.strip() else []
    text = tree.caption(element, 200) if written else ""
    return [Link(script.strip(), "script", text) for script in written]


def _unspaced(href: str) -> str:
    return href.lstrip("".join(map(chr, range(0x21)))).translate({9: None, 10: None, 13: None}).lower()


def _images(tree: Elements, element: Element, resolver: Resolver) -> Iterator[Link]:
    written = [tree.attribute(element, "src") or "", *addresses(tree.attribute(element, "srcset") or "")]
    text = " ".join((tree.attribute(element, "alt") or "").split())
    for href in dict.fromkeys(written):
        if target := _page_address(href, resolver):
            yield Link(target, "image", text)
