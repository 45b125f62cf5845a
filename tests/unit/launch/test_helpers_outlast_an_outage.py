"""A crawl waits for a database that went away and goes on by itself; so does what runs beside it."""

from pathlib import Path

import pytest

from recrawl.folder.log import LogFile
from recrawl.launch.beside import AGAIN_S, Ended, _beside, outlast
from recrawl.model.failure import DiskFull, RecrawlError, StoreAway, StoreInUse


class Beside:
    """A helper that meets these errors one after the other and then works until the crawl has ended, which it has
    after so many `waits`."""

    def __init__(self, *errors: RecrawlError, waits: int = 100) -> None:
        self.errors, self.waits = list(errors), waits
        self.waited: list[float] = []
        self.said: list[str] = []
        self.worked = False

    def run(self) -> "Beside":
        outlast(self._work, "the search index", self._ended, self.said.append)
        return self

    def _work(self, ended: Ended) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.worked = True

    def _ended(self, wait_s: float) -> bool:
        self.waited.append(wait_s)
        return len(self.waited) >= self.waits


def test_it_works_on_when_the_database_is_back_and_complains_once() -> None:
    away = [StoreAway("db does not answer") for _ in range(3)]
    helper = Beside(*away, StoreInUse("db is locked")).run()
    assert helper.worked and helper.waited == [AGAIN_S] * 4
    assert helper.said == [
        "the search index: rests until the store is back: db does not answer",
        "the search index: rests until the store is back: db is locked",
    ]


def test_it_ends_with_the_crawl_while_the_database_is_away() -> None:
    helper = Beside(*[StoreAway("db does not answer") for _ in range(5)], waits=2).run()
    assert not helper.worked and len(helper.waited) == 2


def test_what_does_not_pass_by_itself_ends_it() -> None:
    helper = Beside(DiskFull("make room"))
    with pytest.raises(DiskFull):
        helper.run()
    assert not helper.waited


def test_a_fault_of_a_helper_is_told(tmp_path: Path) -> None:
    def work(ended: Ended) -> None:
        raise ZeroDivisionError("of all things")

    log = tmp_path / "recrawl.log"
    with _beside(work, "webhooks", LogFile(log).complain):
        pass
    assert "webhooks: given up until the next run" in log.read_text() and "of all things" in log.read_text()
