"""Operational time is learnt from outcomes, used only when proved, and sources of notices are judged by visits."""

from dataclasses import replace

import numpy as np
import pytest

from recrawl.estimate import given, trust
from recrawl.estimate import tempo as tempos
from recrawl.estimate.tempo import Outcomes, Tempo
from recrawl.estimate.tempo_fit import activity_refitted, rhythm_refitted

HOUR = 472_000 - 472_000 % 24


def _outcomes(pages: int, days: int, busy_hour: int | None, dice: np.random.Generator) -> Outcomes:
    """Pages of rate 1/2 a day, visited every 5 to 30 hours; with a busy hour, all their changes fall into it."""
    rows: list[tuple[int, int, bool]] = []
    for _ in range(pages):
        changes = np.flatnonzero(dice.random(days) < 0.4) * 24 + (busy_hour or 0)
        if busy_hour is None:
            changes = changes + dice.integers(0, 24, changes.size)
        begin = 0
        while (end := begin + int(dice.integers(5, 30))) < days * 24:
            rows.append((begin, end, bool(((changes >= begin) & (changes < end)).any())))
            begin = end
    rows.sort(key=lambda row: row[1])
    table = np.array([(b, e) for b, e, _ in rows]) + HOUR
    changed = np.array([c for *_, c in rows])
    return Outcomes(np.zeros(len(rows), dtype=np.int64), table[:, 0], table[:, 1], changed, np.full(len(rows), 0.5))


def _fitted(busy_hour: int | None, days: int = 40) -> Tempo:
    dice = np.random.default_rng(3)
    tempo = tempos.noted(tempos.started(1, HOUR), _outcomes(30, days, busy_hour, dice))
    tempo = tempos.at_hour(tempo, HOUR + days * 24)
    return rhythm_refitted(activity_refitted(tempo), np.zeros(1, dtype=np.int64))


def test_the_busy_hour_is_found_from_verdicts_alone() -> None:
    rhythm = _fitted(busy_hour=15).rhythm[0]
    assert rhythm.mean() == pytest.approx(1.0)
    assert rhythm[14:18].sum() > 12.0


def test_without_a_rhythm_the_hours_stay_about_equal() -> None:
    rhythm = _fitted(busy_hour=None).rhythm[0]
    assert rhythm.max() < 3.0


def test_the_plain_clock_weighs_most_until_another_has_predicted_better() -> None:
    tempo = tempos.started(2, HOUR)
    assert (tempo.weight[0] > 0.7).all()
    assert tempo.weight.sum(axis=0) == pytest.approx(1.0)
    survival = np.full((len(given.CLOCKS), 50), 0.5)
    survival[1, :] = 0.9
    site = np.ones(50, dtype=np.int64)
    judged = tempos.with_elapsed(tempos.judged(tempo, site, np.zeros(50, dtype=np.bool_), survival), 0)
    assert judged.weight[:, 0] == pytest.approx(tempo.weight[:, 0])
    assert judged.weight[1, 1] > 0.999
    assert list(judged.rhythmic) == [False, True]
    wrong = tempos.with_elapsed(tempos.judged(judged, site, np.ones(50, dtype=np.bool_), survival), 0)
    assert wrong.weight[1, 1] < 0.001
    assert not wrong.rhythmic.any()


def test_a_site_goes_by_the_mean_of_its_clocks() -> None:
    tempo = _fitted(busy_hour=15)
    proof = np.zeros_like(tempo.proof)
    proof[0], proof[1] = np.log(0.75), np.log(0.25) + given.CLOCKS[1].doubt
    proof[2:] = -100.0
    mixed = tempos.with_elapsed(replace(tempo, proof=proof), 0)
    site, begin, end = np.zeros(1, dtype=np.int64), np.array([HOUR + 3.0]), np.array([HOUR + 20.0])
    by_clock = tempos.days_by_clock(mixed, site, begin, end)[:, 0]
    assert by_clock[0] != pytest.approx(by_clock[1])
    mean = tempos.operational_days(mixed, site, begin, end)
    assert mean == pytest.approx(0.75 * by_clock[0] + 0.25 * by_clock[1])
    assert mixed.rhythm_share == pytest.approx(0.25 * given.CLOCKS[1].rhythm)


def test_flat_operational_time_is_time_before_within_and_after_the_window() -> None:
    tempo = tempos.at_hour(tempos.started(1, HOUR), HOUR + 10)
    zero = np.zeros(3, dtype=np.int64)
    begin = np.array([HOUR - 1000.0, HOUR + 1.5, HOUR + 2.0])
    end = np.array([HOUR + 5.0, HOUR + 3.0, HOUR + 100_000.0])
    days = tempos.operational_days(tempo, zero, begin, end)
    assert days == pytest.approx((end - begin) / 24.0)


