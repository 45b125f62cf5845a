"""What the value policy knows (`knowledge`), in plain columns of numbers: kept in the store's memo, and grown by groups
and sites that are met, without NumPy. Needs the compiled part to lay clocks out."""

import json
import sys
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import field
from functools import partial
from itertools import compress
from struct import Struct
from typing import Any

from recrawl.estimate import given
from recrawl.model.belief import RATES, Column
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.schedule.group_names import SITE_END, is_young, numbers_of, site_of
from recrawl.schedule.numbers import compiled
from recrawl.schedule.price import Usual

Heap = tuple[Column, ...]  # site, begin, end, changed and rate of outcomes, as `tempo.Outcomes`

BELIEVED_AHEAD_HOURS = 24  # a clock that ran ahead by so much is soon caught up with
BUSY_DAYS = 1.5  # within a day: a burst
QUICKLY = 1  # a tenth more bytes, in a quarter of the time
_MARK = b"recrawl knowledge\n"
_VERSION = 2
_HEAD = Struct("<I")
_CLOCKS = len(given.CLOCKS)
_DOUBTS = array("d", [clock.doubt for clock in given.CLOCKS])
_NOTHING_SEEN: Heap = (b"",) * 5


@dataclass(frozen=True, slots=True)
class Clocks:
    """As `tempo.Tempo`, whose words these are. `activity`: in four bytes each. `rhythmic`: some site's rhythm is as
    good as certain."""

    origin: int
    hour: int
    laid: int
    rhythm: Column
    activity: Column
    elapsed: Column
    proof: Column
    weight: Column
    mean: Column
    fitted: Column
    rhythmic: bool = False
    outcomes: Heap = _NOTHING_SEEN
    fresh: tuple[Heap, ...] = ()


@dataclass(frozen=True, slots=True)
class Plain:
    """As `knowledge.Knowledge`. `trust`: its five sums."""

    sites: tuple[str, ...]
    groups: tuple[str, ...]
    group_site: Column
    young: bytes
    sums: Column
    law: Column
    clocks: Clocks
    trust: tuple[Column, ...]
    centre: Column
    slope: Column
    price: float
    refitted_hour: int
    pooled_hour: int
    usual: Usual = field(default_factory=Usual)
    met_hour: tuple[int, ...] = ()


def started(price: float, hour: int) -> Plain:
    """One group of one nameless site, for pages of which nothing else is known."""
    return Plain(
        ("",), (SITE_END,), array("q", [0]), b"\0", _zeros(RATES), array("d", given.first_law()), _flat(1, hour, hour),
        _no_trust(1), _zeros(1), _zeros(1), price, hour, hour, Usual(), (hour,),
    )  # fmt: skip


def with_groups(knowledge: Plain, names: Sequence[str]) -> Plain:
    """Room for groups not met before; a new group starts with the mean law of its site, or of all."""
    known = numbers_of(knowledge.groups)
    new = [name for name in dict.fromkeys(names) if name not in known]
    if not new:
        return knowledge
    sites = tuple(dict.fromkeys([*knowledge.sites, *map(site_of, new)]))
    number = {name: place for place, name in enumerate(sites)}
    laws = [given.first_law() if is_young(name) else _law_for(knowledge, number[site_of(name)]) for name in new]
    grown = replace(
        knowledge,
        groups=(*knowledge.groups, *new),
        group_site=knowledge.group_site + array("q", [number[site_of(name)] for name in new]),
        young=knowledge.young + bytes(map(is_young, new)),
        sums=knowledge.sums + _zeros(len(new) * RATES),
        law=knowledge.law + array("d", [one for law in laws for one in law]),
    )
    return grown if len(sites) == len(knowledge.sites) else _with_sites(grown, sites)


def _with_sites(knowledge: Plain, sites: tuple[str, ...]) -> Plain:
    more, clocks = len(sites) - len(knowledge.sites), knowledge.clocks
    fresh = _flat(more, clocks.origin, clocks.hour, clocks.laid)
    columns = len(clocks.activity) // (_CLOCKS * len(knowledge.sites))
    fresh = replace(fresh, activity=array("f", [1.0]) * (_CLOCKS * more * columns))
    wider = {name: _beside(getattr(clocks, name), getattr(fresh, name)) for name in _BY_CLOCK}
    longer = {name: getattr(clocks, name) + getattr(fresh, name) for name in ("rhythm", "mean")}
    fitted = clocks.fitted + array("q", [clocks.hour]) * more
    return replace(
        knowledge,
        sites=sites,
        clocks=replace(clocks, fitted=fitted, **wider, **longer),
        trust=tuple(one + other for one, other in zip(knowledge.trust, _no_trust(more), strict=True)),
        centre=knowledge.centre + array("d", [_mean(knowledge.centre)]) * more,
        slope=knowledge.slope + array("d", [_mean(knowledge.slope)]) * more,
        met_hour=(*knowledge.met_hour, *[clocks.hour] * more),
    )


_BY_CLOCK = ("activity", "elapsed", "proof", "weight")


