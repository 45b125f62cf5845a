"""Which page killed a worker, known to those after it and beside it."""

import os
from pathlib import Path

from recrawl.folder.death_watch import MOST_DEATHS, MOST_PAGES, DeathWatch


def died(folder: Path, *read: int, worker: str = "0") -> None:
    """One that read these pages, the last of them at its end."""
    watch = DeathWatch(folder, worker)
    for page in read:
        watch.begin(page)
    os.close(watch._handle)  # what a kill does


def test_the_last_page_is_blamed_and_each_death_counted_once(tmp_path: Path) -> None:
    died(tmp_path, 1, 2)
    died(tmp_path, 2)
    one, other = DeathWatch(tmp_path, "0"), DeathWatch(tmp_path, "1")
    assert [(watch.deaths(1), watch.deaths(2)) for watch in (one, other)] == [(0, 2)] * 2


def test_a_worker_beside_hears_of_it(tmp_path: Path) -> None:
    beside = DeathWatch(tmp_path, "1")
    died(tmp_path, 7)
    after = DeathWatch(tmp_path, "0")
    beside.look()
    assert after.deaths(7) == beside.deaths(7) == 1


def test_what_was_read_again_and_written_is_forgotten_by_all(tmp_path: Path) -> None:
    died(tmp_path, 7)
    watch, beside = DeathWatch(tmp_path, "0"), DeathWatch(tmp_path, "1")
    watch.settled([7])  # something else was written of it
    assert watch.deaths(7) == 1
    watch.begin(7)
    watch.settled([8])
    assert watch.deaths(7) == 1
    watch.settled([7])
    beside.look()
    assert watch.deaths(7) == beside.deaths(7) == 0


def test_nobody_is_blamed_once_everything_is_written_or_the_worker_has_ended_well(tmp_path: Path) -> None:
    watch = DeathWatch(tmp_path, "0")
    watch.begin(7)
    watch.settled([7])
    os.close(watch._handle)
    watch = DeathWatch(tmp_path, "0")
    watch.begin(8)
    watch.close()
    assert list(tmp_path.iterdir()) == []


def test_one_that_rests_has_one_more_try_also_in_a_later_run(tmp_path: Path) -> None:
    watch = DeathWatch(tmp_path, "0")
    watch.rested(7)
    watch.close()
    died(tmp_path, 7)
    assert DeathWatch(tmp_path, "0").deaths(7) == MOST_DEATHS


def test_only_so_many_are_remembered_the_last_ones(tmp_path: Path) -> None:
    for page in range(1, MOST_PAGES + 11):
        died(tmp_path, page)
    watch = DeathWatch(tmp_path, "0")
    assert [page for page in range(1, MOST_PAGES + 11) if watch.deaths(page)] == list(range(11, MOST_PAGES + 11))


def test_a_torn_table_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "deaths").write_bytes(b'{"7": ')
    died(tmp_path, 8)
    watch = DeathWatch(tmp_path, "0")
    assert (watch.deaths(7), watch.deaths(8)) == (0, 1)
