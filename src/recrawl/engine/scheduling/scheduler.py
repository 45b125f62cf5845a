"""The policy at work: what it knows beyond single pages, and what a request costs today.

Sites that have a budget of their own are a *domain* of their own, with their own knowledge and price; all others share
one. Knowledge lives in the store's memo, so it outlives a restart, and so does what was spent (`rations`).
"""

import math
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from recrawl.engine.scheduling.domain import Domain, knowledge_memo, learnt_memo
from recrawl.engine.scheduling.either import MOST_GROUPS, begun, bursts, set_right, with_room
from recrawl.engine.scheduling.kin import group_names
from recrawl.engine.scheduling.rations import Rations
from recrawl.engine.scheduling.spending import Common, Purse, spent_memo
from recrawl.estimate.given import SOURCES
from recrawl.model.belief import Column, Context, Floats, Ints, Sightings, Sights, States, numbers, state_type, unpack
from recrawl.model.late import late_module
from recrawl.model.numpy_late import np
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.ports import Policy, PricedPolicy, Store
from recrawl.schedule import budget as budgets
from recrawl.schedule.by_value import ByValue
from recrawl.schedule.lean import LeanPolicy, in_full, is_by_value
from recrawl.schedule.material import FINE, MATERIAL, is_material
from recrawl.schedule.portion import Portion
from recrawl.schedule.relief import server_price
from recrawl.schedule.settings import HOUR_S

_AIM = late_module("recrawl.schedule.aim")
_JOIN = late_module("recrawl.schedule.knowledge_join")
_KNOWLEDGE = late_module("recrawl.schedule.knowledge")
KEEP_EVERY_S = 600.0
LEAST_BUDGET = 24.0  # requests a day: below this an implied budget would starve a small folder
MOST_POOLED = 5000  # pages that a day's laws are made of; ids are fingerprints, so the first are a fair sample
_CALM = Server("")
_Priced = TypeVar("_Priced", bound=PricedPolicy)
PRICE_EVERY_HOURS = 0.25


