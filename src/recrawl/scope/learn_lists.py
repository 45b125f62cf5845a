"""Which groups are lists: what shows details in blocks, is reached without passing through them, and is worth it."""

from recrawl.scope.learn_graph import Graph
from recrawl.scope.learn_values import Role, Shape, is_page_key

ADDS_SHARE = 0.02  # a list that shows less than this of all details anew is not worth its requests


def assign_lists(graph: Graph, start: str, details: set[Shape]) -> None:
    likely = _list_like(graph, details)
    for shape in likely:
        graph.groups[shape].shows_details = True
    reached = _reached(graph, start, likely)
    for shape in likely - reached:
        graph.groups[shape].unsure = "shows details in blocks, but only details lead there: left out"
    kept = _worth_it(graph, likely & reached, details)
    for shape in kept:
        graph.groups[shape].role = Role.LIST
        graph.groups[shape].because = "blocks of links to details"
    _hubs(graph, start, kept, likely & reached)


def _list_like(graph: Graph, details: set[Shape]) -> set[Shape]:
    likely: set[Shape] = set()
    grown = True
    while grown:
        fresh = {
            shape
            for shape, blocks in graph.blocks.items()
            if shape not in likely
            and graph.groups[shape].role is Role.OTHER
            and any(block.named and block.target in details | likely and block.target != shape for block in blocks)
        }
        likely |= fresh
        grown = bool(fresh)
    turned = {
        shape
        for shape, group in graph.groups.items()
        if group.role is Role.OTHER and shape not in likely and any(_turns(shape, other) for other in likely)
    }
    return likely | turned


def _turns(shape: Shape, other: Shape) -> bool:
    """Whether two shapes are pages of one list: the same but for the parameter that turns pages."""
    extra = (shape.keys - other.keys) | (other.keys - shape.keys)
    return shape.segments == other.segments and len(extra) == 1 and all(map(is_page_key, extra))


def _reached(graph: Graph, start: str, likely: set[Shape]) -> set[Shape]:
    first = graph.shape_of.get(start)
    reached, waiting = {first}, [first]
    while waiting:
        here = waiting.pop()
        if here is None or (here != first and here not in likely):
            continue
        for shape in graph.leads_to(here) - reached:
            reached.add(shape)
            waiting.append(shape)
    return {shape for shape in reached if shape is not None}


def _worth_it(graph: Graph, lists: set[Shape], details: set[Shape]) -> set[Shape]:
    """The lists that show details nobody else shows: the plainest first, then those that show most."""
    shown = {shape: {url for target in details for url in graph.shown_by(shape, target)} for shape in lists}
    total = len({url for urls in shown.values() for url in urls})
    met: set[str] = set()
    kept: set[Shape] = set()
    order = sorted(lists, key=lambda shape: (_filters(shape), not _is_paged(shape), -len(shown[shape]), str(shape)))
    for shape in order:
        fresh = shown[shape] - met
        alone = any(_turns(shape, other) for other in kept)
        if alone or len(fresh) > max(2, ADDS_SHARE * total):
            kept.add(shape)
            met |= shown[shape]
        else:
            graph.groups[shape].unsure = "shows details in blocks, but other lists show them too: left out"
    return kept


def _filters(shape: Shape) -> int:
    """Parameters that do not turn pages: the fewer, the plainer the list."""
    return sum(not is_page_key(name) for name in shape.keys)


def _is_paged(shape: Shape) -> bool:
    return any(is_page_key(name) for name in shape.keys) or any(is_page_key(word) for word in shape.segments)


def _hubs(graph: Graph, start: str, kept: set[Shape], likely: set[Shape]) -> None:
    """Pages on the way to lists that cannot be come to without them: those that lead to most first."""
    lists = {url for shape in kept for url in graph.groups[shape].members}
    ways = {hub: {url for target in kept for url in graph.shown_by(hub, target)} for hub in likely - kept}
    while ways:
        met = _walked(graph, start) & lists
        hub = max(ways, key=lambda one: (len(ways[one] - met), str(one)))
        if len(ways.pop(hub) - met) <= max(1, 0.1 * len(met)):
            break
        group = graph.groups[hub]
        group.role, group.because, group.unsure = Role.LIST, "leads to lists that nothing else leads to", ""


def _walked(graph: Graph, start: str) -> set[str]:
    """Addresses that a crawl of the wanted pages comes to, as far as the sample has seen their links."""
    wanted = [group for group in graph.groups.values() if group.role in (Role.LIST, Role.DETAIL)]
    pages = {page.url: page for group in wanted for page in group.pages}
    first = graph.shape_of.get(start)
    pages |= {page.url: page for page in graph.groups[first].pages if page.url == start} if first else {}
    met, waiting = {start}, [start]
    while waiting:
        page = pages.get(waiting.pop())
        links = page.links if page else ()
        fresh = {link.url for link in links if link.relation != "script" and not link.nofollow} - met
        met |= fresh
        waiting += fresh
    return met