def _law_for(knowledge: Plain, site: int) -> list[float]:
    groups = range(len(knowledge.groups))
    weight = [given.total(knowledge.sums[at * RATES : (at + 1) * RATES]) + 1e-3 for at in groups]
    own = [at for at in groups if knowledge.group_site[at] == site and not knowledge.young[at]]
    law = [0.0] * RATES
    for at in own or groups:
        for rate in range(RATES):
            law[rate] += weight[at] * knowledge.law[at * RATES + rate]
    whole = given.total(law)
    return [one / whole for one in law]


def leaning_by_group(knowledge: Plain) -> tuple[Column, Column]:
    """The centre and the slope of each group; what is found new does not lean."""
    of = list(zip(knowledge.group_site, knowledge.young, strict=True))
    centre = array("d", [knowledge.centre[site] for site, _ in of])
    return centre, array("d", [0.0 if young else knowledge.slope[site] for site, young in of])


# clocks


def _flat(sites: int, origin: int, hour: int, last: int | None = None) -> Clocks:
    rhythm, proof = array("d", [1.0]) * (24 * sites), _zeros(_CLOCKS * sites)
    clocks = _not_laid_out(origin, hour, rhythm, array("f"), proof)
    return _run(clocks, min(hour - origin + given.AHEAD, given.COLUMNS) if last is None else last)


def _not_laid_out(origin: int, hour: int, rhythm: Column, activity: Column, proof: Column) -> Clocks:
    sites = len(rhythm) // 24
    elapsed, fitted = _zeros(_CLOCKS * sites), array("q", [origin]) * sites
    return Clocks(origin, hour, 0, rhythm, activity, elapsed, proof, elapsed, _zeros(sites), fitted)


def laid_out(knowledge: Plain) -> Plain:
    """Running operational days, anew from the first column on."""
    clocks = knowledge.clocks
    last = min(clocks.hour - clocks.origin + given.AHEAD, given.COLUMNS)
    return replace(knowledge, clocks=_run(clocks, last))


def _run(clocks: Clocks, last: int) -> Clocks:
    found = compiled.laid_out(clocks.rhythm, clocks.activity, clocks.proof, _DOUBTS, clocks.origin, last)
    if found is None:
        raise ValueError("knowledge whose clocks do not fit each other cannot be read")
    elapsed, weight, mean = (_numbers(one) for one in found)
    sites = len(clocks.fitted)
    by_rhythm = [place for place, clock in enumerate(given.CLOCKS) if clock.rhythm]
    sure = (sum(weight[clock * sites + site] for clock in by_rhythm) for site in range(sites))
    rhythmic = any(one >= given.RHYTHM_SURE for one in sure)
    return replace(clocks, laid=last, elapsed=elapsed, weight=weight, mean=mean, rhythmic=rhythmic)


def noted(clocks: Clocks, more: Heap) -> Clocks:
    """As `tempo.noted`: small heaps become one, and that goes onto the large one when it is not small beside it."""
    fresh = (*clocks.fresh, more)
    if len(fresh) < given.FRESH_HEAPS:
        return replace(clocks, fresh=fresh)
    heap = _joined(fresh)
    after = replace(clocks, fresh=(heap,))
    return gathered(after) if len(heap[0]) * given.LARGE_BESIDE >= len(clocks.outcomes[0]) else after


def gathered(clocks: Clocks) -> Clocks:
    """The outcomes kept: those within the window, the newest of each site."""
    joined = zip(_joined((clocks.outcomes, *clocks.fresh)), "qqqBd", strict=True)
    columns = [_numbers(column, kind) for column, kind in joined]
    if min(columns[2], default=clocks.origin + 1) <= clocks.origin:
        recent = [end > clocks.origin for end in columns[2]]
        columns = [array(one.typecode, compress(one, recent)) for one in columns]
    most = given.OUTCOMES_PER_SITE * len(clocks.fitted)
    kept = tuple(one[-most:].tobytes() for one in columns)
    return replace(clocks, outcomes=kept, fresh=())


def _joined(heaps: Sequence[Heap]) -> Heap:
    return tuple(b"".join(columns) for columns in zip(*heaps, strict=True))


def bursts(knowledge: Plain) -> dict[str, float]:
    """As `knowledge.bursts`."""
    end = float(knowledge.clocks.hour)
    since = partial(_reading, knowledge.clocks)
    days = [since(site, end) - since(site, end - 24.0) for site in range(len(knowledge.sites))]
    return {name: passed for name, passed in zip(knowledge.sites, days, strict=True) if passed > BUSY_DAYS}


def _reading(clocks: Clocks, site: int, hour: float) -> float:
    """Operational days up to an hour."""
    column = hour - clocks.origin
    inside = min(max(column, 0.0), clocks.laid)
    whole = min(int(inside), clocks.laid - 1)
    at = site * (clocks.laid + 1) + whole
    low, high = clocks.mean[at], clocks.mean[at + 1]
    return float(low + (high - low) * (inside - whole) + (column - inside) / 24.0)


