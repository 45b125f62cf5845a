"""The links of a document but for those met before: on a page of a site half crawled nearly all of them."""

from collections.abc import Callable, Container
from itertools import islice

from recrawl.extract.html import Tree
from recrawl.extract.links import anchor_link, rare_links
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import ExtractSettings
from recrawl.extract.sight import Sight
from recrawl.model.page import Link

_ANCHORS = ("a", "area")
# read each time: what a `rel` says counts each time, and some anchors lead by `xlink:href`
_ALWAYS = "a[rel], area[rel], a:not([href]), area:not([href]), link, frame, iframe, meta"
_TAGS = (*_ANCHORS, "link", "frame", "iframe", "meta")


def fresh_links_seen(sight: Sight, resolver: Callable[[], Resolver], met: Container[str]) -> list[Link]:
    """`fresh_links` of a page of which there is a sight; nearly always there is nothing to resolve."""
    if not sight.hrefs and not sight.others:
        return []
    made = resolver()
    return sight.links({address for href in sight.hrefs if (address := made.rooted(href)) not in met}, made)


def fresh_links(tree: Tree, resolver: Resolver, settings: ExtractSettings, met: Container[str]) -> list[Link]:
    """In document order, anchors without their text. `met` holds the addresses of links met before: an origin
    and a rooted path are their own resolution if anything ever resolved to them, so most links are passed over before
    they are resolved. A `nofollow` is not passed over, since it counts each time."""
    attribute, limit = tree.attribute, settings.link_limit
    always = tree.chosen(_ALWAYS)
    spelt = [resolver.rooted(href) for href in tree.hrefs()]
    news = {address for address in spelt if address not in met}
    kept, elements = set(map(tree.key, always)), always
    if news or len(spelt) + len(always) >= limit:
        first = list(islice(tree.elements(_TAGS), 2 * limit))
        resolver.left_unread = len(first) == 2 * limit
        elements = first if news else [element for element in first if tree.key(element) in kept]
    found: list[Link] = []
    for element in elements:
        href = attribute(element, "href")
        address = href if href is None else resolver.rooted(href)
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