def test_the_moment_after_some_days_is_the_inverse_of_operational_time() -> None:
    tempo = _fitted(busy_hour=15)
    site = np.zeros(4, dtype=np.int64)
    now = tempo.hour + 0.25
    begin = np.full(4, now)
    days = np.array([0.05, 0.6, 1.4, 2.7])
    when = tempos.moment_after(tempo, site, begin, days, now)
    assert tempos.operational_days(tempo, site, begin, when) == pytest.approx(days, abs=0.02)


def test_time_passes_for_a_site_that_joins_late_as_it_does_for_the_others() -> None:
    late = tempos.with_sites(tempos.at_hour(tempos.started(1, 1000), 1200), 2)
    assert late.laid > 200
    assert np.allclose(late.elapsed[:, 0, : late.laid + 1], late.elapsed[:, 1, : late.laid + 1])


def test_the_window_moves_on_and_forgets() -> None:
    tempo = _fitted(busy_hour=15)
    later = tempos.at_hour(tempo, tempo.hour + 400 * 24)
    assert later.hour == tempo.hour + 400 * 24
    assert tempos.gathered(later).outcomes.site.size == 0
    assert (later.activity == 1.0).all()


def test_a_burst_speeds_up_the_clock_of_its_hours() -> None:
    dice = np.random.default_rng(1)
    begin = HOUR + dice.integers(0, 40, 80)
    end = begin + 30
    outcomes = Outcomes(
        np.zeros(80, dtype=np.int64), begin, end, (begin <= HOUR + 35) & (end > HOUR + 35), np.full(80, 0.02)
    )  # everything that was not seen since hour 35 had changed
    tempo = tempos.at_hour(tempos.noted(tempos.started(1, HOUR), outcomes), HOUR + 72)
    for _ in range(5):
        tempo = activity_refitted(tempo)
    sharp = tempo.activity[-1, 0]
    assert sharp[33:38].max() > 3.0
    assert sharp[:20].max() < sharp[33:38].max() / 2


def _judged(recall: float, false_per_day: float) -> trust.Trust:
    dice = np.random.default_rng(2)
    found = trust.started(1)
    days = dice.uniform(1, 10, 2000)
    changes = dice.poisson(0.1 * days)
    notices = np.zeros((2000, given.SOURCES), dtype=np.int64)
    notices[:, 1] = dice.binomial(changes, recall) + dice.poisson(false_per_day * days)
    hazard = 0.1 * days
    return trust.learned(found, np.zeros(2000, dtype=np.int64), days, changes > 0, hazard / -np.expm1(-hazard), notices)


@pytest.mark.parametrize(("recall", "false"), [(0.9, 0.001), (0.5, 0.05), (0.0, 0.2)])
def test_recall_and_false_rate_are_learnt_from_visits(recall: float, false: float) -> None:
    found = _judged(recall, false)
    assert found.recall[0, 1] == pytest.approx(recall, abs=0.12)
    assert found.false_per_day[0, 1] == pytest.approx(false, abs=0.02)
    assert found.recall[0, 0] == 0.0


def test_a_liar_is_not_listened_to_and_a_good_source_is() -> None:
    assert not trust.speaking(_judged(0.0, 0.2), np.array([0]))[0]
    assert trust.speaking(_judged(0.9, 0.001), np.array([0]))[0]


def test_a_lucky_start_makes_no_herald() -> None:
    few = np.zeros((1, given.SOURCES))
    quiet_days, quiet, changes, found_days, found = few + 60.0, few + 18.0, few + 3.5, few + 17.0, few + 14.0
    lucky = trust.Trust(quiet_days, quiet, changes, found_days, found)  # twice to three times what chance brings
    assert 2.0 < lucky.evidence_nats[0, 0] < given.PROVEN_NATS
    assert not trust.speaking(lucky, np.array([0]))[0]
    honest = trust.Trust(quiet_days, few, few + 14.0, found_days, found)  # never without a change
    assert honest.evidence_nats[0, 0] == pytest.approx(14.0 * np.log(77.0 / 17.0))
    assert trust.speaking(honest, np.array([0]))[0]
    assert trust.started(1).evidence_nats[0, 0] == 0.0


def test_with_a_good_source_silence_means_rest_and_a_notice_means_change() -> None:
    belief = np.full((2, 12), 1 / 12)
    notices = np.zeros((2, given.SOURCES), dtype=np.int64)
    notices[0, 1] = 1
    site, days = np.zeros(2, dtype=np.int64), np.full(2, 10.0)
    told, unchanged = trust.with_notices(belief, _judged(0.95, 0.001), site, days, notices)
    same = (told * unchanged).sum(axis=1)
    assert same[0] < 0.1 < 0.8 < same[1]
