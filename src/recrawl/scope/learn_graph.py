"""The sample as a graph: groups of addresses, and the blocks of similar links that lead from one to another.

A *block* is several links to addresses of one shape in one place of a page. What stands on most pages (navigation)
says nothing about any of them and is left out.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import field
from statistics import median

from recrawl.model.values import dataclass
from recrawl.scope.learn_shapes import shapes_of
from recrawl.scope.learn_values import Group, Sampled, Seen, Shape

BLOCK = 4  # links make a block
SMALLER_BLOCKS = (3, 2)  # where that shows no details at all
COMMON = 0.5  # of all pages show it: navigation
FEW_PAGES = 6  # in a smaller sample nothing can be told common


@dataclass(frozen=True, slots=True)
class Block:
    """Links of one page in one place to addresses of one shape."""

    page: str
    target: Shape
    urls: frozenset[str]
    named: bool  # the links have names of their own, not numbers, nor all the same word


@dataclass(slots=True)
class Graph:
    groups: dict[Shape, Group]
    shape_of: dict[str, Shape]
    blocks: dict[Shape, list[Block]] = field(default_factory=dict)  # by the shape of the page that has them
    texts: dict[str, Counter[str]] = field(default_factory=dict)  # by address, what links to it say
    common: frozenset[str] = frozenset()
    block: int = BLOCK

    def outward(self, shape: Shape) -> dict[Shape, float]:
        """Median size of the named blocks that lead from pages of a shape to other shapes."""
        pages = [page.url for page in self.groups[shape].pages if page.is_page]
        sizes: dict[Shape, dict[str, int]] = defaultdict(dict)
        for block in self.blocks.get(shape, ()):
            if block.named and block.target != shape:
                here = sizes[block.target]
                here[block.page] = max(here.get(block.page, 0), len(block.urls))
        return {target: median([by.get(page, 0) for page in pages]) for target, by in sizes.items()} if pages else {}

    def shown_by(self, shape: Shape, target: Shape) -> set[str]:
        """Addresses of a target shape that pages of this shape lead to."""
        return {
            link.url
            for page in self.groups[shape].pages
            for link in page.links
            if self.shape_of.get(link.url) == target and link.relation != "script"
        }

    def leads_to(self, shape: Shape) -> set[Shape]:
        links = (link.url for page in self.groups[shape].pages for link in page.links if not link.nofollow)
        return {self.shape_of[url] for url in links if url in self.shape_of}


def graph_of(pages: list[Sampled], server: str, block: int = BLOCK) -> Graph:
    """Of the addresses on one server; scripts and other servers are left out."""
    shapes = shapes_of(
        url
        for page in pages
        for url in (page.url, page.redirect, *(link.url for link in page.links if link.relation != "script"))
        if url and url.startswith((f"http://{server}/", f"https://{server}/"))
    )
    groups: dict[Shape, Group] = {}
    for url, shape in shapes.items():
        groups.setdefault(shape, Group(shape)).members.add(url)
    graph = Graph(groups, shapes, block=block)
    for page in pages:
        if page.url in shapes:
            groups[shapes[page.url]].pages.append(page)
    graph.common = _common(pages)
    for page in pages:
        _read_page(page, graph)
    return graph


def _common(pages: list[Sampled]) -> frozenset[str]:
    read = [page for page in pages if page.is_page]
    shown = Counter(url for page in read for url in {link.url for link in page.links})
    if len(read) < FEW_PAGES:
        return frozenset()
    return frozenset(url for url, count in shown.items() if count > COMMON * len(read))


def _read_page(page: Sampled, graph: Graph) -> None:
    shape = graph.shape_of.get(page.url)
    places: dict[tuple[int, Shape], list[Seen]] = defaultdict(list)
    for link in page.links:
        target = graph.shape_of.get(link.url)
        if target is None or link.relation == "script":
            continue
        if link.text:
            graph.texts.setdefault(link.url, Counter())[link.text] += 1
        if link.url not in graph.common and link.url != page.url and not link.nofollow:
            places[(link.place, target)].append(link)
    if shape is None or not page.is_page:
        return
    for (_, target), links in places.items():
        urls = frozenset(link.url for link in links)
        if len(urls) >= graph.block:
            graph.blocks.setdefault(shape, []).append(Block(page.url, target, urls, are_named(links)))


def are_named(links: Iterable[Seen]) -> bool:
    """Names differ from link to link and are more than numbers; a block of pictures has none at all."""
    by_url: dict[str, str] = {}
    for link in links:
        by_url[link.url] = by_url.get(link.url) or link.text
    texts = [text for text in by_url.values() if text]
    if not texts:
        return True
    named = {text for text in texts if text.strip("0123456789 .,:/-") != ""}
    return len(named) >= 0.5 * len(by_url)
