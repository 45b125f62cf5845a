"""When to look again.

Comes in: the packed states of pages, their importance, the moment and some luck (numbers in [0, 1) drawn by the
caller). Goes out: the gap to the next visit of each page. Every policy stands behind `ports.Policy`, works on whole
arrays, and is the same code live and in the lab.

Always holds: pure; gaps are finite, positive and within the ceiling; a budget is never exceeded (`budget`), a quiet
hour never broken (`windows`), an overloaded server loses its least valuable visits first (`relief`). `diary` is all of
it for somebody else's crawler. A policy is imported when it is first asked for: a crawl has one.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from recrawl.model.late import late_module
from recrawl.schedule.settings import Settings

if TYPE_CHECKING:
    from recrawl.ports import Policy
    from recrawl.schedule.diary import Diary, Look

__all__ = ["POLICIES", "Diary", "Look", "Policy", "Settings", "policy"]

_HOMES = {
    "Diary": "recrawl.schedule.diary",
    "Look": "recrawl.schedule.diary",
    "Policy": "recrawl.ports",
}
_OWN = late_module("recrawl.schedule.own")


def _late(home: str, name: str) -> "Callable[[Settings], Policy]":
    return lambda settings: getattr(import_module(f"recrawl.schedule.{home}"), name)(settings)


POLICIES: "Mapping[str, Callable[[Settings], Policy]]" = MappingProxyType(
    {
        "static": _late("simple", "StaticPolicy"),
        "multiplicative": _late("simple", "MultiplicativePolicy"),
        "groups": _late("groups", "GroupsPolicy"),
        "poisson": _late("poisson", "PoissonPolicy"),
        "staleness": _late("staleness", "StalenessPolicy"),
        "nutch": _late("nutch", "NutchPolicy"),
        "stormcrawler": _late("stormcrawler", "StormCrawlerPolicy"),
        "proportional": _late("ranked", "proportional"),
        "cho": _late("ranked", "cho"),
        "lambdacrawl": _late("ranked", "lambdacrawl"),
        "likelihood": _late("ranked", "likelihood"),
        "value": _late("value", "value_policy"),
    }
)


def policy(name: str, settings: Settings | None = None) -> "Policy":
    """The policy of that name, or your own as `package.module:factory`; KeyError for what is neither."""
    if is_own(name):
        found: Policy = _OWN.own_policy(name, settings or Settings())
        return found
    return POLICIES[name](settings or Settings())


def is_own(name: str) -> bool:
    return ":" in name


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'recrawl.schedule' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
