"""Ours, and the default: spend every request where it keeps the copy freshest.

Each page has a belief (`estimate/bayes`), each group of pages a law, each site a tempo, each source of notices a
trust; from these follows what a visit now is worth (`index`, `placement`). Pages whose worth exceeds the price are
visited; the price is what holds the budget. The policy is a value: `learned`, `at`, `priced` return a new one.
"""

from collections.abc import Sequence

import numpy as np

from recrawl.estimate import bayes, given, poisson, pooling, sizes, trust
from recrawl.estimate import tempo as tempos
from recrawl.estimate.patience import patience
from recrawl.estimate.tempo_fit import activity_refitted, rhythm_refitted, whose_turn
from recrawl.model.belief import RATES, Bools, Column, Context, Floats, Ints, Sightings, States
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.schedule import at_once, placement, plain, price
from recrawl.schedule import knowledge as known
from recrawl.schedule.bounds import bounded
from recrawl.schedule.by_value import ByValue
from recrawl.schedule.cost import cost
from recrawl.schedule.due import Wanted, placed_hour
from recrawl.schedule.index import days_until, first_days, first_price, value, value_told
from recrawl.schedule.knowledge import Knowledge
from recrawl.schedule.own_luck import explores, staggered
from recrawl.schedule.settings import DAY_S, HOUR_S, POOL_HOURS, REFIT_HOURS, Settings

AT_ONCE = 4096  # visits judged at a time: more do not fit the processor's own memory


