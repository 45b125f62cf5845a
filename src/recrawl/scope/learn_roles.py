"""What a group of addresses is: lists, details, calendars, variants of others, or nothing wanted.

detail     many pages with names and texts of their own that blocks of links on lists lead to
list       pages whose blocks lead to details (or to lists), reached without passing through details
variant    the pages of another group once more: sort orders, print versions
calendar   addresses made of dates alone, without end
"""

from collections import defaultdict
from collections.abc import Collection
from statistics import median

from recrawl.scope.learn_graph import Graph, are_named
from recrawl.scope.learn_lists import assign_lists
from recrawl.scope.learn_values import Group, Role, Sampled, Shape, is_page_key

_VARIANT_WORDS = (
    "sort order orderby sortby sort_by order_by dir direction view display layout mode print printable format limit "
    "per_page perpage size lang ref from src tab filter show expand reply"
)
VARIANT_WORDS = frozenset(_VARIANT_WORDS.split())
OWN_TITLES = 0.6


def assign(graph: Graph, start: str, examples: Collection[str]) -> None:
    """Give every group its role, and a reason."""
    _variants(graph)
    _calendars(graph)
    wanted = {graph.shape_of[url] for url in examples if url in graph.shape_of}
    details = _details(graph, wanted)
    for shape in details:
        graph.groups[shape].role = Role.DETAIL
        graph.groups[shape].because = "lists lead here in blocks; pages have names and texts of their own"
    assign_lists(graph, start, details)


def has_deeper_details(graph: Graph) -> bool:
    """Whether what was taken for details leads, page by page, to others that have more to say and that nothing else
    leads to: then it is lists, with fewer links than make a block."""
    details = [group for group in graph.groups.values() if group.role is Role.DETAIL]
    others = [group for group in _free(graph) if _own_pages(group)]
    return any(_leads_down(graph, one, other) for one in details for other in others)


def _leads_down(graph: Graph, upper: Group, lower: Group) -> bool:
    members = lower.members - graph.common
    rows = [[link for link in page.links if link.url in members] for page in upper.pages if page.is_page]
    shown = [frozenset(link.url for link in row) for row in rows]
    below = {url for urls in shown for url in urls}
    elsewhere = {
        link.url
        for shape, group in graph.groups.items()
        if shape not in (upper.shape, lower.shape) and group.role is not Role.VARIANT
        for page in group.pages
        for link in page.links
    }
    total = sum(map(len, shown))
    return (
        total >= 1.5 * max(1, len(shown))
        and len(below) >= 0.8 * total
        and len(below & elsewhere) <= 0.2 * len(below)
        and all(are_named(row) for row in rows if row)
        and _text_chars(lower) > _text_chars(upper)
    )


def _free(graph: Graph) -> list[Group]:
    return [group for group in graph.groups.values() if group.role is Role.OTHER]


def _variants(graph: Graph) -> None:
    same_path: dict[tuple[str, ...], list[Group]] = defaultdict(list)
    for group in graph.groups.values():
        same_path[group.shape.segments].append(group)
    for group in _free(graph):
        for base in same_path[group.shape.segments]:
            extra = group.shape.keys - base.shape.keys
            if (
                base.shape.keys < group.shape.keys
                and not any(map(is_page_key, extra))
                and _same_pages(group, base, extra)
            ):
                group.role = Role.VARIANT
                group.because = f"the pages of {base.shape} once more ({', '.join(sorted(extra))})"
                break


def _same_pages(group: Group, base: Group, extra: frozenset[str]) -> bool:
    """Two pages with and without the parameters tell; where none were seen, the parameters' names do."""
    bases = {page.url: page for page in base.pages if page.is_page}
    pairs = [(page, bases.get(_without(page.url, extra))) for page in group.pages if page.is_page]
    seen = [(page, other) for page, other in pairs if other is not None]
    if seen:
        return sum(_alike(page, other) for page, other in seen) > 0.5 * len(seen)
    return all(name.lower() in VARIANT_WORDS for name in extra)


def _alike(page: Sampled, other: Sampled) -> bool:
    mine, theirs = ({link.url for link in one.links if link.relation != "script"} for one in (page, other))
    overlap = len(mine & theirs) / max(1, len(mine | theirs))
    return page.text == other.text or page.title == other.title or overlap > 0.8


def _without(url: str, names: frozenset[str]) -> str:
    path, _, query = url.partition("?")
    kept = [pair for pair in query.split("&") if pair.partition("=")[0] not in names]
    return f"{path}?{'&'.join(kept)}" if kept else path


