"""The numbers of the overview, the week and S1's figures."""

from datetime import UTC, datetime

import pytest
from tests.unit.web.conftest import NOW, page_at

from recrawl.answers.outlook import by_rate, rates_per_day
from recrawl.model.batch import Totals
from recrawl.model.page import Page, Status
from recrawl.model.server import Server
from recrawl.model.site import Site
from recrawl.model.visit import Evidence, Visit, Why
from recrawl.web.figures import needed_gaps, ratios
from recrawl.web.freshness import DAY_S
from recrawl.web.overview import budget_per_day, by_day, overview
from recrawl.web.sample import Sample
from recrawl.web.week import week_lines, week_of, weekly_table

MONDAY_AT = datetime(2026, 2, 2, 9, 30, tzinfo=UTC).timestamp()


def visit(page: Page, at: float, change: str = "same", evidence: Evidence = Evidence.DOCUMENT, size: int = 0) -> Visit:
    return Visit(page.id, at, Why.DUE, 200, evidence, change, changed_bytes=size)


def sample_of(*ages_s: float, known: int = 1, change: str = "same") -> Sample:
    page = page_at("http://n.example/", status=Status.LIVE, checked_at=NOW, interval_s=DAY_S)
    visits = tuple(visit(page, NOW - age, change) for age in sorted(ages_s))
    return Sample((page,), (visits,), known, by_rate(rates_per_day([page])))


def test_days_end_now_and_empty_ones_between_stay() -> None:
    days = by_day(sample_of(60, 3600, 3 * DAY_S + 60), NOW)
    assert [day.requests for day in days] == [1, 0, 0, 2] and days[-1].from_at == NOW - DAY_S


def test_a_sample_stands_for_all_pages() -> None:
    assert by_day(sample_of(60, known=50), NOW)[-1].requests == 50


def test_requests_saved_are_against_asking_for_every_kept_page_once_a_day() -> None:
    found = overview(Totals(pages=9, live=8, due=3), sample_of(60, 3600), 5, 8.0, NOW)
    assert (found.requests_today, found.daily_crawl, found.saved) == (2, 8, 0.75)
    assert (found.changes_today, found.due) == (5, 3)
    assert (found.budget_per_day, found.budget_used) == (8, 0.25)
    assert overview(Totals(live=8), sample_of(60), 5, 0.2, NOW).budget_used == 1.0


def test_the_budget_is_the_tighter_of_all_and_the_sum_of_the_sites() -> None:
    sites = [Site("a", ("http://n.example/",), requests_per_day=8), Site("b", ("http://m.example/",))]
    assert budget_per_day(sites) == 8 and budget_per_day(sites, 5) == 5 and budget_per_day(sites, 50) == 8
    assert budget_per_day(sites[1:]) is None and budget_per_day([], 7) == 7


def test_an_empty_folder_has_an_overview() -> None:
    found = overview(Totals(), Sample(), 0, None, NOW)
    assert (found.fresh, found.saved, found.curve, found.days, found.budget_per_day) == (None, None, (), (), None)


def test_the_curve_starts_at_the_first_visit_and_ends_now() -> None:
    found = overview(Totals(live=1), sample_of(60, 2 * DAY_S), 0, None, NOW)
    assert found.curve[0].at == pytest.approx(NOW - 2 * DAY_S) and found.curve[-1].at == pytest.approx(NOW)


def test_changes_fall_into_their_weekday_and_hour_and_move_with_the_offset() -> None:
    page = page_at("http://n.example/")
    visits = [visit(page, MONDAY_AT, "changed", size=70), visit(page, MONDAY_AT, "same")]
    week = week_of(visits)
    assert week.changes[0][9] == 1 and week.bytes[0][9] == 70 and week.total == 1 and week.busiest == (0, 9)
    assert week_of(visits, 14).changes[0][23] == 1
    assert week_of(visits, -10).changes[6][23] == 1


def test_a_week_without_changes_has_no_busiest_hour() -> None:
    assert week_of([]).busiest is None


def test_pages_are_listed_by_changes_a_week() -> None:
    rare, often = page_at("http://n.example/rare"), page_at("http://n.example/often")
    seen = (
        (visit(rare, NOW - DAY_S, "changed"), visit(rare, NOW - 14 * DAY_S, "new")),
        tuple(visit(often, NOW - day * DAY_S, "changed") for day in range(1, 15)),
    )
    lines = week_lines(Sample((rare, often), seen, 2), NOW)
    assert [line.url for line in lines] == [often.url, rare.url]
    assert lines[0].per_week == pytest.approx(7.0) and lines[1].per_week == pytest.approx(0.5)


def test_the_weekly_table_visits_after_the_changes_have_happened() -> None:
    page = page_at("http://n.example/by-day")
    noons = [MONDAY_AT + day * DAY_S for day in range(14)]  # changes at half past nine, every day
    seen = tuple(visit(page, at, "changed") for at in noons)
    [slot] = weekly_table(Sample((page,), (seen,), 1), noons[0] + 14 * DAY_S)
    assert (slot.day, slot.time, slot.urls) == ("every day", "00:00", (page.url,))
    once = Sample((page,), (seen[:1],), 1)
    assert weekly_table(once, NOW) == [] and week_lines(once, NOW) == []  # one visit says nothing about a week


def test_the_detection_ratio_is_versions_by_visits_in_bands_of_the_interval() -> None:
    def page(name: str, visits: int, changes: int, interval_s: float) -> Page:
        return page_at(f"http://n.example/{name}", visits=visits, changes=changes, interval_s=interval_s)

    found = ratios([page("a", 4, 1, 100), page("b", 4, 3, 120), page("c", 10, 0, 5000), page("once", 1, 0, 100)])
    assert [(one.from_s, one.to_s, one.pages) for one in found] == [(64, 128, 2), (4096, 8192, 1)]
    assert found[0].mean == pytest.approx(0.75) and found[0].deviation == pytest.approx(0.25)
    assert found[1].mean == pytest.approx(0.1)


def test_servers_fall_into_slots_by_the_gap_their_schedule_needs() -> None:
    servers = [Server("a", load_per_s=0.5, overloaded=True), Server("b", load_per_s=0.01), Server("idle")]
    found = [(one.from_s, one.servers, one.overloaded) for one in needed_gaps(servers) if one.servers]
    assert found == [(1.0, 1, 1), (60.0, 1, 0)]
