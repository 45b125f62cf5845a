"""What the value policy knows beyond single pages: laws of groups, tempo of sites, trust in sources, the price.

A small value, kept in the store's memo as bytes (`plain`) and moved by pure folds.
"""

import io
from array import array
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache

import numpy as np

from recrawl.estimate import given, sizes
from recrawl.estimate import tempo as tempos
from recrawl.estimate import trust as trusts
from recrawl.estimate.pooling import first_law
from recrawl.model.belief import RATES, Bools, Floats, Ints
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.schedule import plain
from recrawl.schedule.group_names import SITE_END, is_young, numbers_of, site_of
from recrawl.schedule.price import Usual

_ARCHIVED = 1  # version


@dataclass(frozen=True, slots=True)
class Knowledge:
    """`sums`: summed beliefs of each group's pages; `law`: what was last made of them."""

    sites: tuple[str, ...]
    groups: tuple[str, ...]
    group_site: Ints
    sums: Floats
    law: Floats
    tempo: tempos.Tempo
    trust: trusts.Trust
    price: float
    refitted_hour: int
    pooled_hour: int
    usual: Usual = field(default_factory=Usual)
    met_hour: tuple[int, ...] = ()  # when each site was first met
    leaning: sizes.Leaning = field(default_factory=lambda: sizes.none(1))

    @property
    def young(self) -> Bools:
        """See `is_young`."""
        return _young(self.groups)


@lru_cache(maxsize=8)
def _young(groups: tuple[str, ...]) -> Bools:
    return np.array([is_young(name) for name in groups], dtype=np.bool_)


def started(price: float, hour: int) -> Knowledge:
    """One group of one nameless site, for pages of which nothing else is known."""
    return Knowledge(
        ("",), (SITE_END,), np.zeros(1, dtype=np.int64), np.zeros((1, RATES)), first_law()[None, :],
        tempos.started(1, hour), trusts.started(1), price, hour, hour, Usual(), (hour,),
    )  # fmt: skip


def with_groups(knowledge: Knowledge, names: Sequence[str]) -> Knowledge:
    """Room for groups not met before; a new group starts with the mean law of its site, or of all."""
    known = numbers_of(knowledge.groups)
    new = [name for name in dict.fromkeys(names) if name not in known]
    if not new:
        return knowledge
    site_names = list(dict.fromkeys([*knowledge.sites, *(site_of(name) for name in new)]))
    number = {name: place for place, name in enumerate(site_names)}
    new_site = np.array([number[site_of(name)] for name in new], dtype=np.int64)
    new_law = np.stack(
        [first_law() if is_young(name) else _law_for(knowledge, site) for name, site in zip(new, new_site, strict=True)]
    )
    return replace(
        knowledge,
        sites=tuple(site_names),
        groups=(*knowledge.groups, *new),
        group_site=np.concatenate([knowledge.group_site, new_site]),
        sums=np.concatenate([knowledge.sums, np.zeros((len(new), RATES))]),
        law=np.concatenate([knowledge.law, new_law]),
        tempo=tempos.with_sites(knowledge.tempo, len(site_names)),
        trust=trusts.with_sites(knowledge.trust, len(site_names)),
        leaning=sizes.with_sites(knowledge.leaning, len(site_names)),
        met_hour=(*knowledge.met_hour, *[knowledge.tempo.hour] * (len(site_names) - len(knowledge.sites))),
    )


def _law_for(knowledge: Knowledge, site: int) -> Floats:
    own = (knowledge.group_site == site) & ~knowledge.young
    weight = knowledge.sums.sum(axis=1) + 1e-3
    chosen = weight * own if own.any() else weight
    law = (chosen[:, None] * knowledge.law).sum(axis=0)
    return np.asarray(law / law.sum())


def leaning_by_group(knowledge: Knowledge) -> tuple[Floats, Floats]:
    """The centre and the slope of each group; what is found new does not lean."""
    site = knowledge.group_site
    slope = np.where(knowledge.young, 0.0, knowledge.leaning.slope[site])
    return knowledge.leaning.centre[site], slope


def group_numbers(knowledge: Knowledge, names: Sequence[str]) -> Ints:
    """The groups' numbers; a name not met before is the nameless group."""
    number = numbers_of(knowledge.groups)
    return np.array([number.get(name, 0) for name in names], dtype=np.int64)


def bursts(knowledge: Knowledge) -> dict[str, float]:
    """Sites that have just lived through more than a day within a day, and through how many."""
    tempo = knowledge.tempo
    site = np.arange(len(knowledge.sites))
    end = np.full(site.size, float(tempo.hour))
    days = tempos.operational_days(tempo, site, end - 24.0, end)
    return {knowledge.sites[place]: float(days[place]) for place in np.flatnonzero(days > plain.BUSY_DAYS)}


def set_right(knowledge: Knowledge, hour: int) -> Knowledge:
    """What was learnt by a clock that ran ahead, for one that does not: it would rest until it is caught up with. What
    happened when is let go; laws, trust, price and the rhythm of the day stay."""
    ahead = knowledge.tempo.hour - hour
    if ahead <= plain.BELIEVED_AHEAD_HOURS:
        return knowledge
    old = knowledge.tempo
    anew = replace(tempos.started(len(knowledge.sites), hour), rhythm=old.rhythm, proof=old.proof)
    met = tuple(min(one, hour) for one in knowledge.met_hour)
    return replace(
        knowledge, tempo=tempos.with_elapsed(anew, 0), refitted_hour=hour, pooled_hour=hour, met_hour=met
    )  # fmt: skip


