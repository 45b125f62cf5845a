"""Shares of workers: everything to somebody, the known load evenly."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.frontier.split import split


@given(st.dictionaries(st.integers(0, 63), st.floats(0, 1e6), max_size=64), st.integers(1, 9))
def test_every_partition_belongs_to_exactly_one_worker(weights: dict[int, float], workers: int) -> None:
    shares = split(weights, 64, workers)
    assert len(shares) == workers
    assert sorted(partition for share in shares for partition in share) == list(range(64))
    assert shares == split(weights, 64, workers)


@given(st.sets(st.integers(0, 255), min_size=1, max_size=40), st.integers(1, 8))
def test_servers_known_alike_are_spread_evenly_however_their_names_fall(known: set[int], workers: int) -> None:
    shares = split(dict.fromkeys(known, 1.0), 256, workers)
    counts = [len(share & known) for share in shares]
    assert max(counts) - min(counts) <= 1


@given(st.dictionaries(st.integers(0, 255), st.floats(0.1, 1000.0), min_size=1, max_size=60), st.integers(1, 8))
def test_nobody_carries_more_than_an_even_share_and_the_heaviest_partition(
    weights: dict[int, float], workers: int
) -> None:
    carried = [sum(weights.get(partition, 0.0) for partition in share) for share in split(weights, 256, workers)]
    assert max(carried) <= sum(weights.values()) / workers + max(weights.values()) + 1e-6


def test_where_nothing_is_known_all_get_as_many() -> None:
    assert [len(share) for share in split({}, 256, 3)] == [86, 85, 85]
