"""The value policy of a crawl that has the compiled part: beliefs are folded and gaps found without NumPy, until there
is something that only `value` can do (laws pooled and clocks fitted anew every few hours, a rhythm to be waited for).
Then it is `full`, for good."""

import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from recrawl.estimate import given
from recrawl.estimate.patience import patience
from recrawl.model.belief import RATES, Column, Floats, Sightings, Sights, States
from recrawl.model.late import late_module
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.ports import Policy
from recrawl.schedule import plain, price
from recrawl.schedule.by_value import ByValue
from recrawl.schedule.group_names import numbers_of
from recrawl.schedule.numbers import compiled
from recrawl.schedule.settings import HOUR_S, POOL_HOURS, REFIT_HOURS, Settings

_VALUE = late_module("recrawl.schedule.value")


@dataclass(frozen=True, slots=True)
class LeanPolicy:
    """`laws`: in the order of `bayes.Laws`."""

    settings: Settings
    knowledge: plain.Plain
    laws: tuple[Column, ...]
    name: str = "value"

    # the port

    @property
    def price(self) -> float:
        return self.knowledge.price

    def observe(self, states: States, seen: Sightings) -> States:
        return self.full().observe(states, seen)

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        return self.full().next_gap_s(states, importance, now, luck)

    def priced(self, fill: float, hours: float) -> "LeanPolicy":
        height, usual = price.moved(self.knowledge.price, self.knowledge.usual, fill, hours)
        return replace(self, knowledge=replace(self.knowledge, price=height, usual=usual))

    def memory(self) -> bytes:
        return plain.to_bytes(self.knowledge)

    def remembering(self, memory: bytes) -> Any:
        """Lean, or full where an earlier version kept it."""
        if plain.is_plain(memory):
            return _knowing(self.settings, plain.laid_out(plain.from_bytes(memory)))
        return self.full().remembering(memory)

    # what stands in for NumPy

    def full(self) -> ByValue:
        policy: ByValue = _VALUE.of_plain(self.settings, self.knowledge, self.laws)
        return policy

    def suffices(self, now: float) -> bool:
        """Whether nothing is due that only the full policy can do."""
        known, hour = self.knowledge, int(now // HOUR_S)
        if hour - known.refitted_hour >= REFIT_HOURS or hour - known.pooled_hour >= POOL_HOURS or known.clocks.rhythmic:
            return False
        return hour <= known.clocks.hour or hour - known.clocks.origin < min(known.clocks.laid - 24, given.COLUMNS - 48)

    def is_ahead_of(self, now: float) -> bool:
        """Whether it was learnt by a clock that ran ahead."""
        return self.knowledge.clocks.hour - int(now // HOUR_S) > plain.BELIEVED_AHEAD_HOURS

    def at(self, now: float) -> "LeanPolicy":
        """Where it `suffices` no more happens than that time goes on."""
        clocks, hour = self.knowledge.clocks, int(now // HOUR_S)
        if hour <= clocks.hour:
            return self
        return replace(self, knowledge=replace(self.knowledge, clocks=replace(clocks, hour=hour)))

    def patience(self, site: str) -> float:
        known = self.knowledge
        if site not in known.sites:
            return 1.0
        at = known.sites.index(site) * given.SOURCES
        return patience(*(one[at : at + given.SOURCES] for one in known.trust))

    def with_groups(self, names: Sequence[str]) -> "LeanPolicy":
        grown = plain.with_groups(self.knowledge, names)
        if grown is self.knowledge:
            return self
        more = compiled.prepared(grown.law[len(self.knowledge.law) :])
        followed = (one + other for one, other in zip(self.laws[1:5], more, strict=True))
        return replace(self, knowledge=grown, laws=(grown.law, *followed, *plain.leaning_by_group(grown)))

    def group_numbers(self, names: Sequence[str]) -> Column:
        """A name not met before is the nameless group."""
        number = numbers_of(self.knowledge.groups)
        return array("q", [number.get(name, 0) for name in names])

    def folded(self, seen: Sights, group: Column, notices: Column | None) -> "tuple[bytearray, LeanPolicy] | None":
        """The states after these visits and what is known then; None: it is left to NumPy."""
        known, clocks, pages = self.knowledge, self.knowledge.clocks, len(group)
        after, sums, proof = bytearray(seen.states), known.sums[:], clocks.proof[:]
        trust = tuple(one[:] for one in known.trust)
        heap = (*(bytearray(8 * pages) for _ in range(3)), bytearray(pages), bytearray(8 * pages))
        count = compiled.folded(
            after, seen.columns, group, notices, self.laws, known.group_site, known.young, float(clocks.origin),
            clocks.laid, len(known.sites), clocks.mean, clocks.elapsed, sums, proof, trust, heap,
        )  # fmt: skip
        if count is None:
            return None
        if not count:
            return after, self
        found = tuple(bytes(one[: count * (len(one) // pages)]) for one in heap)
        clocks = plain.noted(replace(clocks, proof=proof), found)
        return after, replace(self, knowledge=replace(known, clocks=clocks, trust=trust, sums=sums))

    def gaps_s(
        self, states: Column, importance: Column, now: float, luck: Column, server_price: Column, group: Column
    ) -> Column | None:
        """Gaps of pages of which nobody spoke since their last visit; None: some are left to NumPy."""
        return self._found(compiled.next_gaps, states, importance, now, luck, server_price, group)

    def worths_if_changed(
        self, states: Column, importance: Column, now: float, server_price: Column, group: Column
    ) -> Column | None:
        """As `ValuePolicy.worth_if_changed`; None: some are left to NumPy."""
        luck = bytes(8 * len(group))  # not asked for
        return self._found(compiled.worths, states, importance, now, luck, server_price, group)

    def _found(
        self,
        find: Callable[..., int | None],
        states: Column,
        importance: Column,
        now: float,
        luck: Column,
        server_price: Column,
        group: Column,
    ) -> Column | None:
        known, clocks, settings = self.knowledge, self.knowledge.clocks, self.settings
        found, nobody = bytearray(8 * len(group)), bytes(8 * given.SOURCES * len(group))
        wishes = (
            now, known.price, settings.harmonic, settings.ceiling_s, settings.floor_s, settings.spread_from_s,
            settings.bytes_weight, settings.response_weight, settings.mean_size_bytes,
        )  # fmt: skip
        left = find(
            states, importance, luck, server_price, group, nobody, self.laws, known.group_site, float(clocks.origin),
            clocks.laid, len(known.sites), clocks.mean, clocks.weight, clocks.rhythm, known.trust, wishes, found,
        )  # fmt: skip
        return None if left is None or left else found


def in_full(policy: Policy) -> ByValue | None:
    """Ours, with all that it can do; None: it is another one."""
    if isinstance(policy, LeanPolicy):
        return policy.full()
    return policy if is_by_value(policy) else None  # type: ignore[return-value]


def is_by_value(policy: Policy) -> bool:
    """Whether it is ours, full or lean."""
    if isinstance(policy, LeanPolicy):
        return True
    return policy.name == "value" and isinstance(policy, _VALUE.ValuePolicy)


def lean_policy(settings: Settings, hour: int = 0) -> LeanPolicy | None:
    """None where there is no compiled part."""
    if compiled is None:
        return None
    price = _first_price(settings.requests_per_page_day, settings.harmonic)
    return _knowing(settings, plain.started(price, hour))


def begun(policy: LeanPolicy, hour: int) -> LeanPolicy:
    """As it is before anything is seen, from that hour on."""
    return _knowing(policy.settings, plain.started(policy.price, hour))


def _knowing(settings: Settings, knowledge: plain.Plain) -> LeanPolicy:
    laws = (knowledge.law, *compiled.prepared(knowledge.law), *plain.leaning_by_group(knowledge))
    return LeanPolicy(settings, knowledge, laws)


def _first_price(requests_per_page_day: float, harmonic: float) -> float:
    """As `index.first_price`."""
    law, days = array("d", given.first_law()), 1.0 / requests_per_page_day
    root, decay, modes, mass = (array("d", bytes(part)) for part in compiled.prepared(law))
    survival = area = 0.0
    for mode in range(RATES):
        share = mass[mode] * sum(law[rate] / root[rate] * modes[rate * RATES + mode] for rate in range(RATES))
        faded = math.exp(decay[mode] * days)
        survival, area = survival + share * faded, area + share * (faded - 1.0) / decay[mode]
    return area - days * survival + harmonic * (days - area)
