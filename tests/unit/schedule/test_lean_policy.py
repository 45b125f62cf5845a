"""Without NumPy the policy by value comes to what it comes to with it, and goes over to it with all that it knows."""

import io
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.estimate import tempo as tempos
from recrawl.estimate.given import SOURCES
from recrawl.estimate.sizes import Leaning
from recrawl.estimate.trust import Trust
from recrawl.model.belief import Sights, state_type, unknown
from recrawl.model.swift import replace
from recrawl.schedule import knowledge as known
from recrawl.schedule import plain
from recrawl.schedule.lean import LeanPolicy, in_full, lean_policy
from recrawl.schedule.settings import HOUR_S, Settings
from recrawl.schedule.value import ValuePolicy, value_policy

pytestmark = pytest.mark.compiled

HOUR = 490_000
NAMES = ["a|.html", "a|.pdf", "b|", "b|+new", "c|x.html", "a|+new"]
PAGES = 24
SEEDS = st.integers(0, 2**32 - 1)


def started() -> tuple[LeanPolicy, ValuePolicy]:
    lean = lean_policy(Settings(), HOUR)
    assert lean is not None
    return lean, value_policy(Settings(), hour=HOUR)


def sights(dice: np.random.Generator, states: bytes, at: float, is_first: bool) -> Sights:
    columns = (
        at + dice.random(PAGES), dice.random(PAGES) < 0.3, np.full(PAGES, is_first), np.full(PAGES, np.nan),
        dice.choice([900.0, 2e4], PAGES), dice.random(PAGES),
    )  # fmt: skip
    return Sights(tuple(column.tobytes() for column in columns), states)


def assert_same(one: known.Knowledge, other: known.Knowledge) -> None:
    for name in ("sites", "groups", "met_hour", "refitted_hour", "pooled_hour"):
        assert getattr(one, name) == getattr(other, name), name
    for of, names in (
        (lambda knows: knows, ("group_site", "sums", "law", "price")),
        (lambda knows: knows.trust, Trust.__dataclass_fields__),
        (lambda knows: knows.leaning, Leaning.__dataclass_fields__),
        (lambda knows: tempos.gathered(knows.tempo).outcomes, tempos.Outcomes.__dataclass_fields__),
        (lambda knows: knows.tempo, set(tempos.Tempo.__dataclass_fields__) - {"outcomes", "fresh"}),
    ):
        for name in names:
            ours, theirs = np.asarray(getattr(of(one), name)), np.asarray(getattr(of(other), name))
            assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, name
            assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-9), name


@given(SEEDS, st.integers(1, 4))
def test_rounds_of_visits_come_to_the_same(seed: int, rounds: int) -> None:
    dice = np.random.default_rng(seed)
    lean, full = started()
    states = unknown(PAGES).tobytes()
    for place in range(rounds):
        now = HOUR * HOUR_S + 2000.0 * place
        names = [NAMES[number] for number in dice.integers(0, len(NAMES), PAGES)]
        lean, full = lean.with_groups(names), full.with_groups(names)
        assert lean.suffices(now)
        group, spoke = lean.group_numbers(names), dice.integers(0, 2, (PAGES, SOURCES))
        seen = sights(dice, states, now, place == 0)
        sightings, before = seen.arrays()
        context = full.context(names, dice.random(PAGES), spoke)
        assert group.tolist() == context.group.tolist()
        folded = lean.folded(seen, group, array("q", spoke.tobytes()))
        assert folded is not None
        (packed, lean), (after, full) = folded, full.folded(before, sightings, context)
        packed_weights, weights = (
            np.frombuffer(one, dtype=state_type())["weights"] for one in (packed, after.tobytes())
        )
        assert np.abs(packed_weights.astype(int) - weights.astype(int)).max() <= 1
        lean, full = lean.at(now).priced(0.3, 0.5), full.at(now).priced(0.3, 0.5)
        wishes, luck = np.ones(PAGES), dice.random(PAGES)
        gaps_s = lean.gaps_s(packed, wishes, now, luck, context.server_price, group)
        nobody = replace(context, notices=np.zeros_like(spoke))
        assert np.allclose(np.frombuffer(gaps_s), full.next_gap_s(after, wishes, now, luck, nobody), rtol=1e-3)
        worths = lean.worths_if_changed(packed, wishes, now, context.server_price, group)
        assert np.allclose(np.frombuffer(worths), full.worth_if_changed(after, wishes, now, nobody), rtol=1e-3)
        assert all(lean.patience(site) == pytest.approx(full.patience(site)) for site in "abcd")
        states = bytes(packed)
    assert_same(lean.full().knowledge, full.knowledge)
    assert_same(known.from_bytes(lean.memory()), known.from_bytes(full.memory()))
    assert_same(lean.remembering(full.memory()).full().knowledge, full.remembering(lean.memory()).knowledge)
    assert plain.bursts(lean.knowledge) == known.bursts(full.knowledge)


