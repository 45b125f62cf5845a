"""Shapes → patterns a person would write: captures with names, sections that differ only by a word as one."""

import re
from collections import defaultdict

from recrawl.scope.learn_calls import values_of
from recrawl.scope.learn_graph import Graph
from recrawl.scope.learn_shapes import parts_of
from recrawl.scope.learn_values import Group, Role, Shape, is_page_key

_VARIABLE = re.compile(r"\{(\w+)\}")
_NAMES = {"int": "id", "slug": "slug", "date": "date", "hex": "key"}


def merged(groups: list[Group], others: list[Group]) -> list[Group]:
    """Groups of one role whose shapes differ by one word alone become one, unless that would take in others."""
    merged_groups = list(groups)
    unread = [other for other in others if not other.pages]
    for role in (Role.LIST, Role.DETAIL):
        for length in {len(group.shape.segments) for group in groups}:
            for at in range(length):
                mine = [one for one in merged_groups if one.role is role and len(one.shape.segments) == length]
                words = {word for one in groups for word in _words_at(one, at)}
                kin = [one for one in unread if _words_at(one, at) <= words and len(one.shape.segments) == length]
                for family in _families(mine, kin, at):
                    whole = _joined(family, at)
                    if not any(other.is_known and _takes_in(whole.shape, other.shape) for other in others):
                        merged_groups = [one for one in merged_groups if one not in family] + [whole]
    return merged_groups


def _words_at(group: Group, at: int) -> set[str]:
    return {segments[at] for url in group.members if len(segments := parts_of(url)[1]) > at}


def _families(groups: list[Group], kin: list[Group], at: int) -> list[list[Group]]:
    """`kin` were not looked at, but stand under words that wanted ones stand under: they come along."""
    families: dict[object, list[Group]] = defaultdict(list)
    for group in [*groups, *kin]:
        segments = group.shape.segments
        if "{" not in segments[at] and segments[at]:
            names = tuple((name, value if "{" in value else "") for name, value in group.shape.query)
            families[(group.shape.server, segments[:at], segments[at + 1 :], names)].append(group)
    return [family for family in families.values() if len(family) >= 2 and family[0] in groups]


def _joined(family: list[Group], at: int) -> Group:
    first = family[0].shape
    endings = {_extension(one.shape.segments[at]) for one in family}
    part = "{slug}" + (endings.pop() if len(endings) == 1 else "")
    shape = Shape(first.server, (*first.segments[:at], part, *first.segments[at + 1 :]), first.query)
    whole = Group(shape, set(), [], family[0].role, family[0].because)
    for one in family:
        whole.members |= one.members
        whole.pages += one.pages
    return whole


def _extension(text: str) -> str:
    return text[text.rindex(".") :] if "." in text else ""


def _takes_in(shape: Shape, other: Shape) -> bool:
    if len(shape.segments) != len(other.segments) or shape.keys != other.keys or shape.server != other.server:
        return False
    return all(
        mine == theirs or ("{" in mine and ("{" in theirs or mine.startswith("{slug}")) and _fits(mine, theirs))
        for mine, theirs in zip(shape.segments, other.segments, strict=True)
    )


def _fits(mine: str, theirs: str) -> bool:
    return mine.startswith("{slug}") and theirs.endswith(mine.removeprefix("{slug}"))


def written(group: Group, graph: Graph) -> str:
    """The pattern with named captures: `/c/{category}?page={page:int}`."""
    taken: set[str] = set()
    turning = _turning_place(group, graph)
    dates = _date_places(group)
    count = 0

    def name(wanted: str) -> str:
        fresh = next(one for one in (wanted, *(f"{wanted}{n}" for n in range(2, 99))) if one not in taken)
        taken.add(fresh)
        return fresh

    def fill(part: str, hint: str) -> str:
        def one(found: re.Match[str]) -> str:
            nonlocal count
            kind = found[1]
            wanted = "page" if count == turning else dates.get(count) or hint or _wanted(kind, group.role)
            count += 1
            return f"{{{name(wanted)}}}" if kind == "slug" else f"{{{name(wanted)}:{kind}}}"

        return _VARIABLE.sub(one, part)

    path = "/".join(fill(part, "") for part in group.shape.segments)
    pairs = [f"{key}={fill(value, _plain(key))}" if value else key for key, value in group.shape.query]
    return f"/{path}" + (f"?{'&'.join(pairs)}" if pairs else "")


def _wanted(kind: str, role: Role) -> str:
    return "category" if role is Role.LIST and kind in ("slug", "int") else _NAMES[kind]


def _plain(key: str) -> str:
    if is_page_key(key):
        return "page"
    word = re.sub(r"\W+", "_", key.strip("[]"), flags=re.ASCII).strip("_")
    return word if word and not word[0].isdigit() else "value"


def _date_places(group: Group) -> dict[int, str]:
    """Numbers that are year, month and day, by their place among the variables."""
    rows = [values for url in group.members if (values := values_of(group.shape, url))]
    types = _VARIABLE.findall("/".join(group.shape.segments))
    limits = {"year": (1900, 2100), "month": (1, 12), "day": (1, 31)}
    found: dict[int, str] = {}
    for place, (name, (low, high)) in zip(range(len(types)), limits.items(), strict=False):
        fits = all(row[place].isdecimal() and low <= int(row[place]) <= high for row in rows)
        if types[place] != "int" or not rows or not fits:
            break
        found[place] = name
    return found


def _turning_place(group: Group, graph: Graph) -> int | None:
    """Which variable of a list turns its pages: the one after a word for it, or the one that links show as number."""
    parts = [*group.shape.segments, *(value for _, value in group.shape.query)]
    keys = ["", *group.shape.segments[:-1], *(key for key, _ in group.shape.query)]
    place = -1
    for part, key in zip(parts, keys, strict=True):
        for _ in _VARIABLE.findall(part):
            place += 1
            if group.role is Role.LIST and "{int}" in part and is_page_key(key):
                return place
            if group.role is Role.LIST and "{int}" in part and _is_shown(group, graph, place):
                return place
    return None


def _is_shown(group: Group, graph: Graph, place: int) -> bool:
    told = [(url, values) for url in group.members if (values := values_of(group.shape, url)) and url in graph.texts]
    shown = [url for url, values in told if values[place].isdecimal() and values[place] in graph.texts[url]]
    return len(shown) >= 2 and 2 * len(shown) >= len(told)
