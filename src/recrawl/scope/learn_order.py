"""The order of learnt patterns: the first that matches an address wins, so the narrower stands before the wider."""

from recrawl.scope.learn_graph import Graph
from recrawl.scope.learn_names import written
from recrawl.scope.learn_values import Group, Role
from recrawl.scope.patterns import Patterns


def in_order(groups: list[Group], graph: Graph) -> list[Group]:
    """Lists first, then the plainer, as far as each keeps its own addresses; a group all of whose addresses another of
    its role takes is part of that one."""
    plain = sorted(groups, key=lambda one: (one.role is Role.DETAIL, one.shape.variables, str(one.shape)))
    takes = {one: Patterns([written(one, graph)]) for one in plain}
    placed: list[Group] = []
    for group in plain:
        at = next((at for at, one in enumerate(placed) if _is_narrower(group, one, takes)), len(placed))
        placed.insert(at, group)
    return _absorbed(placed, takes)


def _is_narrower(group: Group, other: Group, takes: dict[Group, Patterns]) -> bool:
    return group.role is not other.role and _share(other, group, takes) > _share(group, other, takes)


def _share(taker: Group, of: Group, takes: dict[Group, Patterns]) -> float:
    return sum(takes[taker].match(url) is not None for url in of.members) / max(1, len(of.members))


def _absorbed(groups: list[Group], takes: dict[Group, Patterns]) -> list[Group]:
    kept: list[Group] = []
    for group in groups:
        wider = next((one for one in kept if one.role is group.role and _share(one, group, takes) == 1.0), None)
        if wider is None:
            kept.append(group)
        else:
            wider.members |= group.members
            wider.pages += group.pages
    return kept
