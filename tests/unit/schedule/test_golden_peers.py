"""The peers' shipped schedules, by the vectors of their own code."""

import numpy as np
import pytest

from recrawl.model.belief import Sightings, unknown
from recrawl.schedule import policy
from recrawl.schedule.nutch import stepped
from recrawl.schedule.stormcrawler import stepped as storm_stepped

NUTCH = [
    (86400, 0, True, 69120, 69120),
    (86400, 86400, False, 120960, 95040),
    (86400, 864000, False, 864000, 604800),
    (3600, 1800, False, 5040, 4500),
    (60, 0, True, 60, 60),
    (2592000, 3456000, False, 3628800, 2592000),
]


@pytest.mark.parametrize(("interval", "since", "modified", "after", "gap"), NUTCH)
def test_nutch_steps_as_its_golden_vectors_say(
    interval: float, since: float, modified: bool, after: float, gap: float
) -> None:
    found, wait = stepped(np.array([float(interval)]), np.array([float(since)]), np.array([modified]))
    assert found[0] == pytest.approx(after, rel=1e-9)
    assert wait[0] == pytest.approx(gap, rel=1e-6)


@pytest.mark.parametrize(
    ("minutes", "changed", "after"),
    [(1440, True, 750), (1440, False, 2160), (61, True, 60), (100, True, 80), (13441, False, 20160)],
)
def test_stormcrawler_steps_as_its_golden_vectors_say(minutes: int, changed: bool, after: int) -> None:
    assert storm_stepped(np.array([minutes]), np.array([changed]))[0] == after


def _seen(at: float, changed: bool, first: bool) -> Sightings:
    return Sightings(
        np.array([at]), np.array([changed]), np.array([first]), np.array([np.nan]), np.array([1.0]), np.array([0.1])
    )


def test_nutch_behind_the_port_walks_through_its_vectors() -> None:
    nutch = policy("nutch")
    day = 86400.0
    state = nutch.observe(unknown(1), _seen(100 * day, False, True))
    assert nutch.next_gap_s(state, np.ones(1), 100 * day, np.zeros(1))[0] == 30 * day
    state = nutch.observe(state, _seen(130 * day, True, False))
    assert nutch.next_gap_s(state, np.ones(1), 130 * day, np.zeros(1))[0] == pytest.approx(24 * day)
    state = nutch.observe(state, _seen(154 * day, False, False))
    expected = 24 * 1.4 * day - 0.3 * 24 * day
    assert nutch.next_gap_s(state, np.ones(1), 154 * day, np.zeros(1))[0] == pytest.approx(expected)


def test_stormcrawler_behind_the_port_starts_at_a_day_and_halves_towards_an_hour() -> None:
    storm = policy("stormcrawler")
    state = storm.observe(unknown(1), _seen(1e9, False, True))
    assert storm.next_gap_s(state, np.ones(1), 1e9, np.zeros(1))[0] == 86400.0
    state = storm.observe(state, _seen(1e9 + 86400, True, False))
    assert storm.next_gap_s(state, np.ones(1), 1e9, np.zeros(1))[0] == 750 * 60.0
