"""The links of a document but for those met before: on a page of a site half crawled nearly all of them."""

from collections.abc import Container
from itertools import islice

from recrawl.extract.html import Tree
from recrawl.extract.links import anchor_link, rare_links
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import ExtractSettings
from recrawl.model.page import Link

_ANCHORS = ("a", "area")
_ALWAYS = "a[rel], area[rel], link, frame, iframe, meta"  # read each time
_TAGS = (*_ANCHORS, "link", "frame", "iframe", "meta")


def fresh_links(tree: Tree, resolver: Resolver, settings: ExtractSettings, met: Container[int]) -> list[Link]:
    """In document order, anchors without their text. `met` holds `hash` of the addresses of links met before: an origin
    and a rooted path are their own resolution if anything ever resolved to them, so most links are passed over before
    they are resolved. A `nofollow` is not passed over, since it counts each time."""
    origin, attribute, limit = resolver.origin, tree.attribute, settings.link_limit
    elements = list(islice(tree.elements(_TAGS), 2 * limit))
    hrefs = [attribute(element, "href") for element in elements]
    addresses = [origin + href if href and href[0] == "/" else href for href in hrefs]
    news = {address for address in addresses if hash(address) not in met}
    always = tree.select(_ALWAYS)
    resolver.left_unread = len(elements) == 2 * limit
    found: list[Link] = []
    for element, address in zip(elements, addresses, strict=True):
        if address not in news and element not in always:
            continue
        tag = element.tag
        if tag not in _ANCHORS:
            found += rare_links(tree, element, tag, resolver)
        elif link := anchor_link(tree, element, tag, resolver, 0):
            found.append(link)
            if address is not None and element not in always:
                news.discard(address)
        if len(found) > limit:
            resolver.left_unread = True
            break
    return found
