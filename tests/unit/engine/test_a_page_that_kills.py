"""An answer at which the whole process dies, as a parser that crashes or memory that runs out do."""

import os
import signal
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.engine.asking import revisit
from recrawl.engine.clock import SystemClock
from recrawl.engine.settling import recording
from recrawl.fetch.memory import Canned
from recrawl.folder.death_watch import MOST_DEATHS
from recrawl.folder.opening import open_store
from recrawl.model.page import Page
from recrawl.model.site import Field, Site

DEADLY = "/deadly"
LINKS = ["/a", DEADLY, "/b", "/c"]


class Town:
    """`asked` holds across processes what was asked for."""

    def __init__(self, path: Path) -> None:
        self.asked_file = path / "asked"
        self.crawl = Crawl(path / "folder", self.answer)
        fields = (Field("title", css="title"),)
        self.crawl.path.mkdir()
        self.crawl.add(Site("town", seeds=("http://town.test/",), own=("town.test",), fields=fields))
        self.is_cured = False

    def answer(self, path: str) -> Canned:
        with self.asked_file.open("a") as file:
            file.write(path + "\n")
        words = "deadly words" if path == DEADLY and not self.is_cured else "words"
        return page(path, f"{words} of {path}", LINKS)

    @property
    def asked(self) -> list[str]:
        return self.asked_file.read_text().split()

    def dies(self) -> bool:
        """Run once round in a process of its own: does it come to its end?"""
        child = os.fork()
        if child == 0:
            self.crawl.run()
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, -signal.SIGKILL)
        return status != 0

    def page(self, path: str) -> Page:
        with closing(open_store(self.crawl.folder, self.crawl.settings)) as store:
            [found] = [one for one in store.scan() if one.url == f"http://town.test{path}"]
        return found


@pytest.fixture(params=[(revisit, "parse"), (recording, "open_page")], ids=["as it is compared", "as records are read"])
def town(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Town:
    module, name = request.param
    harmless = getattr(module, name)

    def read(body: bytes, *rest: object, **more: object) -> object:
        if b"deadly words" in body:
            os.kill(os.getpid(), signal.SIGKILL)
        return harmless(body, *rest, **more)

    monkeypatch.setattr(module, name, read)
    return Town(tmp_path)


def test_after_three_deaths_in_a_row_it_rests_and_the_others_go_on(town: Town) -> None:
    for _ in range(MOST_DEATHS):
        assert town.dies()
    assert not town.dies()
    assert {path: town.page(path).visits for path in LINKS} == {"/a": 1, DEADLY: 0, "/b": 1, "/c": 1}
    spared = town.page(DEADLY)
    assert spared.failures == 1 and "died 3 times" in spared.reason
    assert spared.due_at is not None and spared.due_at > SystemClock().now() + 80_000.0


def test_what_it_answered_is_not_read_a_third_time(town: Town) -> None:
    """Once it may have been a kill from outside; after that the server may have another answer."""
    assert town.dies()
    assert town.dies()
    assert town.asked.count(DEADLY) == 1
    town.is_cured = True
    assert not town.dies()
    assert town.asked.count(DEADLY) == 2
    assert town.page(DEADLY).visits == 1


def test_one_that_was_read_since_begins_anew(town: Town) -> None:
    for _ in range(MOST_DEATHS - 1):
        assert town.dies()
    town.is_cured = True
    assert not town.dies()
    town.is_cured = False
    for _ in range(MOST_DEATHS):
        town.crawl.make_due(DEADLY)
        assert town.dies()
    town.crawl.make_due(DEADLY)
    assert not town.dies()


def test_after_its_rest_it_has_one_more_try(town: Town) -> None:
    for _ in range(MOST_DEATHS):
        assert town.dies()
    assert not town.dies()
    town.crawl.make_due(DEADLY)
    assert town.dies()
    assert not town.dies()
    assert town.page(DEADLY).failures == 2


def test_a_run_that_ends_well_leaves_nothing_behind(town: Town) -> None:
    town.is_cured = True
    assert not town.dies()
    assert list(town.crawl.folder.journal.iterdir()) == []
