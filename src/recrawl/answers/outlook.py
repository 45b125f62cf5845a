"""What is expected of pages from now on: by the policy's own belief, or by S1's estimate where the policy has none.

Either way the answer is S(x), the probability that a page has not changed x days after it was last seen.
"""

from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from recrawl.answers.reading import Reading
from recrawl.engine.assembly import scheduler_of
from recrawl.engine.scheduling.kin import group_names
from recrawl.engine.scheduling.scheduler import Scheduler
from recrawl.estimate import given
from recrawl.estimate.bayes import Prospects
from recrawl.estimate.poisson import always_changed, change_interval_s, never_changed
from recrawl.model.belief import Context, Floats, unpack
from recrawl.model.page import Page
from recrawl.ports import Policy
from recrawl.schedule import knowledge
from recrawl.schedule.explain import Reasons, Seen, rates_after, reasons
from recrawl.schedule.value import ValuePolicy

DAY_S = 86_400.0
MOST_WORKERS = 256
LEAST_RATE = 1e-9  # a day: nothing is for ever


def outlook(found: Reading, pages: Sequence[Page], now: float) -> Prospects:
    """One row a page."""
    crew = schedulers(found)
    sites = dict.fromkeys(page.site for page in pages)
    rows = {site: [place for place, page in enumerate(pages) if page.site == site] for site in sites}
    parts = {site: _of_site(best_informed(crew, site, now), [pages[row] for row in rows[site]], now) for site in sites}
    return joined(parts, rows, len(pages))


def schedulers(found: Reading) -> list[Scheduler]:
    """One for each worker that has kept what it knows."""
    sites = found.folder.sites()
    first = scheduler_of(found.settings, sites, found.store)
    others = takewhile(lambda worker: first.has_kept(worker), map(str, range(1, MOST_WORKERS)))
    return [first, *(scheduler_of(found.settings, sites, found.store, worker) for worker in others)]


def best_informed(crew: Sequence[Scheduler], site: str, now: float) -> Policy:
    """The policy of the worker that has seen most of a site: its pages are of one or several workers' partitions."""
    policies = [scheduler.full_policy(site, now) for scheduler in crew]
    return max(policies, key=lambda policy: _seen(policy, site))


def _seen(policy: Policy, site: str) -> float:
    if not isinstance(policy, ValuePolicy) or site not in policy.knowledge.sites:
        return 0.0
    own = policy.knowledge.group_site == policy.knowledge.sites.index(site)
    return float(policy.knowledge.sums[own].sum())


def _of_site(policy: Policy, pages: Sequence[Page], now: float) -> Prospects:
    if not isinstance(policy, ValuePolicy):
        return by_rate(rates_per_day(pages))
    policy, context = around(policy, pages, now)
    return policy.prospects(unpack(page.belief for page in pages), context)


def around(
    policy: ValuePolicy, pages: Sequence[Page], now: float, server_price: float = 0.0
) -> tuple[ValuePolicy, Context]:
    """The pages' groups, and a policy that has room for them; nobody has spoken of the pages."""
    names = group_names(policy, pages, now)
    policy = policy.with_groups(names)
    told = np.zeros((len(pages), given.SOURCES), dtype=np.int64)
    prices = np.full(len(pages), server_price)
    return policy, Context(knowledge.group_numbers(policy.knowledge, names), prices, told)


def joined(parts: dict[str, Prospects], rows: dict[str, list[int]], count: int) -> Prospects:
    """Back in the order of the pages; sites may differ in how many terms they need."""
    terms = max((part.share.shape[1] for part in parts.values()), default=1)
    share, decay = np.zeros((count, terms)), np.full((count, terms), -LEAST_RATE)
    for site, part in parts.items():
        width = part.share.shape[1]
        share[rows[site], :width], decay[rows[site], :width] = part.share, part.decay
    return Prospects(share, decay)


def by_rate(per_day: Floats) -> Prospects:
    """Changes that come at a constant rate: S(x) = e^{−λx}."""
    return Prospects(np.ones((len(per_day), 1)), -np.maximum(per_day, LEAST_RATE)[:, None])


def rates_per_day(pages: Sequence[Page]) -> Floats:
    """S1's estimate. Where S1 is singular: half a change in all the time watched for a page never seen to change, the
    estimate of Cho and Garcia-Molina for one that changed at every visit; one change an interval for one seen once."""
    if not pages:
        return np.zeros(0)
    states = unpack(page.belief for page in pages)
    gaps, changes = states["gaps"].astype(float), states["changes"].astype(float)
    watched = np.maximum(states["watched_s"] / DAY_S, 1e-5)
    interval = np.array([page.interval_s if page.interval_s > 0 else DAY_S for page in pages]) / DAY_S
    mean_gap = watched / np.maximum(gaps, 1.0)
    at_each_visit = -np.log((gaps - changes + 0.5) / (gaps + 0.5)) / mean_gap
    rate = DAY_S / np.maximum(np.nan_to_num(change_interval_s(states), nan=1.0), 1e-3)
    rate = np.where(always_changed(states), at_each_visit, rate)
    rate = np.where(never_changed(states), 0.5 / watched, rate)
    return np.asarray(np.where(gaps == 0, 1.0 / interval, rate))


def rate_now(ahead: Prospects) -> Floats:
    """Changes a day expected right after a visit: −S′(0)."""
    return np.asarray(-(ahead.share * ahead.decay).sum(axis=1))


def moved_rates(found: Reading, page: Page, visits: Sequence[Seen], now: float) -> list[float]:
    """The rate as it was believed after each visit; nothing where the policy has no belief."""
    policy = best_informed(schedulers(found), page.site, now)
    if not isinstance(policy, ValuePolicy):
        return []
    policy, context = around(policy, [page], now)
    return rates_after(policy, visits, context)


def reasons_for(found: Reading, page: Page, now: float) -> Reasons | None:
    """Why the value policy visits a page when it does; None for another policy or a page never visited."""
    if not page.belief:
        return None
    policy = best_informed(schedulers(found), page.site, now)
    if not isinstance(policy, ValuePolicy):
        return None
    server = found.store.server(page.server)
    policy, context = around(policy, [page], now, server.price if server else 0.0)
    wish = next((site.importance for site in found.folder.sites() if site.name == page.site), 1.0)
    return reasons(policy, unpack([page.belief]), page.importance * wish, now, context)
