"""The index follows the events of the store: each once, in whatever company."""

from dataclasses import replace

import pytest

from recrawl.answers.indexing import BATCH, Indexer
from recrawl.index.query import parse
from recrawl.index.weights import WEIGHTS
from recrawl.index.words import joined
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.document import Block, Document, Media
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import NotFound
from recrawl.model.page import Page, Status
from recrawl.model.record import Record
from recrawl.model.search import Question, Step
from recrawl.model.visit import Version
from recrawl.store.memory import MemoryStore
from recrawl.store.search.memory import MemorySearch


class Town:
    """A store whose pages change at a word."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.texts: dict[tuple[int, float], Document] = {}
        self.at = 100.0

    def page(self, name: str) -> Page:
        url = f"http://a.example/{name}"
        known = self.store.pages([fingerprint(url)])
        return known[0] if known else Page(fingerprint(url), url, "a.example", "town")

    def write(self, name: str, text: str, *directives: str, kind: EventKind = EventKind.UPDATED) -> None:
        self.at += 10
        page = replace(self.page(name), status=Status.LIVE, changed_at=self.at)
        document = Document(Media.HTML, title=name, main=(Block(1, text),), directives=frozenset(directives))
        self.texts[page.id, self.at] = document
        version = Version(page.id, self.at, "sha256:" + "00" * 32, "f", 0, 1, 1, 1)
        event = Event(kind, self.at, page.url, page.site, page.id)
        self.store.save(Batch(pages=(page,), versions=(version,), events=(event,)))

    def end(self, name: str, status: Status = Status.GONE, kind: EventKind = EventKind.REMOVED) -> None:
        self.at += 10
        page = replace(self.page(name), status=status)
        self.store.save(Batch(pages=(page,), events=(Event(kind, self.at, page.url, page.site, page.id),)))

    def read(self, page: Page, version: Version) -> Document:
        if (page.id, version.at) not in self.texts:
            raise NotFound("no copy")
        return self.texts[page.id, version.at]


@pytest.fixture
def town() -> Town:
    return Town()


def indexer(town: Town, index: MemorySearch | None = None, history: bool = False) -> Indexer:
    return Indexer(town.store, index or MemorySearch(joined, WEIGHTS, history), town.read, history)


def found(following: Indexer, text: str, as_of_at: float | None = None) -> list[str]:
    question = replace(parse(text, 0.0), as_of_at=as_of_at)
    return sorted(hit.entry.title for hit in following.index.find(question, 100).hits)


def test_a_changed_word_is_found_and_the_old_one_is_not(town: Town) -> None:
    following = indexer(town)
    town.write("one", "fog")
    following.catch_up()
    assert found(following, "fog") == ["one"]
    town.write("one", "sun")
    assert following.behind() == 1
    following.catch_up()
    assert found(following, "fog") == []
    assert found(following, "sun") == ["one"]
    assert following.behind() == 0


def test_gone_moved_and_hidden_pages_leave_and_may_come_back(town: Town) -> None:
    following = indexer(town)
    for name in ("gone", "moved", "hidden", "kept"):
        town.write(name, "fog")
    following.catch_up()
    town.end("gone")
    town.end("moved", Status.MOVED, EventKind.MOVED)
    town.write("hidden", "fog too", "noindex")
    following.catch_up()
    assert found(following, "fog") == ["kept"]
    town.write("gone", "fog again", kind=EventKind.ADDED)
    following.catch_up()
    assert found(following, "fog") == ["gone", "kept"]


def test_a_page_whose_date_has_passed_leaves_with_its_next_change(town: Town) -> None:
    following = indexer(town)
    town.write("fair", "fog", "unavailable_after:1970-01-01 00:05:00")
    following.catch_up()
    assert found(following, "fog") == ["fair"]
    after = replace(town.page("fair"), checked_at=301.0)  # no copy of what changed is kept any more
    town.store.save(Batch(pages=(after,), events=(Event(EventKind.UPDATED, 301.0, after.url, "town", after.id),)))
    following.catch_up()
    assert found(following, "fog") == []


def test_a_copy_that_cannot_be_read_is_passed_over(town: Town) -> None:
    town.write("one", "fog")
    town.write("two", "fog")
    del town.texts[town.page("one").id, 110.0]
    following = indexer(town)
    following.catch_up()
    assert found(following, "fog") == ["two"]


def test_records_of_the_version_are_found(town: Town) -> None:
    town.write("one", "fog")
    page = town.page("one")
    data = {"name": "Lantern", "offers": [{"price": 12.5, "seller": "Mill"}], "sold": True, "none": None}
    town.store.save(Batch(records=(Record(page.id, town.at, data=data),)))
    following = indexer(town)
    following.catch_up()
    assert found(following, "records:lantern") == found(following, "mill") == found(following, "12.5") == ["one"]
    assert found(following, "true") == []


class Raced(MemorySearch):
    """Just before its first step somebody else takes the same one."""

    def __init__(self) -> None:
        super().__init__(joined, WEIGHTS)
        self.rival: Indexer | None = None
        self.answers: list[bool] = []

    def apply(self, step: Step) -> bool:
        if self.rival:
            rival, self.rival = self.rival, None
            rival.step()
        self.answers.append(super().apply(step))
        return self.answers[-1]


def test_two_who_feed_one_index_take_each_event_once(town: Town) -> None:
    index = Raced()
    first, index.rival = indexer(town, index), indexer(town, index)
    for number in range(BATCH + 10):
        town.write(f"p{number}", "fog")
    first.catch_up()
    assert index.answers == [True, False, True]
    assert index.cursor() == BATCH + 10
    assert index.find(parse("fog", 0.0)).total == BATCH + 10


def test_an_interrupted_indexer_goes_on_where_it_stood(town: Town) -> None:
    for number in range(3 * BATCH):
        town.write(f"p{number}", "fog")
    index = MemorySearch(joined, WEIGHTS)
    assert indexer(town, index).step() == BATCH
    assert index.find(parse("fog", 0.0)).total == BATCH
    assert indexer(town, index).catch_up() == 2 * BATCH
    assert index.find(parse("fog", 0.0)).total == 3 * BATCH


def test_the_index_of_all_versions_knows_what_was_current_when(town: Town) -> None:
    town.write("one", "fog")  # at 110
    town.write("one", "sun")  # at 120
    town.end("one")  # at 130
    town.write("one", "fog returns", kind=EventKind.ADDED)  # at 140
    following = indexer(town, history=True)
    following.catch_up()
    assert found(following, "fog", 105.0) == []
    assert found(following, "fog", 115.0) == ["one"]
    assert found(following, "fog", 125.0) == [] and found(following, "sun", 125.0) == ["one"]
    assert found(following, "sun", 135.0) == found(following, "fog", 135.0) == []
    assert found(following, "fog", 999.0) == ["one"]
    assert following.index.find(Question()).total == 3