# the memo


def to_bytes(knowledge: Plain) -> bytes:
    """Outcomes, rhythm, proof and sums; the clocks themselves are laid out from these when read back."""
    clocks = gathered(knowledge.clocks)
    site, begin, end, changed, rate = clocks.outcomes
    head = {
        "version": _VERSION, "order": sys.byteorder, "origin": clocks.origin, "hour": clocks.hour,
        "refitted": knowledge.refitted_hour, "pooled": knowledge.pooled_hour, "price": knowledge.price,
        "usual": [knowledge.usual.price, knowledge.usual.hours], "sites": knowledge.sites, "met": knowledge.met_hour,
        "groups": knowledge.groups, "columns": len(clocks.activity) // (_CLOCKS * len(knowledge.sites)),
        "sources": given.SOURCES, "outcomes": len(changed),
    }  # fmt: skip
    parts = (
        knowledge.group_site, array("f", knowledge.sums), knowledge.law, array("f", clocks.rhythm), clocks.activity,
        clocks.proof, *(array("i", _numbers(one, "q")) for one in (site, begin, end)), changed,
        array("f", _numbers(rate)), knowledge.centre, knowledge.slope, *knowledge.trust,
    )  # fmt: skip
    told = json.dumps(head, ensure_ascii=False).encode()
    return _MARK + zlib.compress(b"".join((_HEAD.pack(len(told)), told, *parts)), QUICKLY)


def is_plain(memo: bytes) -> bool:
    """Earlier versions kept NumPy's archives."""
    return memo.startswith(_MARK)


def from_bytes(memo: bytes) -> Plain:
    """With clocks that are not laid out."""
    data = memoryview(zlib.decompress(memo[len(_MARK) :]))
    begin = _HEAD.size + _HEAD.unpack_from(data)[0]
    head: dict[str, Any] = json.loads(bytes(data[_HEAD.size : begin]))
    if head["version"] != _VERSION:
        raise ValueError(f"knowledge of version {head['version']} cannot be read by this recrawl")
    sites, groups = len(head["sites"]), len(head["groups"])
    seen, sources = head["outcomes"], head["sources"]
    kinds = (
        ("q", groups), ("f", groups * RATES), ("d", groups * RATES), ("f", sites * 24),
        ("f", _CLOCKS * sites * head["columns"]), ("d", _CLOCKS * sites), ("i", seen), ("i", seen), ("i", seen),
        ("B", seen), ("f", seen), ("d", sites), ("d", sites), *[("d", sites * sources)] * 5,
    )  # fmt: skip
    parts = _taken(data[begin:], kinds, head["order"])
    group_site, sums, law, rhythm, activity, proof, *heap, centre, slope = parts[:-5]
    outcomes = (*(array("q", one).tobytes() for one in heap[:3]), heap[3].tobytes(), array("d", heap[4]).tobytes())
    clocks = _not_laid_out(head["origin"], head["hour"], array("d", rhythm), activity, proof)
    return Plain(
        tuple(head["sites"]), tuple(head["groups"]), group_site, bytes(map(is_young, head["groups"])),
        array("d", sums), law, replace(clocks, outcomes=outcomes),
        tuple(_fitting(one, sources) for one in parts[-5:]), centre, slope, head["price"], head["refitted"],
        head["pooled"], Usual(*head["usual"]), tuple(head["met"]),
    )  # fmt: skip


def _taken(data: memoryview, kinds: Sequence[tuple[str, int]], order: str) -> list[Any]:
    parts, at = [], 0
    for kind, count in kinds:
        part = array(kind)
        part.frombytes(data[at : at + count * part.itemsize])
        at += count * part.itemsize
        if order != sys.byteorder:
            part.byteswap()
        parts.append(part)
    if at != len(data):
        raise ValueError("knowledge that is longer or shorter than it says cannot be read")
    return parts


def _fitting(sums: "array[float]", sources: int) -> Column:
    """What an older recrawl learnt, with room for sources that it did not know."""
    if sources >= given.SOURCES:
        return sums
    room = _zeros(given.SOURCES - sources)
    rows = (sums[at : at + sources] + room for at in range(0, len(sums), sources))
    return array("d", [one for row in rows for one in row])


# columns


def _beside(columns: Column, more: Column) -> Column:
    """Columns by clock and site, with those of more sites behind each clock's."""
    each, other = len(columns) // _CLOCKS, len(more) // _CLOCKS
    joined = columns[:0]
    for clock in range(_CLOCKS):
        joined += columns[clock * each : (clock + 1) * each] + more[clock * other : (clock + 1) * other]
    return joined


def _numbers(column: Column, kind: str = "d") -> Any:
    return column if isinstance(column, array) else array(kind, bytes(column))


def _zeros(count: int) -> "array[float]":
    return array("d", bytes(8 * count))


def _no_trust(sites: int) -> tuple[Column, ...]:
    return tuple(_zeros(sites * given.SOURCES) for _ in range(5))


def _mean(column: Column) -> float:
    return float(sum(column) / len(column))
