"""The links of a document but for those met before: on a page of a site half crawled nearly all of them."""

from collections.abc import Container, Sequence
from itertools import islice

from recrawl.extract.html import Tree
from recrawl.extract.links import anchor_link, rare_links
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import ExtractSettings
from recrawl.model.page import Link

_ANCHORS = ("a", "area")
_ALWAYS = "a[rel], area[rel], a:not([href]), link, frame, iframe, meta"  # read each time: SVG links by `xlink:href`
_TAGS = (*_ANCHORS, "link", "frame", "iframe", "meta")


def fresh_links(tree: Tree, resolver: Resolver, settings: ExtractSettings, met: Container[int]) -> list[Link]:
    """In document order, anchors without their text. `met` holds `hash` of the addresses of links met before: an origin
    and a rooted path are their own resolution if anything ever resolved to them, so most links are passed over before
    they are resolved. A `nofollow` is not passed over, since it counts each time."""
    origin, attribute, limit = resolver.origin, tree.attribute, settings.link_limit
    always = tree.chosen(_ALWAYS)
    spelt = [origin + href if href[:1] == "/" else href for href in tree.hrefs()]
    news = {address for address in spelt if hash(address) not in met} if _has_news(spelt, met) else set()
    kept, elements = set(map(tree.key, always)), always
    if news or len(spelt) + len(always) >= limit:
        first = list(islice(tree.elements(_TAGS), 2 * limit))
        resolver.left_unread = len(first) == 2 * limit
        elements = first if news else [element for element in first if tree.key(element) in kept]
    found: list[Link] = []
    for element in elements:
        href = attribute(element, "href")
        address = href if href is None else _rooted(origin, href)
        is_read = tree.key(element) in kept
        if address not in news and not is_read:
            continue
        tag = element.tag
        if tag not in _ANCHORS:
            found += rare_links(tree, element, tag, resolver)
        elif link := anchor_link(tree, element, tag, resolver, 0):
            found.append(link)
            if address is not None and not is_read:
                news.discard(address)
        if len(found) > limit:
            resolver.left_unread = True
            break
    return found


def _has_news(spelt: Sequence[str], met: Container[int]) -> bool:
    """Most pages have none: all their links are looked up at once."""
    hashes = map(hash, spelt)
    return not met.issuperset(hashes) if isinstance(met, set) else any(one not in met for one in hashes)


def _rooted(origin: str, href: str) -> str:
    return origin + href if href[:1] == "/" else href
