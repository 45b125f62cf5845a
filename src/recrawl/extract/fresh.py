"""The links of a document but for those met before: on a page of a site half crawled nearly all of them."""

from collections.abc import Container
from itertools import islice

from recrawl.extract.html import Tree
from recrawl.extract.links import anchor_link, rare_links
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import ExtractSettings
from recrawl.model.page import Link

_ANCHORS = ("a", "area")
_TAGS = (*_ANCHORS, "link", "frame", "iframe", "meta")


def fresh_links(tree: Tree, resolver: Resolver, settings: ExtractSettings, met: Container[int]) -> list[Link]:
    """In document order, anchors without their text. `met` holds `hash` of the addresses of links met before: an origin
    and a rooted path are their own resolution if anything ever resolved to them, so most links are passed over before
    they are resolved. A `nofollow` is not passed over, since it counts each time."""
    found: list[Link] = []
    passed, origin, attribute, limit = set[str](), resolver.origin, tree.attribute, settings.link_limit
    related = tree.select("[rel]")
    for element in islice(tree.elements(_TAGS), 2 * limit):
        tag = element.tag
        if tag not in _ANCHORS:
            found += rare_links(tree, element, tag, resolver)
            if len(found) > limit:
                break
            continue
        href = attribute(element, "href")
        if href is not None and not (element in related and attribute(element, "rel")):
            address = origin + href if href[:1] == "/" else href
            if address in passed:
                continue
            passed.add(address)
            if hash(address) in met:
                continue
        if link := anchor_link(tree, element, tag, resolver, 0):
            found.append(link)
            if len(passed) + len(found) > limit:
                break
    return found
