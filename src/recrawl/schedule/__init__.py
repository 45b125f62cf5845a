"""When to look again.

Comes in: the packed states of pages, their importance, the moment and some luck (numbers in [0, 1) drawn by the
caller). Goes out: the gap to the next visit of each page. Every policy stands behind `ports.Policy`, works on whole
arrays, and is the same code live and in the lab.

Always holds: pure; gaps are finite, positive and within the ceiling; a budget is never exceeded (`budget`), a quiet
hour never broken (`windows`), an overloaded server loses its least valuable visits first (`relief`). `diary` is all of
it for somebody else's crawler.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from recrawl.ports import Policy
from recrawl.schedule.diary import Diary, Look
from recrawl.schedule.groups import GroupsPolicy
from recrawl.schedule.nutch import NutchPolicy
from recrawl.schedule.own import is_own, own_policy
from recrawl.schedule.poisson import PoissonPolicy
from recrawl.schedule.ranked import cho, lambdacrawl, likelihood, proportional
from recrawl.schedule.settings import Settings
from recrawl.schedule.simple import MultiplicativePolicy, StaticPolicy
from recrawl.schedule.staleness import StalenessPolicy
from recrawl.schedule.stormcrawler import StormCrawlerPolicy
from recrawl.schedule.value import value_policy

__all__ = ["POLICIES", "Diary", "Look", "Policy", "Settings", "policy"]

POLICIES: Mapping[str, Callable[[Settings], Policy]] = MappingProxyType(
    {
        "static": StaticPolicy,
        "multiplicative": MultiplicativePolicy,
        "groups": GroupsPolicy,
        "poisson": PoissonPolicy,
        "staleness": StalenessPolicy,
        "nutch": NutchPolicy,
        "stormcrawler": StormCrawlerPolicy,
        "proportional": proportional,
        "cho": cho,
        "lambdacrawl": lambdacrawl,
        "likelihood": likelihood,
        "value": value_policy,
    }
)


def policy(name: str, settings: Settings | None = None) -> Policy:
    """The policy of that name, or your own as `package.module:factory`; KeyError for what is neither."""
    return own_policy(name, settings or Settings()) if is_own(name) else POLICIES[name](settings or Settings())
