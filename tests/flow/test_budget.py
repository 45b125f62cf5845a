"""A daily budget is never exceeded, quiet hours are kept, and a kill does not open the purse again."""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.flow.conftest import Ran, Site
from tests.flow.nursery import fork

Start = Callable[..., Site]
Run = Callable[..., Ran]


def wish(tmp_path: Path, line: str) -> None:
    [file] = (tmp_path / "D" / "sites").glob("*.toml")
    file.write_text(file.read_text() + line + "\n")


def test_a_site_is_asked_no_more_often_a_day_than_its_budget_says(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    site = start_site(60)
    recrawl("add", site.url, "--own", "--folder", "D")
    wish(tmp_path, "requests_per_day = 25")
    for _ in range(3):
        assert "budget" in recrawl("run", "D", "--once", "--all", expect=7).err
    assert len(site.requests()) == 25


def test_a_kill_does_not_open_the_purse_again(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    site = start_site(200, "--delay", "0.01")
    recrawl("add", site.url, "--own", "--folder", "D")
    wish(tmp_path, "requests_per_day = 100")
    process = fork("recrawl", ["run", "D", "--once"], tmp_path, Path(os.devnull))
    while len(site.requests()) < 40:
        time.sleep(0.01)
    process.kill()
    process.wait()
    for _ in range(2):
        recrawl("run", "D", "--once", expect=None)
    assert 40 <= len(site.requests()) <= 100


def test_outside_its_window_a_site_is_left_in_peace(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    site = start_site(10)
    recrawl("add", site.url, "--own", "--folder", "D")
    today = f"{datetime.now(UTC):%A}".lower()
    wish(tmp_path, f'windows = ["not {today}"]')
    recrawl("run", "D", "--once", expect=7)
    assert site.requests() == []


def test_runs_that_end_well_cost_the_day_nothing_but_their_requests(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    site = start_site(5)
    recrawl("add", site.url, "--own", "--folder", "D")
    wish(tmp_path, "requests_per_day = 23")
    for _ in range(4):
        recrawl("run", "D", "--once", "--all")
    assert "spent today" in recrawl("status", "D").out
    assert "budget" in recrawl("run", "D", "--once", "--all", expect=7).err
    assert len(site.requests()) == 23
    [budget] = recrawl("status", "D", "--json").lines[0]["budgets"]  # type: ignore[misc]
    assert (budget["requests"], budget["requests_per_day"], budget["bytes_per_day"]) == (23, 23, None)


def test_many_lanes_at_once_take_no_request_too_many(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    """Each asks whether there is room before any of the others has its answer."""
    site = start_site(60, "--delay", "0.05")
    recrawl("add", site.url, "--own", "--parallel", "16", "--folder", "D")
    wish(tmp_path, "requests_per_day = 37")
    for _ in range(2):
        recrawl("run", "D", "--once", "--all", expect=7)
    assert len(site.requests()) == 37


def test_what_one_worker_spent_two_workers_do_not_spend_again(start_site: Start, recrawl: Run, tmp_path: Path) -> None:
    sites = [start_site(30) for _ in range(4)]
    for site in sites:
        recrawl("add", site.url, "--own", "--name", "town", "--folder", "D")
    wish(tmp_path, "requests_per_day = 40")
    for workers in ("1", "2", "3", "1"):
        recrawl("run", "D", "--once", "--all", "--workers", workers, expect=7)
    assert sum(len(site.requests()) for site in sites) == 40


def test_a_first_crawl_brings_no_more_bytes_than_the_day_allows(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    """Nothing is known of the size of a page that was never seen."""
    site = start_site(60)
    recrawl("add", site.url, "--own", "--parallel", "8", "--folder", "D")
    wish(tmp_path, "bytes_per_day = 40000")
    brought = [recrawl("run", "D", "--once", "--json", expect=7).lines[-1]["received_bytes"] for _ in range(2)]
    assert 20_000 < sum(map(int, map(str, brought))) <= 40_000