@dataclass(frozen=True, slots=True)
class ValuePolicy:
    settings: Settings
    knowledge: Knowledge
    laws: bayes.Laws
    places: placement.Placement
    name: str = "value"

    # the port

    @property
    def price(self) -> float:
        return self.knowledge.price

    def observe(self, states: States, seen: Sightings, context: Context | None = None) -> States:
        """Fold the verdicts into the sums of S1 and into the beliefs, in operational time."""
        return self._remembered(states, seen, self._judged(states, seen, context or nowhere(len(states))))

    def next_gap_s(
        self, states: States, importance: Floats, now: float, luck: Floats, context: Context | None = None
    ) -> Floats:
        """From the last visit to the moment when the page's value reaches the price, moved behind the busy hour."""
        around = context or nowhere(len(states))
        found = at_once.gaps_s(self.knowledge, self.laws, self.settings, states, importance, now, luck, around)
        if found is None:
            return self.each_gap_s(states, importance, now, luck, around)
        gaps_s, left = found
        if left.size:
            gaps_s[left] = self.each_gap_s(states[left], importance[left], now, luck[left], _rows(around, left))
        return gaps_s

    def each_gap_s(self, states: States, importance: Floats, now: float, luck: Floats, around: Context) -> Floats:
        """The same with NumPy: of pages that the compiled part leaves, and of all where there is none."""
        site = self.knowledge.group_site[around.group]
        ahead = self.prospects(states, around)
        asked = self._asked(states, importance, around)
        days = days_until(ahead, asked, self.settings.harmonic, self._most_days)
        told = trust.speaking(self.knowledge.trust, site)
        if told.any():
            days[told] = self._days_until_told(states[told], asked[told], _rows(around, np.flatnonzero(told)))
        seen_hour = np.where(states["seen_at"] > 0.0, states["seen_at"], now) / HOUR_S
        due_hour = tempos.moment_after(self.knowledge.tempo, site, seen_hour, days, now / HOUR_S)
        placed = np.flatnonzero(self.knowledge.tempo.rhythmic[site] & ~explores(states) & ~told)
        if placed.size:
            wanted = Wanted(ahead, asked, seen_hour, site, self.settings.harmonic, self._most_days).rows(placed)
            due_hour[placed] = placed_hour(wanted, self.knowledge.tempo, self.places, due_hour[placed], now / HOUR_S)
        return bounded((due_hour - seen_hour) * HOUR_S, luck, self.settings)

    # what a visit is worth

    def prospects(self, states: States, context: Context) -> bayes.Prospects:
        return bayes.prospects(bayes.weights(states, context.group, self.laws), context.group, self.laws)

    def worth(self, ahead: bayes.Prospects, states: States, importance: Floats, now: float, context: Context) -> Floats:
        """Value of a visit now in units of the price: at 1 and above a page is visited; infinite at the ceiling."""
        site = self.knowledge.group_site[context.group]
        here = np.full(len(states), now / HOUR_S)
        days = tempos.operational_days(self.knowledge.tempo, site, states["seen_at"] / HOUR_S, here)
        survival, area = bayes.survival_and_area(ahead, days)
        plain = value(survival, area, days, self.settings.harmonic)
        told = np.flatnonzero(trust.speaking(self.knowledge.trust, site))
        if told.size:
            plain[told] = self._worth_told(states[told], days[told], _rows(context, told))
        ratio = np.asarray(plain / self._asked(states, importance, context))
        near = np.flatnonzero(
            (ratio > 1.0 / placement.MOST) & self.knowledge.tempo.rhythmic[site] & ~explores(states) & (days > 0)
        )
        if near.size:
            hour = np.full(near.size, int(now // HOUR_S) % 24)
            ratio[near] *= placement.factor(self.places, site[near], hour, survival[near], area[near], days[near])
        ratio[(states["seen_at"] > 0.0) & (now - states["seen_at"] >= self.settings.ceiling_s)] = np.inf
        return ratio

    def worth_if_changed(self, states: States, importance: Floats, now: float, context: Context) -> Floats:
        """The same for pages that have changed for sure: what a visit buys is the time until they change again."""
        site = self.knowledge.group_site[context.group]
        here = np.full(len(states), now / HOUR_S)
        days = tempos.operational_days(self.knowledge.tempo, site, states["seen_at"] / HOUR_S, here)
        belief = bayes.weights(states, context.group, self.laws)
        gain = value_told(belief, np.zeros_like(belief), np.maximum(days, 1e-6), self.settings.harmonic)
        return np.asarray(gain / self._asked(states, importance, context))

    def delay_cost(
        self, ahead: bayes.Prospects, states: States, importance: Floats, now: float, context: Context
    ) -> Floats:
        """Freshness lost a day while a page that is due waits: how much likelier it is to be stale now than at the
        moment its value reaches the price. What is due is worth its request; where requests do not suffice for all of
        it (a burst, a release), those go first whose wait costs most."""
        site = self.knowledge.group_site[context.group]
        here = np.full(len(states), now / HOUR_S)
        days = tempos.operational_days(self.knowledge.tempo, site, states["seen_at"] / HOUR_S, here)
        due = days_until(ahead, self._asked(states, importance, context), self.settings.harmonic, self._most_days)
        fresh = bayes.survival(ahead, days)
        told = np.flatnonzero(trust.speaking(self.knowledge.trust, site))
        if told.size:
            belief, unchanged = self._told(states[told], days[told], _rows(context, told))
            fresh[told] = (belief * unchanged).sum(axis=1)
        waited = (states["seen_at"] > 0.0) & (now - states["seen_at"] >= self.settings.ceiling_s)
        return np.asarray(np.where(waited, np.inf, importance * (bayes.survival(ahead, due) - fresh)))

    @property
    def _most_days(self) -> float:
        return self.settings.ceiling_s / DAY_S

    def _asked(self, states: States, importance: Floats, context: Context) -> Floats:
        """The value at which each page is due."""
        price = self.knowledge.price + context.server_price
        return np.asarray(price * cost(states, self.settings) * staggered(states) / np.maximum(importance, 1e-6))

    def _told(self, states: States, days: Floats, context: Context) -> tuple[Floats, Floats]:
        belief = bayes.weights(states, context.group, self.laws)
        site = self.knowledge.group_site[context.group]
        return trust.with_notices(belief, self.knowledge.trust, site, days, context.notices)

    def _days_until_told(self, states: States, asked: Floats, context: Context) -> Floats:
        """The x at which the value reaches the price if nobody says anything more."""
        return first_days(lambda days: self._worth_told(states, days, context), asked, self._most_days)

    def _worth_told(self, states: States, days: Floats, context: Context) -> Floats:
        belief, unchanged = self._told(states, days, context)
        return value_told(belief, unchanged, days, self.settings.harmonic)

    # folds of what is shared

    def with_groups(self, names: Sequence[str]) -> "ValuePolicy":
        return self.knowing(known.with_groups(self.knowledge, names))

    def context(self, names: Sequence[str], server_price: Floats, notices: Ints) -> Context:
        """The surroundings of pages whose groups have these names."""
        return Context(known.group_numbers(self.knowledge, names), server_price, notices)

    def patience(self, site: str) -> float:
        """How much longer pages of that site rest of which nobody speaks."""
        if site not in self.knowledge.sites:
            return 1.0
        place, sums = self.knowledge.sites.index(site), self.knowledge.trust
        return patience(*(getattr(sums, name)[place].tolist() for name in trust.Trust.__dataclass_fields__))

    def memory(self) -> bytes:
        return known.to_bytes(self.knowledge)

    def remembering(self, memory: bytes) -> "ValuePolicy":
        return self.knowing(known.from_bytes(memory))

    def knowing(self, knowledge: Knowledge) -> "ValuePolicy":
        if knowledge is self.knowledge:
            return self
        laws = self.laws
        if knowledge.law is not self.knowledge.law or knowledge.leaning is not self.knowledge.leaning:
            laws = bayes.prepared_anew(self.laws, knowledge.law, *known.leaning_by_group(knowledge))
        return replace(self, knowledge=knowledge, laws=laws, places=_places(knowledge))

    def learned(self, before: States, seen: Sightings, context: Context) -> "ValuePolicy":
        """What these visits say about their groups, sites and sources; `before`: the states before `observe`."""
        return self._taught(self._judged(before, seen, context))

    def folded(self, before: States, seen: Sightings, context: Context) -> tuple[States, "ValuePolicy"]:
        """`observe` and `learned` together, which share most of their work."""
        found = at_once.folded(self.knowledge, self.laws, before, seen, context)
        if found is not None:
            return found[0], self if found[1] is self.knowledge else replace(self, knowledge=found[1])
        judged = self._judged(before, seen, context)
        return self._remembered(before, seen, judged), self._taught(judged)

    def repooled(self, states: States, context: Context, scale: float = 1.0) -> "ValuePolicy":
        """The groups' sums exactly, from all their pages, or from a sample of which each stands for `scale` pages: what
        `learned` keeps up is each page's belief as it was when last visited. Pages without evidence say nothing."""
        knowledge = self.knowledge
        rows = np.flatnonzero(states["gaps"] > 0)
        group, size_bytes = context.group[rows], states["size_bytes"][rows]
        belief = bayes.weights(states[rows], group, self.laws)
        law = bayes.normalised(bayes.own_law(size_bytes, group, self.laws))
        sums = pooling.summed(knowledge.law, group, law, belief)
        sums = np.where(knowledge.young[:, None], knowledge.sums, scale * sums)
        leaning = sizes.centred(knowledge.leaning, knowledge.group_site[context.group], states["size_bytes"])
        grown = np.flatnonzero(~knowledge.young[group])
        site = knowledge.group_site[group[grown]]
        z = sizes.relative(size_bytes[grown], leaning.centre[site])
        leaning = sizes.learnt(leaning, site, z, law[grown], belief[grown], bayes.LOG_RATES)
        return replace(self, knowledge=replace(knowledge, sums=sums, leaning=sizes.settled(knowledge.leaning, leaning)))

    def at(self, now: float) -> "ValuePolicy":
        """Housekeeping when its hour has come: activity every few hours, rhythm and laws once a day."""
        hour = int(now // HOUR_S)
        knowledge = self.knowledge
        if hour <= knowledge.tempo.hour:
            return self
        tempo = tempos.at_hour(knowledge.tempo, hour)
        if hour - knowledge.refitted_hour >= REFIT_HOURS:
            tempo = activity_refitted(tempo)
            knowledge = replace(knowledge, refitted_hour=hour)
        if self.is_pooling_due(now):
            tempo = rhythm_refitted(tempo, whose_turn(tempo))
            law = pooling.pooled(knowledge.sums, knowledge.group_site, len(knowledge.sites), knowledge.young)
            law = pooling.settled(knowledge.law, law)
            return self.knowing(replace(knowledge, tempo=tempo, law=law, pooled_hour=hour))
        return replace(self, knowledge=replace(knowledge, tempo=tempo))

    def is_pooling_due(self, now: float) -> bool:
        return int(now // HOUR_S) - self.knowledge.pooled_hour >= POOL_HOURS

    def priced(self, fill: float, hours: float) -> "ValuePolicy":
        height, usual = price.moved(self.knowledge.price, self.knowledge.usual, fill, hours)
        return replace(self, knowledge=replace(self.knowledge, price=height, usual=usual))

    def cleared(self, margin: float, hours: float) -> "ValuePolicy":
        """As `priced`, for whoever sees all pages: `margin` is the worth of the last one the budget pays for."""
        height, usual = price.cleared(self.knowledge.price, self.knowledge.usual, margin, hours)
        return replace(self, knowledge=replace(self.knowledge, price=height, usual=usual))

    def at_price(self, height: float) -> "ValuePolicy":
        """A price that was worked out, not found by spending."""
        return replace(self, knowledge=replace(self.knowledge, price=height, usual=price.Usual(height)))

    # inside

    def _judged(self, before: States, seen: Sightings, context: Context) -> "_Judged | None":
        """The visits that are evidence, with what was expected of them and what is believed after them."""
        rows = np.flatnonzero(_counts(before, seen))
        if not rows.size:
            return None
        if rows.size < len(before):
            before, seen, context = before[rows], _sub(seen, rows), _rows(context, rows)
        if rows.size <= AT_ONCE:
            return _Judged(rows, before, seen, context, *self._verdict(before, seen, context))
        pieces = [np.arange(low, min(low + AT_ONCE, rows.size)) for low in range(0, rows.size, AT_ONCE)]
        parts = [self._verdict(before[piece], _sub(seen, piece), _rows(context, piece)) for piece in pieces]
        return _Judged(rows, before, seen, context, *(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _verdict(self, before: States, seen: Sightings, context: Context) -> tuple[Floats, Floats, Floats, Floats]:
        site = self.knowledge.group_site[context.group]
        gap = before["seen_at"] / HOUR_S, seen.at / HOUR_S
        days = tempos.days_by_clock(self.knowledge.tempo, site, *gap)
        own = tempos.operational_days(self.knowledge.tempo, site, *gap)
        pages = bayes.in_modes(bayes.weights(before, context.group, self.laws), context.group, self.laws)
        after, survival = bayes.updated(pages, own, seen.changed, seen.changed_ago_s / DAY_S, self.laws)
        told = np.flatnonzero(seen.changed & trust.telling(self.knowledge.trust, site))
        if told.size:
            part = _rows(context, told)
            drifted = bayes.drifted(pages.belief[told], own[told], self.laws.law[part.group])
            after[told] = trust.after_change(drifted, self.knowledge.trust, site[told], own[told], part.notices)
        by_clock = bayes.survival(bayes.expected(pages, self.laws), days)
        return pages.belief, after, np.stack([own, survival], axis=1), by_clock.T

    def _remembered(self, states: States, seen: Sightings, judged: "_Judged | None") -> States:
        after = poisson.fold(states, seen)
        if judged:
            law = bayes.own_law(after["size_bytes"][judged.rows], judged.context.group, self.laws)
            salt = bayes.salted(after["watched_s"][judged.rows], judged.seen.at)
            after["weights"][judged.rows] = bayes.encoded(judged.after, law, salt)
        return after

    def _taught(self, judged: "_Judged | None") -> "ValuePolicy":
        if not judged:
            return self
        knowledge, group = self._with_outcomes(judged), judged.context.group
        joined = np.asarray(judged.before["gaps"] == 0, dtype=np.float64)
        sums = pooling.moved(knowledge.sums, group, judged.belief, judged.after, joined, knowledge.young[group])
        return replace(self, knowledge=replace(knowledge, sums=sums))

    def _with_outcomes(self, judged: "_Judged") -> Knowledge:
        """Every clock is held to what it predicted; sources, to what they said."""
        knowledge, seen = self.knowledge, judged.seen
        site = knowledge.group_site[judged.context.group]
        begin, end = judged.before["seen_at"] / HOUR_S, seen.at / HOUR_S
        days, survival = judged.lasted.T
        hazard = -np.log(np.minimum(np.maximum(survival, 1e-9), 1.0 - 1e-9))
        outcomes = tempos.Outcomes(
            site, np.rint(begin).astype(np.int64), np.rint(end).astype(np.int64), seen.changed,
            hazard / np.maximum(days, 1e-9),
        )  # fmt: skip
        tempo = tempos.noted(tempos.judged(knowledge.tempo, site, seen.changed, judged.by_clock.T), outcomes)
        found = hazard / -np.expm1(-hazard)
        gap_days = end / 24.0 - begin / 24.0
        believed = trust.learned(knowledge.trust, site, gap_days, seen.changed, found, judged.context.notices)
        return replace(knowledge, tempo=tempo, trust=believed)


@dataclass(frozen=True, slots=True)
class _Judged:
    """Visits that are evidence; `rows`: their places in the batch. `lasted`: operational days of the gap by the clock
    their site goes by, and the predicted S(x); `by_clock`: the S(x) that each clock predicts."""

    rows: Ints
    before: States
    seen: Sightings
    context: Context
    belief: Floats
    after: Floats
    lasted: Floats
    by_clock: Floats


def value_policy(settings: Settings, knowledge: Knowledge | None = None, hour: int = 0) -> ValuePolicy:
    first = first_price(settings.requests_per_page_day, settings.harmonic)
    knows = knowledge or known.started(first, hour)
    return ValuePolicy(settings, knows, bayes.prepare(knows.law, *known.leaning_by_group(knows)), _places(knows))


def of_plain(settings: Settings, knowledge: plain.Plain, laws: Sequence[Column]) -> ByValue:
    """What was known without NumPy. `laws`: with what follows from them, as `bayes.Laws` has it."""
    knows, groups = known.from_plain(knowledge), len(knowledge.groups)
    shapes = ((-1, RATES),) * 3 + ((-1, RATES, RATES), (-1, RATES), (groups,), (groups,))
    parts = (np.frombuffer(one).reshape(shape) for one, shape in zip(laws, shapes, strict=True))
    _, *followed = parts
    return ValuePolicy(settings, knows, bayes.Laws(knows.law, *followed), _places(knows))


def nowhere(pages: int) -> Context:
    """Pages of the nameless group, on unhurried servers, of which nobody spoke."""
    none = np.zeros(pages, dtype=np.int64)
    return Context(none, np.zeros(pages), np.zeros((pages, given.SOURCES), dtype=np.int64))


def _places(knowledge: Knowledge) -> placement.Placement:
    return placement.tables(tempos.mean_profile(knowledge.tempo))


def _counts(before: States, seen: Sightings) -> Bools:
    return np.asarray(~seen.first & (before["seen_at"] > 0.0) & (seen.at > before["seen_at"]))


def _sub(seen: Sightings, rows: Ints) -> Sightings:
    return Sightings(*(getattr(seen, name)[rows] for name in Sightings.__dataclass_fields__))


def _rows(context: Context, rows: Ints) -> Context:
    return Context(*(getattr(context, name)[rows] for name in Context.__dataclass_fields__))
