"""Addresses met before: the compiled memory and the one in Python keep the same."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.met import Met, PlainMet, new_met
from recrawl.native import compiled

BOTH = pytest.mark.parametrize("made", [new_met, PlainMet])
ADDRESSES = [
    "http://a.example/",
    "http://a.example/x",
    "http://a.example/x/",
    "http://a.example:81/x",
    "https://a.example/x",
    "http://a.example",
    "/x",
    "x",
    "",
    "http://a.example/é",
    "http://",
    "http:///x",
]


@BOTH
@given(st.lists(st.sampled_from(ADDRESSES)))
def test_what_was_remembered_is_known_and_nothing_else(made: Callable[[int], Met], told: list[str]) -> None:
    met = made(100)
    for at in range(0, len(told), 3):
        met.remember(told[at : at + 3])
    assert [address in met for address in ADDRESSES] == [address in told for address in ADDRESSES]
    assert len(met) == len(set(told))


@BOTH
def test_many_are_known_and_a_full_one_forgets_all_others(made: Callable[[int], Met]) -> None:
    met, told = made(5_000), [f"http://a.example/{number}" for number in range(5_000)]
    met.remember(told)
    assert all(address in met for address in told)
    assert not any(f"http://b.example/{number}" in met for number in range(5_000))
    met.remember(["http://a.example/new"])
    assert len(met) == 1
    assert told[0] not in met
    assert "http://a.example/new" in met


@pytest.mark.compiled
def test_what_cannot_be_written_was_never_met_and_what_is_no_text_is_refused() -> None:
    met = new_met(10)
    met.remember(["\ud800"])
    assert "\ud800" not in met
    with pytest.raises(TypeError):
        met.remember([b"x"])  # type: ignore[list-item]


@pytest.mark.compiled
def test_addresses_made_alike_for_any_seed_are_told_apart() -> None:
    one, other = "/newsabqxyzwaefq.html", "/newsab1xyzwcef1.html"
    for seed in range(400):
        met = compiled.Met(10, seed * 0x9E3779B97F4A7C15 & 0xFFFF_FFFF_FFFF_FFFF)
        met.remember([one])
        assert one in met and other not in met
