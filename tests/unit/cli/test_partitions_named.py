"""Partitions as an operator writes them."""

import pytest

from recrawl.cli.cluster import numbers_of
from recrawl.model.failure import UsageError


def test_numbers_and_ranges_are_read_once_each_and_in_order() -> None:
    assert numbers_of("5, 7,10-12,11", 64) == [5, 7, 10, 11, 12]
    assert numbers_of("0-63", 64) == list(range(64))


@pytest.mark.parametrize("text", ["", ",", "1,,2", "-1", "1-", "5-3", "1-2-3", "1.5", "a", "٣", "9" * 5000])
def test_what_names_no_partitions_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="5,7,10-20"):
        numbers_of(text, 64)


@pytest.mark.parametrize("text", ["64", "3,64", "0-999999999"])
def test_a_partition_that_is_not_there_is_refused_before_any_is_counted_up(text: str) -> None:
    with pytest.raises(UsageError, match="from 0 to 63"):
        numbers_of(text, 64)
