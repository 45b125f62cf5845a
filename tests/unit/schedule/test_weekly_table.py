"""S0: groups and the weekly table from the paper's own counts, and its arithmetic done right."""

import numpy as np
import pytest

from recrawl.estimate.weeks import Probe, Profile, profiles
from recrawl.schedule.groups import class_name, class_of, load
from recrawl.schedule.week import Slot, week_table

CHANGES = {
    "u1": 14, "u5": 10, "u3": 10, "u2": 8, "u4": 7, "u11": 7, "u10": 6, "u9": 3, "u8": 3, "u7": 3, "u6": 3, "u12": 3,
    "u15": 2, "u13": 1, "u14": 0,
}  # fmt: skip
BY_NIGHT = ("u6", "u7", "u8", "u9", "u12", "u15")


def _profile(url: str) -> Profile:
    changes = np.zeros((7, 24))
    changes[2, 22 if url in BY_NIGHT else 11] = CHANGES[url]
    return Profile(url, 3.0, changes)


def _group(url: str, classes: int) -> str:
    return class_name(int(class_of(np.array(CHANGES[url] / 3.0), classes)), classes)


def test_the_sixteen_groups_of_the_papers_counts() -> None:
    assert [_group(url, 16) for url in ("u1", "u5", "u2", "u4", "u10", "u9", "u15", "u13", "u14")] == [
        "G5", "G3", "G3", "G2", "G2", "G1", "G1", "2G1", "4G1",
    ]  # fmt: skip


def test_the_six_groups_of_the_papers_counts() -> None:
    assert {url: _group(url, 6) for url in CHANGES} == {
        "u1": "G7",
        **dict.fromkeys(("u2", "u3", "u4", "u5", "u10", "u11"), "G3"),
        **dict.fromkeys(("u6", "u7", "u8", "u9", "u12", "u15"), "G1"),
        "u13": "2G1",
        "u14": "4G1",
    }


def test_the_weekly_table_is_the_papers_own() -> None:
    table = week_table([_profile(url) for url in sorted(CHANGES, key=lambda url: int(url[1:]))])
    three = ("u2", "u3", "u4", "u5", "u10", "u11")
    assert table == [
        Slot("every day", "00:00", ("u1",)),
        Slot("Monday", "00:00", three),
        Slot("Wednesday", "00:00", three),
        Slot("Friday", "00:00", three),
        Slot("Saturday", "12:00", ("u6", "u7", "u8", "u9", "u12", "u15")),
        Slot("2nd Saturday", "00:00", ("u13",)),
        Slot("3rd Saturday", "00:00", ("u14",)),
    ]


def test_a_page_that_changes_twice_a_day_is_visited_at_both_times() -> None:
    changes = np.zeros((7, 24))
    changes[:, 11] = 6
    (one, two) = week_table([Profile("u", 3.0, changes)])
    assert [(one.day, one.time), (two.day, two.time)] == [("every day", "00:00"), ("every day", "12:00")]


def test_the_load_of_the_papers_distribution_is_66_percent_not_54() -> None:
    found = load(np.array([60.0, 60.0, 480.0, 216.0, 144.0, 240.0]))
    assert found * 1200 == pytest.approx(791.57, abs=0.01)
    assert round(100 * found, 1) == 66.0


@pytest.mark.parametrize(
    ("per_week", "name"), [(0.2499, "4G1"), (0.25, "2G1"), (0.4999, "2G1"), (0.5, "G1"), (30, "G14")]
)
def test_the_borders_between_groups(per_week: float, name: str) -> None:
    assert class_name(int(class_of(np.array(per_week), 16)), 16) == name


def test_any_number_of_groups_may_be_asked_for() -> None:
    numbers = class_of(np.array([0.01, 0.25, 2.0, 14.0, 100.0]), 4)
    assert list(numbers) == sorted(numbers)
    assert numbers[0] == 0 and numbers[-1] == 3


def test_probes_are_counted_by_weekday_and_hour() -> None:
    monday_nine = 1_704_067_200.0 + 9 * 3600
    probes = [
        Probe(monday_nine, "a", 100, 20, True),
        Probe(monday_nine + 1200, "a", 100, 0, False),
        Probe(monday_nine + 86400, "a", 130, -30, True),
        Probe(monday_nine, "b", 5, 0, False),
    ]
    first, second = profiles(probes, weeks=1.0)
    assert (first.url, first.total, second.total) == ("a", 2.0, 0.0)
    assert first.changes[0, 9] == 1 and first.changes[1, 9] == 1
    assert first.changed_bytes[0, 9] == 20 and first.changed_bytes[1, 9] == 30
    assert first.by_day_share == 1.0 and second.by_day_share == 0.5
