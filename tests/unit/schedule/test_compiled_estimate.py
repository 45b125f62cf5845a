"""Verdicts folded and gaps found by the compiled part are those that NumPy comes to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.estimate import tempo as tempos
from recrawl.estimate.given import SOURCES
from recrawl.estimate.sizes import Leaning
from recrawl.estimate.trust import Trust
from recrawl.model.belief import RATES, Context, Sightings, States, state_type
from recrawl.model.swift import replace
from recrawl.schedule import at_once
from recrawl.schedule.settings import Settings
from recrawl.schedule.value import ValuePolicy, value_policy

pytestmark = pytest.mark.compiled

HOUR = 490_000
NOW = HOUR * 3600.0 + 1234.5
DAY_S = 86400.0
NAMES = ["a|.html", "a|.pdf", "b|", "b|+new", "c|x.html"]
SEEDS = st.integers(0, 2**32 - 1)
SETTINGS = (
    Settings(),
    Settings(bytes_weight=0.3, response_weight=0.1, harmonic=0.0),
    Settings(ceiling_s=20 * DAY_S, spread_from_s=15 * DAY_S, floor_s=3600.0),
)


@given(SEEDS, st.booleans(), st.booleans())
def test_verdicts_are_folded_alike(seed: int, is_lively: bool, is_told: bool) -> None:
    dice = np.random.default_rng(seed)
    policy = _policy(dice, is_lively, is_told)
    states, context = _states(dice, 40), _context(dice, 40)
    seen = _seen(dice, states)
    found = at_once.folded(policy.knowledge, policy.laws, states.copy(), seen, context)
    assert found is not None
    after, knowledge = found
    expected, learnt = policy.observe(states, seen, context), policy.learned(states, seen, context).knowledge
    for name in set(state_type().names or ()) - {"weights"}:
        assert after[name].tobytes() == expected[name].tobytes()
    apart = after["weights"].astype(int) - expected["weights"].astype(int)
    assert np.abs(apart).max() <= 1 and np.count_nonzero(apart) <= 1
    assert np.allclose(knowledge.sums, learnt.sums, atol=1e-6)  # after a second little is left of 1 - S(x)
    assert np.allclose(knowledge.tempo.proof, learnt.tempo.proof, rtol=1e-9, atol=1e-10)
    for name in Trust.__dataclass_fields__:
        assert np.allclose(getattr(knowledge.trust, name), getattr(learnt.trust, name), rtol=1e-9)
    for name in tempos.Outcomes.__dataclass_fields__:
        ours, theirs = (getattr(one.tempo.fresh[-1], name) for one in (knowledge, learnt))
        assert ours.dtype == theirs.dtype and np.allclose(ours, theirs, rtol=1e-5)


@given(SEEDS, st.booleans(), st.booleans(), st.sampled_from(SETTINGS))
def test_gaps_are_found_alike(seed: int, is_lively: bool, is_told: bool, settings: Settings) -> None:
    dice = np.random.default_rng(seed)
    policy = replace(_policy(dice, is_lively, is_told), settings=settings)
    states, context = _states(dice, 40), _context(dice, 40)
    importance, luck = dice.choice([0.0, 0.3, 1.0, 5.0], 40), dice.random(40)
    found = at_once.gaps_s(policy.knowledge, policy.laws, settings, states, importance, NOW, luck, context)
    assert found is not None
    gaps_s, left = found
    assert policy.knowledge.tempo.rhythmic.any() or not left.size
    expected = policy.each_gap_s(states, importance, NOW, luck, context)
    near = 3e-4 if is_told else 1e-7  # where somebody speaks, a gap is sought by halving
    found_s = np.delete(gaps_s, left)
    assert np.allclose(found_s, np.delete(expected, left), rtol=near, atol=1e-3)
    assert np.allclose(policy.next_gap_s(states, importance, NOW, luck, context), expected, rtol=near, atol=1e-3)


def _policy(dice: np.random.Generator, is_lively: bool, is_told: bool) -> ValuePolicy:
    """With laws, clocks and sources of which much is known."""
    policy = value_policy(Settings(), hour=HOUR - 1500).with_groups(NAMES)
    knowledge = policy.knowledge
    sites, groups = len(knowledge.sites), len(knowledge.groups)
    law = dice.dirichlet(np.full(RATES, 0.7), groups) + 1e-6
    tempo = tempos.at_hour(knowledge.tempo, HOUR)
    if is_lively:
        rhythm = dice.gamma(2.0, 0.5, (sites, 24))
        tempo = replace(
            tempo, rhythm=rhythm / rhythm.mean(axis=1, keepdims=True), proof=dice.normal(0.0, 3.0, tempo.proof.shape),
            activity=dice.gamma(2.0, 0.5, tempo.activity.shape),
        )  # fmt: skip
        tempo = tempos.with_elapsed(tempo, 0)
    leaning = Leaning(dice.normal(9.0, 1.0, sites), dice.choice([-0.7, 0.0, 0.4], sites))
    trust = Trust(*(dice.gamma(1.0, 9.0, (sites, SOURCES)) for _ in range(4)), np.zeros((sites, SOURCES)))
    if is_told:
        spoke = trust.found_changes * dice.choice([0.0, 0.3, 0.99], (sites, SOURCES)) * 9.0
        trust = replace(trust, quiet_days=9e3 + trust.quiet_days, found_notices=spoke)
    learnt = replace(
        knowledge, law=law / law.sum(axis=1, keepdims=True), sums=dice.gamma(1.0, 5.0, (groups, RATES)), tempo=tempo,
        leaning=leaning, trust=trust, price=float(np.exp(dice.normal(-2.0, 3.0))),
    )  # fmt: skip
    return policy.knowing(learnt)


def _states(dice: np.random.Generator, pages: int) -> States:
    states = np.zeros(pages, dtype=state_type())
    ago_s = dice.choice([0.0, 1.0, 3600.0, DAY_S, 300 * DAY_S, NOW, -50.0], pages)
    states["seen_at"] = NOW - ago_s * dice.random(pages)
    states["watched_s"] = dice.gamma(1.0, 90 * DAY_S, pages)
    states["quiet_s"] = states["watched_s"] * dice.random(pages)
    states["gaps"] = dice.choice([0, 0, 1, 9], pages)
    states["changes"] = states["gaps"] * dice.random(pages)
    states["shortest_s"] = dice.choice([0.0, 60.0, 1e6], pages)
    states["size_bytes"] = dice.choice([0.0, 1.0, 900.0, 2e6], pages)
    states["response_s"] = dice.choice([0.0, 0.3], pages)
    states["weights"] = dice.integers(0, 256, (pages, RATES)) * dice.integers(0, 2, (pages, 1))
    states["memory"] = dice.integers(0, 2**32, pages)
    return states


def _seen(dice: np.random.Generator, states: States) -> Sightings:
    pages = len(states)
    return Sightings(
        at=NOW - 40.0 + 60.0 * dice.random(pages),
        changed=dice.random(pages) < 0.3,
        first=dice.random(pages) < 0.2,
        changed_ago_s=dice.choice([np.nan, np.inf, -5.0, 0.0, 7e4, 1e9], pages),
        size_bytes=dice.choice([-1.0, 0.0, 1.0, 5e3, 3e7], pages),
        response_s=dice.choice([np.nan, -1.0, 0.0, 0.2, 1e30], pages),
    )


def _context(dice: np.random.Generator, pages: int) -> Context:
    spoke = dice.random((pages, SOURCES)) < 0.05
    notices = spoke * dice.integers(0, 4, spoke.shape)
    return Context(dice.integers(0, len(NAMES) + 1, pages), dice.choice([0.0, 0.5], pages), notices)
