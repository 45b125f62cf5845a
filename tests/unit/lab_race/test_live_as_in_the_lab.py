"""The live scheduler goes by what the lab proved: laws of new pages, targets, what any worker of a crew has learnt."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from recrawl.answers.outlook import best_informed
from recrawl.cli.race import race
from recrawl.config import Settings
from recrawl.engine.scheduling.kin import group_names
from recrawl.engine.scheduling.scheduler import Scheduler
from recrawl.engine.scheduling.spending import Purse
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.batch import Batch
from recrawl.model.belief import Context, Sightings, States, unknown
from recrawl.model.page import Page, Status
from recrawl.model.server import Server
from recrawl.model.site import Site
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Visit, Why
from recrawl.schedule.aim import price_for
from recrawl.schedule.plan import Plan
from recrawl.schedule.settings import DAY_S
from recrawl.schedule.settings import Settings as Intervals
from recrawl.schedule.value import ValuePolicy, nowhere, value_policy
from recrawl.store.memory import MemoryStore

NOW = 1_704_067_200.0


def _believed(rates: int) -> tuple[ValuePolicy, States, Context]:
    """Pages that were seen to change at every second visit, a day apart."""
    policy = value_policy(Intervals(), hour=int(NOW // 3600))
    states, around = unknown(rates), nowhere(rates)
    for day in range(12):
        seen = Sightings(
            np.full(rates, NOW + day * DAY_S), np.full(rates, day % 2 == 0), np.full(rates, day == 0),
            np.full(rates, np.nan), np.full(rates, 1e4), np.full(rates, 0.1),
        )  # fmt: skip
        states = policy.observe(states, seen, around)
    return policy, states, around


def test_a_target_is_reached_at_the_price_that_is_set_for_it() -> None:
    policy, states, around = _believed(20)
    wishes = np.ones(20)
    low, high = (price_for(policy, states, wishes, around, target, None) for target in (0.5, 0.9))
    plan = Plan(policy.prospects(states, around), wishes)
    assert plan.at_price(high).freshness >= 0.9 > plan.at_price(low).freshness >= 0.5
    soon = price_for(policy, states, wishes, around, None, 3 * 3600.0)
    assert plan.at_price(soon).delay_days <= 3 / 24
    assert price_for(policy, states, wishes, around, 0.5, 3 * 3600.0) == soon


def test_a_target_out_of_reach_is_not_chased_without_bound() -> None:
    policy, states, around = _believed(20)
    price = price_for(policy, states, np.ones(20), around, 0.999999, None)
    assert Plan(policy.prospects(states, around), np.ones(20)).at_price(price).requests_per_day <= 24.0 * 20


def test_pages_found_by_a_crawl_that_knew_their_site_share_the_law_of_new_pages_for_two_weeks() -> None:
    policy = value_policy(Intervals(), hour=int(NOW // 3600)).with_groups(["shop|old"])
    found = [0.0, 5.0, 20.0]
    pages = [
        Page(n, f"https://shop.example/a/{n}.html", "s", "shop", found_at=NOW + day * DAY_S)
        for n, day in enumerate(found)
    ]
    soon, late = NOW + 21 * DAY_S, NOW + 60 * DAY_S
    assert group_names(policy, pages, soon) == ["shop|a.html", "shop|a.html", "shop|+new"]
    assert group_names(policy, pages[:2], NOW + 6 * DAY_S) == ["shop|a.html", "shop|+new"]
    assert group_names(policy, pages, late) == ["shop|a.html"] * 3


def test_what_is_expected_of_a_site_comes_from_the_worker_that_knows_it_best() -> None:
    store = MemoryStore()
    policy = value_policy(Intervals(), hour=int(NOW // 3600))
    wise = policy.with_groups(["shop|a"])
    sums = np.zeros_like(wise.knowledge.sums)
    sums[-1] = 3.0
    wise = wise.knowing(replace(wise.knowledge, sums=sums))
    store.save(Batch(memos=(("knowledge:1:", wise.memory()),)))
    crew = [
        Scheduler(policy, [Site("shop", ("https://shop.example/",))], Purse(), store, worker) for worker in ("0", "1")
    ]
    assert crew[0].has_kept("1") and not crew[0].has_kept("2")
    chosen = best_informed(crew, "shop", NOW)
    assert isinstance(chosen, ValuePolicy) and "shop|a" in chosen.knowledge.groups


def _visit(page: int, day: int) -> Visit:
    change = Change.NEW if day == 0 else Change.CHANGED if day % 2 else Change.SAME
    return Visit(page, NOW + day * DAY_S, Why.DUE, 200, Evidence.DOCUMENT, change.value)


def test_a_crawled_folder_is_replayed_from_the_command_line(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "crawl")
    folder.create("")
    store = open_store(folder, Settings())
    pages = tuple(
        Page(number, f"https://shop.example/{number}", "s", "shop", status=Status.LIVE, checked_at=NOW + 30 * DAY_S)
        for number in range(1, 7)
    )
    visits = tuple(_visit(page.id, day) for page in pages for day in range(0, 31, 3))
    store.save(Batch(pages=pages, servers=(Server("s"),), visits=visits))
    store.close()
    few = ["--policies", "static,value", "--budget", "1/7", "--seeds", "1"]
    told = CliRunner().invoke(race, ["--history", str(folder.path), *few])
    assert told.exit_code == 0, told.output
    assert told.output.startswith("shop")
    assert "static" in told.output and "value" in told.output