class Scheduler:
    """`share`: this worker's part of the work (1 for a worker alone), and of the budgets where there is no `common`
    purse to draw from."""

    def __init__(
        self,
        policy: Policy,
        sites: Iterable[Site],
        purse: Purse,
        store: Store,
        worker: str = "0",
        share: float = 1.0,
        common: Common | None = None,
    ) -> None:
        self._store, self._purse, self._first, self._worker, self.share = store, purse, policy, worker, share
        self._sites: dict[str, Site] = {site.name: site for site in sites}
        alone = common is not None or share == 1.0
        portion = Portion() if alone else Portion(int(worker), round(1.0 / share))
        memo = None if common else store.memo(spent_memo(worker))
        self.rations = Rations(self._sites.values(), purse, worker, portion, memo, common)
        self._is_common = common is not None
        self._domains: dict[str, Domain] = {}
        self._priced_at: dict[str, float] = {}

    def know(self, sites: Iterable[Site], gone: Collection[str] = ()) -> None:
        """Site files changed while the crawl runs."""
        self._sites = {site.name: site for site in sites}
        self.rations.take_up(self._sites.values(), gone)

    def paced(
        self,
        pages: Sequence[Page],
        seen: Sights,
        importance: Column,
        servers: Sequence[Server],
        notices: Sequence[Sequence[int]] | None,
        luck: Column,
    ) -> tuple[Column, Column]:
        """Fold what was seen into page and shared beliefs; (states, gaps until the next visit)."""
        now = seen.latest_at
        purse_of = {site: self._purse_of(site) for site in {page.site for page in pages}}
        if len(set(purse_of.values())) == 1:
            domain = self.domain_named(purse_of[pages[0].site], now)
            found = self._paced_lean(domain, pages, seen, importance, servers, notices, luck, now)
            if found is not None:
                return found
        sightings, states = seen.arrays()
        after, gaps_s = self._paced_by_numpy(
            pages, states, sightings, np.asarray(importance), servers, notices, np.asarray(luck), purse_of, now
        )
        return after.view(np.uint8), gaps_s

    def _paced_lean(
        self,
        domain: Domain,
        pages: Sequence[Page],
        seen: Sights,
        importance: Column,
        servers: Sequence[Server],
        notices: Sequence[Sequence[int]] | None,
        luck: Column,
        now: float,
    ) -> tuple[Column, Column] | None:
        """None: it takes NumPy."""
        policy = domain.policy
        if not isinstance(policy, LeanPolicy) or not policy.suffices(now):
            return None
        names = group_names(policy, pages, now)
        policy = with_room(policy, names)
        group, prices = policy.group_numbers(names), array("d", [server.price for server in servers])
        told = None if notices is None else array("q", [count for counts in notices for count in counts])
        folded = policy.folded(seen, group, told)
        if folded is None:
            return None
        after, policy = folded
        policy = domain.policy = self._repriced(domain, policy.at(now), seen.revisits, now)
        gaps_s = policy.gaps_s(after, importance, now, luck, prices, group)
        if gaps_s is None:
            full = domain.policy = policy.full()
            context = Context(np.asarray(group), np.asarray(prices), _nobody(len(pages)))
            states = np.frombuffer(after, dtype=state_type())
            gaps_s = full.next_gap_s(states, np.asarray(importance), now, np.asarray(luck), context)
        return after, gaps_s

    def _paced_by_numpy(
        self,
        pages: Sequence[Page],
        states: States,
        seen: Sightings,
        importance: Floats,
        servers: Sequence[Server],
        notices: Sequence[Sequence[int]] | None,
        luck: Floats,
        purse_of: Mapping[str, str],
        now: float,
    ) -> tuple[States, Floats]:
        purses = sorted(set(purse_of.values()))
        if len(purses) == 1:
            domain = self._full_domain(purses[0], now)
            return self._paced_in(domain, pages, states, seen, importance, servers, notices, luck, now)
        after, gaps_s = states.copy(), np.zeros(len(pages))
        for name in purses:
            rows = np.array([place for place, page in enumerate(pages) if purse_of[page.site] == name])
            part = Sightings(*(getattr(seen, one)[rows] for one in Sightings.__dataclass_fields__))
            told = None if notices is None else [notices[row] for row in rows]
            after[rows], gaps_s[rows] = self._paced_in(
                self._full_domain(name, now),
                [pages[row] for row in rows],
                states[rows],
                part,
                importance[rows],
                [servers[row] for row in rows],
                told,
                luck[rows],
                float(part.at.max()),
            )
        return after, gaps_s

    def _paced_in(
        self,
        domain: Domain,
        pages: Sequence[Page],
        states: States,
        seen: Sightings,
        importance: Floats,
        servers: Sequence[Server],
        notices: Sequence[Sequence[int]] | None,
        luck: Floats,
        now: float,
    ) -> tuple[States, Floats]:
        policy = in_full(domain.policy)
        revisits = len(pages) - int(np.count_nonzero(seen.first))
        if policy is None:
            other = domain.policy
            after = other.observe(states, seen)
            if isinstance(other, PricedPolicy):
                other = domain.policy = self._repriced(domain, other, revisits, now)
            return after, other.next_gap_s(after, importance, now, luck)
        policy, context = self._around(policy, pages, servers, notices, now)
        after, policy = self._repooled(policy, domain.name, now).folded(states, seen, context)
        policy = domain.policy = self._repriced(domain, policy.at(now), revisits, now)
        if notices is not None:  # this visit has answered them
            context = replace(context, notices=np.zeros_like(context.notices))
        return after, policy.next_gap_s(after, importance, now, luck, context)

    def solved(
        self,
        pages: Sequence[Page],
        states: States,
        importance: Column,
        servers: Sequence[Server],
        now: float,
        notices: Sequence[Sequence[int]] | None = None,
    ) -> Floats:
        """Gaps from the last visit at today's price, for pages that were not visited just now. `notices`: how many came
        since then, by source."""
        gaps_s, importance = np.zeros(len(pages)), np.asarray(importance)
        for name in dict.fromkeys(self._purse_of(page.site) for page in pages):
            rows = np.array([place for place, page in enumerate(pages) if self._purse_of(page.site) == name])
            other = self._full_domain(name, now).policy
            policy = in_full(other)
            if policy is not None:
                mine, theirs = [pages[row] for row in rows], [servers[row] for row in rows]
                told = None if notices is None else [notices[row] for row in rows]
                policy, around = self._around(policy, mine, theirs, told, now)
                gaps_s[rows] = policy.next_gap_s(states[rows], importance[rows], now, np.full(len(rows), 0.5), around)
            elif isinstance(other, PricedPolicy):
                gaps_s[rows] = other.next_gap_s(states[rows], importance[rows], now, np.full(len(rows), 0.5))
            else:
                gaps_s[rows] = [pages[row].interval_s for row in rows]
        return gaps_s

    def worthwhile(
        self, pages: Sequence[Page], importance: Column, servers: Sequence[Server], now: float
    ) -> list[bool]:
        """Of pages that are said to have changed: will they stand still for long enough to be worth a visit?"""
        found = [True] * len(pages)
        for name in dict.fromkeys(self._purse_of(page.site) for page in pages):
            rows = [place for place, page in enumerate(pages) if self._purse_of(page.site) == name]
            mine, wishes = [pages[row] for row in rows], array("d", [importance[row] for row in rows])
            worths = self._worths(name, mine, wishes, [servers[row] for row in rows], now)
            for row, worth in zip(rows, worths, strict=True):
                found[row] = worth >= 1.0
        return found

    def _worths(
        self, name: str, pages: Sequence[Page], wishes: Column, servers: Sequence[Server], now: float
    ) -> Iterable[float]:
        """Of visits to pages that have changed for sure, in units of the price; endless where there is none."""
        lean = self.domain_named(name, now).policy
        if isinstance(lean, LeanPolicy):
            names, prices = group_names(lean, pages, now), array("d", [server.price for server in servers])
            states, lean = b"".join(page.belief for page in pages), with_room(lean, names)
            found = lean.worths_if_changed(states, wishes, now, prices, lean.group_numbers(names))
            if found is not None:
                return numbers(found)
        policy = in_full(self._full_domain(name, now).policy)
        if policy is None:
            return [math.inf] * len(pages)
        policy, around = self._around(policy, pages, servers, None, now)
        worth = policy.worth_if_changed(unpack(page.belief for page in pages), np.asarray(wishes), now, around)
        return [float(one) for one in worth]

    def patience(self, site: str, now: float) -> float:
        """How much longer pages of which nobody speaks rest, because their site's changes are announced: the gaps of
        `paced` and `solved` have it in them."""
        policy = self.domain(site, now).policy
        ours = policy if isinstance(policy, LeanPolicy) else in_full(policy)
        return 1.0 if ours is None else ours.patience(site)

    def relieved(self, server: Server, site: str, now: float) -> Server:
        """The server with its own price: raised while its schedule cannot be carried out. At most once an hour."""
        if now - self._priced_at.get(server.key, -HOUR_S) < HOUR_S or (not server.overloaded and not server.price):
            return server
        self._priced_at[server.key] = now
        common = self.domain(site, now).price
        return replace(server, price=server_price(common, server.price, server.load_per_s, server.gap_s))

    def memos(self, now: float, closing: bool = False) -> dict[str, bytes]:
        """What to keep: the spending with every commit, the knowledge now and then. After `closing` nobody is asked any
        more, and whatever else is written says so, too."""
        self.rations.closing = closing = closing or self.rations.closing
        memos = self.rations.memos(now)
        for domain in self._domains.values():
            if (closing or now - domain.kept_at >= KEEP_EVERY_S) and isinstance(domain.policy, PricedPolicy):
                domain.kept_at = now
                memos[learnt_memo(self._worker, domain.policy, domain.name)] = domain.policy.memory()
        return memos

    def moved(self, since: Mapping[str, float], servers: Iterable[Server]) -> dict[str, float] | None:
        """The prices of domains and servers and the pace of sites in a burst, if any of them has moved materially from
        what it was."""
        prices = {f"domain {name}": domain.price for name, domain in self._domains.items()}
        prices |= {f"server {server.key}": server.price for server in servers if server.price}
        for name, domain in self._domains.items():
            prices |= {f"burst {name} {site}": pace for site, pace in bursts(domain.policy).items()}
        share = FINE if self._has_target else MATERIAL
        return prices if any(is_material(since.get(key, 0.0), price, share) for key, price in prices.items()) else None

    # inside

    def domain(self, site: str, now: float) -> Domain:
        return self.domain_named(self._purse_of(site), now)

    def domain_named(self, name: str, now: float) -> Domain:
        domain = self._domains.get(name)
        if domain is None:
            domain = self._domains[name] = self._opened(name, now)
        return domain

    def _full_domain(self, name: str, now: float) -> Domain:
        """With a policy that can do everything."""
        domain = self.domain_named(name, now)
        domain.policy = in_full(domain.policy) or domain.policy
        return domain

    def full_policy(self, site: str, now: float) -> Policy:
        return self._full_domain(self._purse_of(site), now).policy

    def has_kept(self, worker: str) -> bool:
        """Whether a worker of that number has left what it knows in the store."""
        names = ("", *(name for name, site in self._sites.items() if site.requests_per_day is not None))
        return any(self._store.memo(knowledge_memo(worker, name)) for name in names)

    def inherit(self, workers: Iterable[str]) -> None:
        """Take over what others learnt of groups unknown here: their pages may be ours now."""
        others = [worker for worker in workers if worker != self._worker]
        for name, domain in self._domains.items():
            for memo in (self._store.memo(knowledge_memo(worker, name)) for worker in others):
                policy = in_full(domain.policy) if memo else None
                if memo and policy is not None:
                    learnt = _JOIN.joined(policy.knowledge, _KNOWLEDGE.from_bytes(memo), MOST_GROUPS)
                    domain.policy = policy.knowing(learnt)

    def _purse_of(self, site: str) -> str:
        wish = self._sites.get(site)
        return site if wish is not None and wish.requests_per_day is not None else ""

    def _opened(self, name: str, now: float) -> Domain:
        policy = self._first
        if isinstance(policy, PricedPolicy) and (kept := self._store.memo(learnt_memo(self._worker, policy, name))):
            policy = set_right(policy.remembering(kept), now)
        elif is_by_value(policy):
            policy = begun(policy, int(now // HOUR_S))
        return Domain(name, policy, budgets.started(self._per_day(name), now), now, now)

    def _per_day(self, name: str) -> float:
        """The rate the price aims at: the tightest budget, or what is implied by the number of pages."""
        pages = self._store.totals(name).live
        mine = [one for one in self.rations.budgets if one.site == name]
        wishes = [one.requests_per_day / one.turns for one in mine if one.requests_per_day]
        part = self.share if self._is_common else 1.0
        implied = max(part * pages * self._purse.requests_per_page_day, LEAST_BUDGET)
        return min((part * one for one in wishes), default=implied)

    def _repriced(self, domain: Domain, policy: _Priced, revisits: int, now: float) -> _Priced:
        """The price listens to the bucket. First visits do not count: a site that is being discovered would make its
        known pages starve. An implied budget grows with the number of pages."""
        if self._has_target:
            return policy
        domain.bucket = budgets.flowed(domain.bucket, now, revisits)
        hours = (now - domain.priced_at) / HOUR_S
        if hours < PRICE_EVERY_HOURS:
            return policy
        domain.priced_at = now
        per_day = self._per_day(domain.name)
        if per_day != domain.bucket.per_day:
            domain.bucket = replace(domain.bucket, per_day=per_day, tokens=domain.bucket.fill * per_day)
        return policy.priced(domain.bucket.fill, hours)

    def _repooled(self, policy: ByValue, name: str, now: float) -> ByValue:
        """Once a day the groups' laws are made from their pages as they stand, a fair sample where they are many."""
        if not policy.is_pooling_due(now):
            return policy
        scanned = self._store.scan(name, None, MOST_POOLED)
        pages = [page for page in scanned if page.belief and self._purse_of(page.site) == name]
        if not pages:
            return policy
        scale = max(1.0, self._store.totals(name).live / len(scanned))
        policy, around = self._around(policy, pages, [_CALM] * len(pages), None, now)
        states = unpack(page.belief for page in pages)
        return self._aimed(policy.repooled(states, around, scale), pages, states, around)

    def _aimed(self, policy: ByValue, pages: Sequence[Page], states: States, around: Context) -> ByValue:
        """With a target the price is what reaches it, by what is believed of the pages; the budget still holds."""
        if not self._has_target:
            return policy
        wishes = np.array([page.importance * self._importance(page.site) for page in pages])
        price = _AIM.price_for(policy, states, wishes, around, self._purse.target, self._purse.max_delay_s)
        return policy.at_price(price)

    @property
    def _has_target(self) -> bool:
        return self._purse.target is not None or self._purse.max_delay_s is not None

    def _importance(self, site: str) -> float:
        return self._sites[site].importance if site in self._sites else 1.0

    def _around(
        self,
        policy: ByValue,
        pages: Sequence[Page],
        servers: Sequence[Server],
        notices: Sequence[Sequence[int]] | None,
        now: float,
    ) -> tuple[ByValue, Context]:
        names = group_names(policy, pages, now)
        if len(policy.knowledge.groups) < MOST_GROUPS:
            policy = policy.with_groups(names)
        told = np.array(notices, dtype=np.int64) if notices is not None else _nobody(len(pages))
        return policy, policy.context(names, np.array([server.price for server in servers]), told)


def _nobody(pages: int) -> Ints:
    return np.zeros((pages, SOURCES), dtype=np.int64)