def to_bytes(knowledge: Knowledge) -> bytes:
    return plain.to_bytes(to_plain(knowledge))


def from_bytes(data: bytes) -> Knowledge:
    if not plain.is_plain(data):
        return _from_archive(data)
    knowledge = from_plain(plain.from_bytes(data))
    return replace(knowledge, tempo=tempos.with_elapsed(knowledge.tempo, 0))


def to_plain(knowledge: Knowledge) -> plain.Plain:
    tempo, leaning, trust = knowledge.tempo, knowledge.leaning, knowledge.trust
    activity = array("f", tempo.activity.astype(np.float32).tobytes())
    clocks = plain.Clocks(
        tempo.origin, tempo.hour, tempo.laid, _column(tempo.rhythm), activity, _column(tempo.elapsed),
        _column(tempo.proof), _column(tempo.weight), _column(tempo.mean), array("q", tempo.fitted.tobytes()),
        bool(tempo.rhythmic.any()), _heap(tempo.outcomes), tuple(map(_heap, tempo.fresh)),
    )  # fmt: skip
    return plain.Plain(
        knowledge.sites, knowledge.groups, array("q", knowledge.group_site.tobytes()), knowledge.young.tobytes(),
        _column(knowledge.sums), _column(knowledge.law), clocks,
        tuple(_column(getattr(trust, name)) for name in trusts.Trust.__dataclass_fields__), _column(leaning.centre),
        _column(leaning.slope), knowledge.price, knowledge.refitted_hour, knowledge.pooled_hour, knowledge.usual,
        knowledge.met_hour,
    )  # fmt: skip


def _column(numbers: Floats) -> "array[float]":
    return array("d", numbers.tobytes())


def _heap(seen: tempos.Outcomes) -> plain.Heap:
    return tuple(getattr(seen, name).tobytes() for name in tempos.Outcomes.__dataclass_fields__)


def from_plain(known: plain.Plain) -> Knowledge:
    sites, clocks = len(known.sites), known.clocks
    by_site = (len(given.CLOCKS), sites)
    activity = np.frombuffer(clocks.activity, dtype=np.float32).reshape(*by_site, -1).astype(np.float64)
    tempo = tempos.Tempo(
        clocks.origin, clocks.hour, np.array(clocks.rhythm).reshape(sites, 24), tempos.reaching(activity, clocks.laid),
        np.array(clocks.elapsed).reshape(*by_site, -1), np.array(clocks.proof).reshape(by_site),
        np.array(clocks.weight).reshape(by_site), np.array(clocks.mean).reshape(sites, -1), _outcomes(clocks.outcomes),
        np.array(clocks.fitted, dtype=np.int64), clocks.laid, tuple(map(_outcomes, clocks.fresh)),
    )  # fmt: skip
    return Knowledge(
        known.sites, known.groups, np.array(known.group_site, dtype=np.int64), np.array(known.sums).reshape(-1, RATES),
        np.array(known.law).reshape(-1, RATES), tempo,
        trusts.Trust(*(np.array(one).reshape(sites, -1) for one in known.trust)), known.price, known.refitted_hour,
        known.pooled_hour, known.usual, known.met_hour, sizes.Leaning(np.array(known.centre), np.array(known.slope)),
    )  # fmt: skip


def _outcomes(heap: plain.Heap) -> tempos.Outcomes:
    site, begin, end = (np.frombuffer(one, dtype=np.int64) for one in heap[:3])
    return tempos.Outcomes(site, begin, end, np.frombuffer(heap[3], dtype=np.bool_), np.frombuffer(heap[4]))


def _from_archive(data: bytes) -> Knowledge:
    """As earlier versions kept it."""
    with np.load(io.BytesIO(data), allow_pickle=False) as kept:
        version, origin, hour, refitted, pooled = (int(number) for number in kept["numbers"])
        if version != _ARCHIVED:
            raise ValueError(f"knowledge of version {version} cannot be read by this recrawl")
        site, begin, end, changed = kept["outcomes"].astype(np.int64)
        outcomes = tempos.Outcomes(site, begin, end, changed.astype(np.bool_), kept["rates"].astype(np.float64))
        tempo = tempos.started(len(kept["sites"]), origin)
        tempo = replace(
            tempo, hour=hour, rhythm=kept["rhythm"].astype(np.float64), proof=kept["proof"], outcomes=outcomes,
            activity=kept["activity"].astype(np.float64),
        )  # fmt: skip
        return Knowledge(
            tuple(str(name) for name in kept["sites"]), tuple(str(name) for name in kept["groups"]),
            kept["group_site"], kept["sums"].astype(np.float64), kept["law"], tempos.with_elapsed(tempo, 0),
            trusts.fitting(trusts.Trust(*kept["trust"])), float(kept["price"][0]), refitted, pooled,
            Usual(*(float(number) for number in kept["price"][1:])),
            tuple(map(int, kept["met_hour"])) if "met_hour" in kept else (origin,) * len(kept["sites"]),
            sizes.Leaning(*kept["leaning"]) if "leaning" in kept else sizes.none(len(kept["sites"])),
        )  # fmt: skip