def _calendars(graph: Graph) -> None:
    for group in _free(graph):
        parts = [*group.shape.segments, *(value for _, value in group.shape.query)]
        variable = [part for part in parts if "{" in part]
        dated = variable and (set(variable) == {"{date}"} or (set(variable) <= {"{int}", "{date}"} and _years(group)))
        named = [url for url in group.members if any(_is_name(text) for text in graph.texts.get(url, ()))]
        if dated and len(named) < 0.5 * len(group.members):
            group.role = Role.CALENDAR
            group.because = "the addresses are dates and the links to them numbers: a calendar without end"


def _is_name(text: str) -> bool:
    words = text.lower().split()
    turning = {"next", "previous", "prev", "month", "year", "week", "day", "today", "«", "»", "‹", "›", "<", ">"}
    return any(word.strip("0123456789.,:/-") != "" and word not in turning for word in words)


def _years(group: Group) -> bool:
    """Whether the first number of every address is a year."""
    place = next((at for at, part in enumerate(group.shape.segments) if part == "{int}"), None)
    if place is None:
        return False
    values = [url.partition("//")[2].partition("?")[0].split("/")[1 + place] for url in group.members]
    return all(value.isdecimal() and 1900 <= int(value) <= 2100 for value in values)


def _details(graph: Graph, wanted: set[Shape]) -> set[Shape]:
    out = {shape: graph.outward(shape) for shape, group in graph.groups.items() if group.role is Role.OTHER}
    strong = {shape: {t for t, size in to.items() if size >= graph.block} for shape, to in out.items()}
    once = _targets_of_single_pages(graph)
    targets = {target for to in strong.values() for target in to} | once
    candidates = {
        shape for shape in targets if graph.groups[shape].role is Role.OTHER and _own_pages(graph.groups[shape])
    }
    leaves = set(wanted)
    for shape in candidates:
        onward = {t for t in strong.get(shape, ()) if t in candidates and t != shape}
        sources = {source for source, to in strong.items() if shape in to}
        if all(
            _is_richer(graph.groups[shape], graph.groups[t])
            and (shape in strong.get(t, ()) or any(t in strong[source] for source in sources))
            for t in onward
        ):
            leaves.add(shape)
    leaves -= _below_details(graph, leaves, wanted)
    return leaves - _beside(graph, leaves - wanted, strong)


def _below_details(graph: Graph, leaves: set[Shape], wanted: set[Shape]) -> set[Shape]:
    """Leaves that only other leaves lead to in blocks (reviewers below goods) are not what the lists are about."""
    sources: dict[Shape, set[Shape]] = {shape: set() for shape in leaves}
    for source, blocks in graph.blocks.items():
        for block in blocks:
            plain = graph.groups[source].role is Role.OTHER  # not a print version
            if plain and block.named and block.target in sources and block.target != source:
                sources[block.target].add(source)
    below = {shape for shape in leaves - wanted if sources[shape] <= leaves}
    for shape in below:
        graph.groups[shape].unsure = "looks like details, but only other details lead there: left out"
    return below


def _beside(graph: Graph, leaves: set[Shape], strong: dict[Shape, set[Shape]]) -> set[Shape]:
    """Leaves that lists show beside richer ones (members beside topics) are not what the lists are about."""
    beside = set()
    for shape in leaves:
        sources = {source for source, to in strong.items() if shape in to}
        for other in leaves - {shape}:
            together = any(other in strong[source] for source in sources if source != other)
            if together and 2 * _text_chars(graph.groups[shape]) < _text_chars(graph.groups[other]):
                graph.groups[shape].unsure = f"stands beside {other} on lists, with less to say: left out"
                beside.add(shape)
    return beside


def _targets_of_single_pages(graph: Graph) -> set[Shape]:
    """The front page is one of its kind, so its blocks count by themselves."""
    return {block.target for blocks in graph.blocks.values() for block in blocks if block.named}


def _own_pages(group: Group) -> bool:
    """Whether its pages, as far as they were seen, are pages of their own."""
    read = [page for page in group.pages if page.is_page]
    if not read or group.shape.variables == 0:
        return False
    if len(read) * 2 < len(group.pages):
        return False
    titles, texts = {page.title for page in read}, {page.text for page in read}
    return len(read) == 1 or max(len(titles), len(texts) if len(titles) == 1 else 0) >= OWN_TITLES * len(read)


def _is_richer(one: Group, other: Group) -> bool:
    return _text_chars(one) >= _text_chars(other)


def _text_chars(group: Group) -> float:
    return median([page.text_chars for page in group.pages if page.is_page] or [0])
