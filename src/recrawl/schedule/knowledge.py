"""What the value policy knows beyond single pages: laws of groups, tempo of sites, trust in sources, the price.

A small value, kept in the store's memo as bytes and moved by pure folds. Groups are numbered in the order they
were met; a group is a site and a pattern, named `site|pattern` (`site|pattern+new` for pages in their first weeks).
"""

import io
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache

import numpy as np

from recrawl.estimate import sizes
from recrawl.estimate import tempo as tempos
from recrawl.estimate import trust as trusts
from recrawl.estimate.pooling import first_law
from recrawl.model.belief import RATES, Bools, Floats, Ints
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.schedule.price import Usual

_VERSION = 1
_SITE_END = "|"
_NEW = "+new"  # ends the name of a group of pages in their first weeks
BUSY_DAYS = 1.5  # within a day: a burst
YOUTH_S = 14 * 86400.0
BELIEVED_AHEAD_HOURS = 24  # so much is soon caught up with
FIRST_S = 2 * 86400.0  # what is found within the first days of a site was there before


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
        """Groups of pages found within their first weeks: these often change fast and then never again, so they have
        a law of their own, learnt from first revisits and drawn to the world's first law, not to their site's."""
        return _young(self.groups)


@lru_cache(maxsize=8)
def _young(groups: tuple[str, ...]) -> Bools:
    return np.array([name.endswith(_NEW) for name in groups], dtype=np.bool_)


def started(price: float, hour: int) -> Knowledge:
    """One group of one nameless site, for pages of which nothing else is known."""
    return Knowledge(
        ("",), (_SITE_END,), np.zeros(1, dtype=np.int64), np.zeros((1, RATES)), first_law()[None, :],
        tempos.started(1, hour), trusts.started(1), price, hour, hour, Usual(), (hour,),
    )  # fmt: skip


def group_name(site: str, pattern: str, new: bool = False) -> str:
    """`new`: the page was found less than `YOUTH_S` ago, by a crawl that was already running. New pages of a site are
    best kept in one group, with an empty pattern: there are never many of them at a time."""
    return f"{site}{_SITE_END}{pattern}{_NEW if new else ''}"


def met_at(knowledge: Knowledge) -> dict[str, float]:
    """When each site was first met."""
    return {site: 3600.0 * hour for site, hour in zip(knowledge.sites, knowledge.met_hour, strict=False)}


def is_new(knowledge: Knowledge, site: str, found_at: float, now: float) -> bool:
    """Whether a page is in its first weeks and was found by a crawl that already knew its site."""
    if site not in knowledge.sites:
        return False
    met_at = 3600.0 * knowledge.met_hour[knowledge.sites.index(site)]
    return found_at - met_at >= FIRST_S and now - found_at < YOUTH_S


def with_groups(knowledge: Knowledge, names: Sequence[str]) -> Knowledge:
    """Room for groups not met before; a new group starts with the mean law of its site, or of all."""
    known = set(knowledge.groups)
    new = [name for name in dict.fromkeys(names) if name not in known]
    if not new:
        return knowledge
    site_names = list(dict.fromkeys([*knowledge.sites, *(name.split(_SITE_END, 1)[0] for name in new)]))
    number = {name: place for place, name in enumerate(site_names)}
    new_site = np.array([number[name.split(_SITE_END, 1)[0]] for name in new], dtype=np.int64)
    new_law = np.stack(
        [
            first_law() if name.endswith(_NEW) else _law_for(knowledge, site)
            for name, site in zip(new, new_site, strict=True)
        ]
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
    number = {name: place for place, name in enumerate(knowledge.groups)}
    return np.array([number.get(name, 0) for name in names], dtype=np.int64)


def bursts(knowledge: Knowledge) -> dict[str, float]:
    """Sites that have just lived through more than a day within a day, and through how many."""
    tempo = knowledge.tempo
    site = np.arange(len(knowledge.sites))
    end = np.full(site.size, float(tempo.hour))
    days = tempos.operational_days(tempo, site, end - 24.0, end)
    return {knowledge.sites[place]: float(days[place]) for place in np.flatnonzero(days > BUSY_DAYS)}


def set_right(knowledge: Knowledge, hour: int) -> Knowledge:
    """What was learnt by a clock that ran ahead, for one that does not: it would rest until it is caught up with. What
    happened when is let go; laws, trust, price and the rhythm of the day stay."""
    ahead = knowledge.tempo.hour - hour
    if ahead <= BELIEVED_AHEAD_HOURS:
        return knowledge
    old = knowledge.tempo
    anew = replace(tempos.started(len(knowledge.sites), hour), rhythm=old.rhythm, proof=old.proof)
    met = tuple(min(one, hour) for one in knowledge.met_hour)
    return replace(
        knowledge, tempo=tempos.with_elapsed(anew, 0), refitted_hour=hour, pooled_hour=hour, met_hour=met
    )  # fmt: skip


def to_bytes(knowledge: Knowledge) -> bytes:
    """Outcomes, rhythm, proof and sums; the clocks themselves are refitted from these when read back."""
    tempo = tempos.gathered(knowledge.tempo)
    seen = tempo.outcomes
    out = io.BytesIO()
    np.savez_compressed(
        out,
        numbers=np.array([_VERSION, tempo.origin, tempo.hour, knowledge.refitted_hour, knowledge.pooled_hour]),
        price=np.array([knowledge.price, knowledge.usual.price, knowledge.usual.hours]),
        sites=np.array(knowledge.sites),
        met_hour=np.array(knowledge.met_hour),
        groups=np.array(knowledge.groups),
        group_site=knowledge.group_site,
        sums=knowledge.sums.astype(np.float32),
        law=knowledge.law,
        rhythm=tempo.rhythm.astype(np.float32),
        activity=tempo.activity.astype(np.float32),
        proof=tempo.proof,
        outcomes=np.stack([seen.site, seen.begin, seen.end, seen.changed]).astype(np.int32),
        rates=seen.rate.astype(np.float32),
        leaning=np.stack([knowledge.leaning.centre, knowledge.leaning.slope]),
        trust=np.stack([getattr(knowledge.trust, name) for name in trusts.Trust.__dataclass_fields__]),
    )
    return out.getvalue()


def from_bytes(data: bytes) -> Knowledge:
    with np.load(io.BytesIO(data), allow_pickle=False) as kept:
        version, origin, hour, refitted, pooled = (int(number) for number in kept["numbers"])
        if version != _VERSION:
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
