"""Groups are numbered in the order they were met; a group is a site and a pattern, named `site|pattern`
(`site|pattern+new` for pages in their first weeks)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

SITE_END = "|"
NEW = "+new"  # ends the name of a group of pages in their first weeks
YOUTH_S = 14 * 86400.0
FIRST_S = 2 * 86400.0  # what is found within the first days of a site was there before


class Met(Protocol):
    """Sites, and when each was first met."""

    @property
    def sites(self) -> tuple[str, ...]: ...

    @property
    def met_hour(self) -> tuple[int, ...]: ...


def group_name(site: str, pattern: str, new: bool = False) -> str:
    """`new`: the page was found less than `YOUTH_S` ago, by a crawl that was already running. New pages of a site are
    best kept in one group, with an empty pattern: there are never many of them at a time."""
    return f"{site}{SITE_END}{pattern}{NEW if new else ''}"


def site_of(group: str) -> str:
    return group.split(SITE_END, 1)[0]


def is_young(group: str) -> bool:
    """Of pages found within their first weeks: these often change fast and then never again, so they have a law of
    their own, learnt from first revisits and drawn to the world's first law, not to their site's."""
    return group.endswith(NEW)


def met_at(knowledge: Met) -> Mapping[str, float]:
    """When each site was first met."""
    return _met_at(knowledge.sites, knowledge.met_hour)


@lru_cache(maxsize=8)
def _met_at(sites: tuple[str, ...], met_hour: tuple[int, ...]) -> dict[str, float]:
    return {site: 3600.0 * hour for site, hour in zip(sites, met_hour, strict=False)}


def is_new(knowledge: Met, site: str, found_at: float, now: float) -> bool:
    """Whether a page is in its first weeks and was found by a crawl that already knew its site."""
    if site not in knowledge.sites:
        return False
    met_at = 3600.0 * knowledge.met_hour[knowledge.sites.index(site)]
    return found_at - met_at >= FIRST_S and now - found_at < YOUTH_S


@lru_cache(maxsize=8)
def numbers_of(groups: tuple[str, ...]) -> dict[str, int]:
    return {name: place for place, name in enumerate(groups)}
