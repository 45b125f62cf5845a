"""The value policy behind its port: folds, groups, prices, memory."""

import numpy as np
import pytest

from recrawl.estimate.given import SOURCES
from recrawl.estimate.pooling import first_law
from recrawl.model.belief import Context, Sightings, States, unknown
from recrawl.schedule.explain import Seen, gaps_by_policy, reasons
from recrawl.schedule.group_names import group_name
from recrawl.schedule.knowledge import set_right
from recrawl.schedule.own_luck import STAGGERED, staggered
from recrawl.schedule.settings import Settings
from recrawl.schedule.value import ValuePolicy, value_policy

START = 1_704_067_200.0
DAY = 86400.0


def _seen(at: float, changed: np.ndarray, first: bool = False) -> Sightings:
    count = len(changed)
    return Sightings(
        np.full(count, at), changed, np.full(count, first), np.full(count, np.nan), np.full(count, 9.0),
        np.full(count, 0.1),
    )  # fmt: skip


def _crawled(days: int, rates: np.ndarray, names: list[str], seed: int = 1) -> tuple[ValuePolicy, States, Context]:
    """Daily visits of pages with known rates."""
    dice = np.random.default_rng(seed)
    chosen = value_policy(Settings(), hour=int(START // 3600)).with_groups(names)
    around = chosen.context(names, np.zeros(len(names)), np.zeros((len(names), SOURCES), dtype=np.int64))
    states = chosen.observe(unknown(len(names)), _seen(START, np.zeros(len(names), bool), True), around)
    for day in range(1, days):
        now = START + day * DAY
        seen = _seen(now, dice.random(len(names)) < -np.expm1(-rates))
        after = chosen.observe(states, seen, around)
        chosen = chosen.learned(states, seen, around).at(now)
        states = after
    return chosen, states, around


@pytest.fixture(scope="module")
def crawled() -> tuple[ValuePolicy, States, Context]:
    rates = np.repeat([0.5, 0.01], 30)
    return _crawled(40, rates, ["news|item"] * 30 + ["docs|page"] * 30)


def test_a_new_page_is_expected_to_change_as_its_siblings_do(crawled: tuple[ValuePolicy, States, Context]) -> None:
    chosen, _, _ = crawled
    names = [group_name("news", "item"), group_name("docs", "page"), group_name("news", "other")]
    grown = chosen.with_groups(names)
    now = START + 40 * DAY
    fresh = unknown(3)
    fresh["seen_at"] = now
    around = grown.context(names, np.zeros(3), np.zeros((3, SOURCES), dtype=np.int64))
    gaps = grown.next_gap_s(fresh, np.ones(3), now, np.full(3, 0.5), around)
    assert gaps[0] < gaps[1] / 2
    assert gaps[2] < gaps[1] / 2  # a pattern never met follows its site


def test_beliefs_find_the_rates(crawled: tuple[ValuePolicy, States, Context]) -> None:
    chosen, states, around = crawled
    told = reasons(
        chosen, states[:1], 1.0, START + 40 * DAY, Context(around.group[:1], np.zeros(1), around.notices[:1])
    )
    assert told.rate_low / 1.6 <= 0.5 <= told.rate_high * 1.6  # the grid's rates are a factor of 2.6 apart
    assert told.rate == pytest.approx(0.5, rel=0.6)


def test_a_page_seen_by_a_clock_that_ran_ahead_is_worth_nothing_yet(
    crawled: tuple[ValuePolicy, States, Context],
) -> None:
    chosen, states, around = crawled
    here = Context(around.group[:1], np.zeros(1), around.notices[:1])
    told = reasons(chosen, states[:1], 1.0, float(states["seen_at"][0]) - 3 * 365 * DAY, here)
    assert (told.worth, told.unchanged) == (0.0, pytest.approx(1.0))


def test_a_dearer_visit_is_never_made_sooner(crawled: tuple[ValuePolicy, States, Context]) -> None:
    chosen, states, around = crawled
    now = float(states["seen_at"].max())
    luck = np.full(60, 0.5)
    cheap = chosen.next_gap_s(states, np.ones(60), now, luck, around)
    dear = Context(around.group, np.full(60, 5 * chosen.knowledge.price), around.notices)
    assert (chosen.next_gap_s(states, np.ones(60), now, luck, dear) >= cheap - 40 * 3600).all()
    empty = chosen.priced(0.0, 24.0)
    assert empty.knowledge.price > chosen.knowledge.price > chosen.priced(1.0, 24.0).knowledge.price


def test_what_is_remembered_reads_back_the_same(crawled: tuple[ValuePolicy, States, Context]) -> None:
    chosen, states, around = crawled
    again = value_policy(Settings()).remembering(chosen.memory())
    now = float(states["seen_at"].max())
    ahead, ahead_again = chosen.prospects(states, around), again.prospects(states, around)
    ours = chosen.worth(ahead, states, np.ones(60), now + 3 * DAY, around)
    assert again.worth(ahead_again, states, np.ones(60), now + 3 * DAY, around) == pytest.approx(ours, rel=1e-3)
    assert len(chosen.memory()) < 64_000


def test_verbs_return_a_new_policy_and_leave_the_old_one(crawled: tuple[ValuePolicy, States, Context]) -> None:
    chosen, states, around = crawled
    kept = chosen.knowledge.sums.copy()
    chosen.learned(states, _seen(float(states["seen_at"].max()) + DAY, np.ones(60, bool)), around)
    assert (chosen.knowledge.sums == kept).all()


def test_a_page_spoken_of_by_a_trusted_source_is_worth_more_and_its_silent_sibling_less() -> None:
    dice = np.random.default_rng(2)
    names = ["shop|item"] * 40
    chosen = value_policy(Settings(), hour=int(START // 3600)).with_groups(names)
    silent = np.zeros((40, SOURCES), dtype=np.int64)
    around = chosen.context(names, np.zeros(40), silent)
    states = chosen.observe(unknown(40), _seen(START, np.zeros(40, bool), True), around)
    for step in range(1, 30):
        changed = dice.random(40) < 0.3
        notices = silent.copy()
        notices[changed, 0] = 1
        told = Context(around.group, around.server_price, notices)
        seen = _seen(START + step * 5 * DAY, changed)
        after = chosen.observe(states, seen, told)
        chosen, states = chosen.learned(states, seen, told), after
    notices = silent.copy()
    notices[0, 0] = 1
    now = float(states["seen_at"].max()) + 5 * DAY
    same = np.repeat(states[:1], 2)
    spoken = Context(around.group[:2], np.zeros(2), notices[:2])
    worth = chosen.worth(chosen.prospects(same, spoken), same, np.ones(2), now, spoken)
    assert worth[0] > 5 * worth[1]


def test_every_policy_can_say_what_it_would_have_done() -> None:
    visits = [Seen(START + day * DAY, day % 3 == 0, 1000.0, 0.1) for day in range(12)]
    gaps = gaps_by_policy(visits)
    assert "value" in gaps and "nutch" in gaps
    assert all(60.0 <= gap <= 400 * DAY for gap in gaps.values())


def test_new_pages_that_change_at_once_teach_the_law_of_new_pages_and_not_that_of_the_site() -> None:
    still, new = [group_name("feed", "item")] * 40, group_name("feed", "", new=True)
    chosen, _, _ = _crawled(30, np.full(40, 0.001), still)
    chosen = chosen.with_groups([new])
    around = chosen.context([new] * 12, np.zeros(12), np.zeros((12, SOURCES), dtype=np.int64))
    now = START + 31 * DAY
    states = chosen.observe(unknown(12), _seen(now, np.zeros(12, bool), True), around)
    for hour in (6, 12):
        seen = _seen(now + hour * 3600, np.ones(12, bool))
        after = chosen.observe(states, seen, around)
        chosen, states = chosen.learned(states, seen, around), after
    chosen = chosen.at(now + 30 * 3600)
    law = dict(zip(chosen.knowledge.groups, chosen.knowledge.law, strict=True))
    unknowing = first_law()[-4:].sum()  # more than one change a day
    assert law[new][-4:].sum() > 3 * unknowing
    assert law[still[0]][-4:].sum() < unknowing / 3


def test_pages_seen_together_do_not_all_come_back_together(crawled: tuple[ValuePolicy, States, Context]) -> None:
    chosen, states, around = crawled
    alike = unknown(200)
    alike["seen_at"] = START + 40 * DAY
    alike["size_bytes"] = np.arange(1000, 1200)
    context = Context(np.repeat(around.group[40:41], 200), np.zeros(200), np.zeros((200, SOURCES), dtype=np.int64))
    gaps = chosen.next_gap_s(alike, np.ones(200), START + 40 * DAY, np.full(200, 0.5), context)
    assert gaps.max() > 1.2 * gaps.min()
    factor = staggered(alike)
    assert np.abs(np.log(factor)).max() <= STAGGERED
    assert abs(np.log(factor).mean()) < STAGGERED / 4
    assert (factor == staggered(alike.copy())).all()
    assert (staggered(states) == 1.0).all()  # pages that have been revisited are apart already


def test_sizes_that_tell_are_learnt_from_the_pages_and_remembered() -> None:
    names = ["docs|page"] * 60
    rates = np.repeat([0.01, 0.3], 30)
    chosen, states, around = _crawled(30, rates, names)
    states["size_bytes"] = np.repeat([2_000.0, 40_000.0], 30)
    for day in range(30, 40):
        chosen = chosen.repooled(states, around).at(START + day * DAY)
    site = chosen.knowledge.sites.index("docs")
    assert chosen.knowledge.leaning.slope[site] > 0.1
    fresh = unknown(2)
    fresh["seen_at"], fresh["size_bytes"] = START + 40 * DAY, [2_000.0, 40_000.0]
    two = Context(around.group[:2], np.zeros(2), np.zeros((2, SOURCES), dtype=np.int64))
    small, large = chosen.next_gap_s(fresh, np.ones(2), START + 40 * DAY, np.full(2, 0.5), two)
    assert large < small / 2
    again = chosen.remembering(chosen.memory())
    assert (again.next_gap_s(fresh, np.ones(2), START + 40 * DAY, np.full(2, 0.5), two) == [small, large]).all()


def test_a_change_is_worth_a_visit_where_the_page_will_then_stand_still() -> None:
    """A source that truly says every hour that a page changed must not take the requests of the others."""
    rates = np.array([0.1] * 20 + [40.0] * 20)
    policy, states, context = _crawled(60, rates, ["slow"] * 20 + ["fast"] * 20)
    now = float(states["seen_at"].max()) + 3600.0
    worth = policy.worth_if_changed(states, np.ones(40), now, context)
    assert worth[:20].min() > 5 * worth[20:].max()
    dearer = policy.at_price(10 * policy.knowledge.price).worth_if_changed(states, np.ones(40), now, context)
    np.testing.assert_allclose(dearer, worth / 10, rtol=1e-6)


def test_what_a_clock_that_ran_ahead_has_learnt_is_set_right(crawled: tuple[ValuePolicy, States, Context]) -> None:
    chosen, states, around = crawled
    now = START - 360 * DAY
    right = chosen.knowing(set_right(chosen.knowledge, int(now // 3600)))
    assert right.price == chosen.price and (right.laws.law == chosen.laws.law).all()
    assert right.is_pooling_due(now + DAY) and not chosen.is_pooling_due(now + DAY)
    assert right.at(now + DAY).knowledge.pooled_hour == int((now + DAY) // 3600)
    assert right.memory() == right.remembering(right.memory()).memory()
    back = right.observe(states, _seen(now, np.zeros(60, bool)), around)
    after, learnt = right.folded(back, _seen(now + DAY, np.arange(60) < 30), around)
    assert (after["gaps"] == states["gaps"] + 1).all() and learnt.knowledge.sums is not right.knowledge.sums
    gaps_s = learnt.at(now + DAY).next_gap_s(after, np.ones(60), now + DAY, np.full(60, 0.5), around)
    assert (gaps_s[:30] > 0.0).all() and gaps_s[:30].mean() < gaps_s[30:].mean()


def test_a_clock_that_is_a_little_ahead_costs_nothing(crawled: tuple[ValuePolicy, States, Context]) -> None:
    knowledge = crawled[0].knowledge
    assert set_right(knowledge, knowledge.tempo.hour - 3) is knowledge
