"""S3's rule against brute force, and its erratum mended."""

from itertools import product

import numpy as np
import pytest

from recrawl.schedule.staleness import chosen, priority


def _total(order: tuple[int, ...], start: np.ndarray, cost: np.ndarray) -> float:
    """Summed staleness over all periods plus what the downloads cost, one download a period."""
    staleness, total = start.astype(float).copy(), 0.0
    for page in order:
        staleness[page] = 0.0
        total += staleness.sum() + cost[page]
        staleness += 1.0
    return total


def _greedy(periods: int, start: np.ndarray, size: np.ndarray, response: np.ndarray) -> tuple[int, ...]:
    staleness, order = start.astype(float).copy(), []
    for period in range(periods):
        page = int(chosen(periods - period, staleness, size, response, threads=1)[0])
        order.append(page)
        staleness[page] = 0.0
        staleness += 1.0
    return tuple(order)


@pytest.mark.parametrize("seed", range(8))
def test_the_rule_is_within_a_tenth_of_the_best_of_all_orders(seed: int) -> None:
    dice = np.random.default_rng(seed)
    start, size, response = dice.integers(0, 9, 3), dice.uniform(0.1, 3.0, 3), dice.uniform(0.1, 2.0, 3)
    cost = size * response
    best = min(_total(order, start, cost) for order in product(range(3), repeat=5))
    found = _total(_greedy(5, start, size, response), start, cost)
    assert found <= 1.1 * best


def test_with_equal_sizes_and_times_the_largest_staleness_goes_first() -> None:
    same = np.ones(4)
    assert list(chosen(10, np.array([3.0, 7.0, 1.0, 5.0]), same, same, threads=2)) == [1, 3]


def test_with_equal_staleness_the_cheapest_goes_first() -> None:
    size, response = np.array([4.0, 1.0, 2.0]), np.array([1.0, 2.0, 0.5])
    assert list(chosen(10, np.full(3, 2.0), size, response, threads=3)) == [2, 1, 0]


def test_many_servers_and_threads_take_one_page_of_each_server() -> None:
    staleness = np.array([9.0, 8.0, 7.0, 1.0])
    taken = chosen(5, staleness, np.ones(4), np.ones(4), threads=2, server=np.array([0, 0, 1, 2]))
    assert list(taken) == [0, 2]


def test_near_the_end_cost_outweighs_staleness() -> None:
    staleness, size, response = np.array([3.0, 2.0]), np.array([9.0, 1.0]), np.ones(2)
    assert priority(10, staleness, size, response).argmax() == 0
    assert priority(1, staleness, size, response).argmax() == 1
