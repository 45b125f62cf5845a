"""What a page shows at first sight, read from its source without a tree: where it leads, what it is called, what it
asks of robots, whether it plainly has text of its own. Where only the tree can tell, there is no sight."""

from collections.abc import Container
from typing import NamedTuple

from recrawl.extract.html import FLAT
from recrawl.extract.links import anchor_link, rare_links
from recrawl.extract.regions import FRAME_NAMES, FRAME_WORDS, LAYOUT
from recrawl.extract.resolve import Resolver, origin_of
from recrawl.extract.turbo_late import unescape
from recrawl.model.page import Link
from recrawl.native import compiled

_ANCHORS = ("a", "area")

if compiled is not None:
    compiled.frame_words(FRAME_WORDS, FRAME_NAMES, LAYOUT)


class Other(NamedTuple):
    """An element that says where it leads in more than an address, or something else. `before`: how many plain anchors
    stand before it."""

    before: int
    tag: str
    attributes: dict[str, str]


class Sight(NamedTuple):
    """`hrefs`: of anchors without `rel`, as they stand there, but for those that lead where others led. `others` are
    only those that may lead to a page or speak to robots. `anchors`: how many there are in all. `letters`: so many of
    main text, or more. `is_decoded`: no replacement character, neither plain nor as a reference."""

    title: str
    hrefs: list[str]
    others: list[Other]
    anchors: int
    letters: int
    offers: bool
    is_decoded: bool

    @property
    def base(self) -> str | None:
        """The first `<base href>`."""
        hrefs = (other.attributes.get("href") for other in self.others if other.tag == "base")
        return next((href for href in hrefs if href is not None), None)

    def metas(self, key: str) -> list[tuple[str, str]]:
        if not self.others:
            return []
        metas = [other.attributes for other in self.others if other.tag == "meta"]
        return [(meta[key].lower(), meta.get("content", "")) for meta in metas if meta.get(key)]

    def links(self, wanted: set[str], resolver: Resolver) -> list[Link]:
        """Those of anchors with such an address, each once, and of all else; in document order."""
        found: list[Link] = []
        done = 0
        for before, tag, attributes in self.others:
            found += _plain(self.hrefs[done:before], wanted, resolver) if wanted else ()
            done = before
            if tag == "base":
                continue
            if tag not in _ANCHORS:
                found += rare_links(FLAT, attributes, tag, resolver)
            elif link := anchor_link(FLAT, attributes, tag, resolver, 0):
                found.append(link)
        return found + _plain(self.hrefs[done:], wanted, resolver) if wanted else found


def sight_of(source: str, tags: int, url: str = "", met: Container[str] = ()) -> Sight | None:
    """Of an HTML page with at most so many tags. `met`: addresses met before. None: it needs its tree."""
    seen = compiled.sight(source, tags, origin_of(url), met) if compiled is not None else None
    if seen is None:
        return None
    title, hrefs, others, *rest = seen
    return Sight(unescaped(title), hrefs, [Other(*other) for other in others] if others else [], *rest)


def sight_told(title: str | None, others: list[tuple[int, str, dict[str, str]]], offers: bool) -> Sight:
    """What somebody saw who read the rest of the page elsewhere."""
    told = [Other(*other) for other in others]
    return Sight(unescaped(title), [], told, anchors=0, letters=0, offers=offers, is_decoded=False)


def unescaped(title: str | None) -> str:
    return unescape(title) if title and "&" in title else title or ""


def _plain(hrefs: list[str], wanted: set[str], resolver: Resolver) -> list[Link]:
    found: list[Link] = []
    for href in hrefs:
        address = resolver.rooted(href)
        if address in wanted and (link := anchor_link(FLAT, {"href": href}, "a", resolver, 0)):
            wanted.discard(address)
            found.append(link)
    return found
