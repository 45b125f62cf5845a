"""The literature's policies rank pages; live, the price at which a page is due is what holds their budget."""

import numpy as np
import pytest

from recrawl.engine.scheduling.scheduler import Scheduler
from recrawl.engine.scheduling.spending import Purse
from recrawl.model.batch import Batch
from recrawl.model.belief import Bools, Sightings, Sights, unknown, unpack
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.site import Site
from recrawl.ports import PricedPolicy
from recrawl.schedule import Diary, Look, Settings, budget, policy
from recrawl.schedule.settings import DAY_S, HOUR_S
from recrawl.store.memory import MemoryStore

NOW = 1_704_067_200.0
RANKED = ("proportional", "cho", "lambdacrawl", "likelihood")
PAGES, PER_DAY, DAYS, STEP_S = 80, 20.0, 60, 3 * HOUR_S


def _visits_a_day(name: str) -> float:
    """Of pages that change every one to sixteen days, over the second half; gaps follow the price, as in a crawl."""
    dice, gap_s, wishes = np.random.default_rng(3), DAY_S * 2.0 ** (np.arange(PAGES) % 5), np.ones(PAGES)
    chosen = policy(name, Settings(requests_per_page_day=PER_DAY / PAGES))
    assert isinstance(chosen, PricedPolicy)
    bucket, states, made = budget.started(PER_DAY, NOW), unknown(PAGES), 0
    states = chosen.observe(states, _seen(NOW, np.zeros(PAGES, dtype=np.bool_), first=True))
    for at in np.arange(NOW + STEP_S, NOW + DAYS * DAY_S, STEP_S):
        gaps_s = chosen.next_gap_s(states, wishes, at, np.full(PAGES, 0.5))
        due = np.flatnonzero(states["seen_at"] + gaps_s <= at)
        changed = dice.random(due.size) < -np.expm1((states["seen_at"][due] - at) / gap_s[due])
        states[due] = chosen.observe(states[due], _seen(at, changed))
        bucket = budget.flowed(bucket, at, due.size)
        chosen = chosen.priced(bucket.fill, STEP_S / HOUR_S)
        made += due.size if at >= NOW + DAYS / 2 * DAY_S else 0
    return made / (DAYS / 2)


def _seen(at: float, changed: Bools, first: bool = False) -> Sightings:
    many = np.ones(changed.size)
    return Sightings(at * many, changed, np.full(changed.size, first), np.nan * many, 1e4 * many, 0.1 * many)


@pytest.mark.parametrize("name", RANKED)
def test_a_ranked_policy_spends_the_budget_it_was_given(name: str) -> None:
    assert _visits_a_day(name) == pytest.approx(PER_DAY, rel=0.15)


def test_a_diary_keeps_the_price_that_its_budget_led_to() -> None:
    first = policy("cho", Settings())
    assert isinstance(first, PricedPolicy)
    diary = Diary(first, 1.0, NOW)
    for day in range(1, 30):
        diary.saw([Look(str(page), NOW + day * DAY_S, changed=True) for page in range(10)])
    again = Diary.from_bytes(diary.to_bytes(), first)
    assert again.to_bytes() == diary.to_bytes()
    learnt = first.priced(0.0, 5.0)
    assert learnt.price > first.price
    assert first.remembering(learnt.memory()).price == learnt.price


@pytest.mark.parametrize("name", RANKED)
def test_a_dearer_request_never_shortens_a_gap(name: str) -> None:
    cheap = policy(name, Settings())
    assert isinstance(cheap, PricedPolicy)
    states = unknown(3)
    states["seen_at"], states["gaps"], states["changes"] = NOW, (2, 8, 9), (1, 1, 8)
    states["watched_s"] = 30 * DAY_S
    wishes, luck = np.ones(3), np.full(3, 0.5)
    gaps_s = [one.next_gap_s(states, wishes, NOW, luck) for one in (cheap, cheap.priced(0.0, 8.0))]
    assert (gaps_s[1] >= gaps_s[0]).all() and (gaps_s[1] > gaps_s[0]).any()


def test_a_crawl_that_goes_on_asks_for_the_price_it_had_found() -> None:
    store, site = MemoryStore(), Site("shop", ("https://shop.example/",))
    first = policy("cho", Settings())
    crawl = Scheduler(first, [site], Purse(), store)
    page = Page(1, "https://shop.example/a", "s", "shop", found_at=NOW)
    server, states = Server("s"), unknown(1)
    for day in range(1, 60):
        column = [np.array([value]).tobytes() for value in (NOW + day * DAY_S, True, day == 1, np.nan, 1e4, 0.1)]
        after, _ = crawl.paced([page], Sights(tuple(column), states.tobytes()), np.ones(1), [server], None, np.ones(1))
        states = unpack([bytes(after)])
    found = crawl.domain("shop", NOW).price
    assert isinstance(first, PricedPolicy) and found != first.price
    store.save(Batch(memos=tuple(crawl.memos(NOW + 60 * DAY_S, closing=True).items())))
    assert Scheduler(first, [site], Purse(), store).domain("shop", NOW).price == found
    solved = crawl.solved([page], states, np.ones(1), [server], NOW + 60 * DAY_S)
    assert solved[0] == first.remembering(store.memo("price:0:cho:") or b"").next_gap_s(
        states, np.ones(1), NOW + 60 * DAY_S, np.full(1, 0.5)
    )


def test_nobody_pays_longer_than_a_week_for_what_was_overspent() -> None:
    bucket = budget.flowed(budget.started(PER_DAY, NOW), NOW, requests=1_000)
    assert budget.flowed(bucket, NOW + 6.9 * DAY_S).fill == 0.0
    assert budget.flowed(bucket, NOW + 7.5 * DAY_S).fill == pytest.approx(0.5)