@given(SEEDS)
def test_what_is_known_of_many_weeks_is_read_alike_and_widened_alike(seed: int) -> None:
    dice = np.random.default_rng(seed)
    lean, full = started()
    full = full.with_groups(NAMES)
    tempo = tempos.at_hour(full.knowledge.tempo, HOUR + 500)
    rhythm = dice.gamma(2.0, 0.5, tempo.rhythm.shape)
    tempo = tempos.with_elapsed(
        replace(
            tempo, rhythm=rhythm, proof=dice.normal(0.0, 3.0, tempo.proof.shape),
            activity=dice.gamma(2.0, 0.5, tempo.activity.shape),
        ),
        0,
    )  # fmt: skip
    full = full.knowing(replace(full.knowledge, tempo=tempo, leaning=Leaning(dice.random(4), dice.random(4))))
    memory = full.memory()
    lean, full = lean.remembering(memory), full.remembering(memory)
    more = ["d|", "e|+new", "a|"]
    assert_same(lean.full().knowledge, full.knowledge)
    assert_same(lean.with_groups(more).full().knowledge, full.with_groups(more).knowledge)
    assert lean.knowledge.clocks.rhythmic == bool(full.knowledge.tempo.rhythmic.any())
    assert plain.bursts(lean.knowledge) == pytest.approx(known.bursts(full.knowledge))


def test_it_does_not_suffice_where_laws_or_clocks_are_to_be_fitted_or_a_rhythm_to_be_waited_for() -> None:
    lean, _ = started()
    assert lean.suffices((HOUR + 2) * HOUR_S) and not lean.suffices((HOUR + 3) * HOUR_S)
    rhythmic = replace(lean.knowledge, clocks=replace(lean.knowledge.clocks, rhythmic=True))
    assert not replace(lean, knowledge=rhythmic).suffices(HOUR * HOUR_S)
    assert not lean.is_ahead_of((HOUR - 24) * HOUR_S) and lean.is_ahead_of((HOUR - 25) * HOUR_S)


def test_in_full_it_is_the_policy_by_value_and_another_one_is_not() -> None:
    lean, full = started()
    grown = in_full(lean)
    assert isinstance(grown, ValuePolicy) and in_full(full) is full
    assert np.allclose(grown.laws.decay, full.laws.decay, rtol=1e-9)


def test_knowledge_that_an_earlier_version_kept_is_read() -> None:
    _, full = started()
    policy = full.with_groups(NAMES)
    knows, seen = policy.knowledge, policy.knowledge.tempo.outcomes
    kept = io.BytesIO()
    np.savez_compressed(
        kept,
        numbers=np.array([1, knows.tempo.origin, knows.tempo.hour, knows.refitted_hour, knows.pooled_hour]),
        price=np.array([knows.price, 0.0, 0.0]), sites=np.array(knows.sites), met_hour=np.array(knows.met_hour),
        groups=np.array(knows.groups), group_site=knows.group_site, sums=knows.sums.astype(np.float32), law=knows.law,
        rhythm=knows.tempo.rhythm.astype(np.float32), activity=knows.tempo.activity.astype(np.float32),
        proof=knows.tempo.proof, rates=seen.rate.astype(np.float32),
        outcomes=np.stack([seen.site, seen.begin, seen.end, seen.changed]).astype(np.int32),
        leaning=np.stack([knows.leaning.centre, knows.leaning.slope]),
        trust=np.stack([getattr(knows.trust, name) for name in Trust.__dataclass_fields__]),
    )  # fmt: skip
    lean, _ = started()
    assert_same(lean.remembering(kept.getvalue()).knowledge, known.from_bytes(policy.memory()))
