"""First visits are looked at where they come in, in step; what a look is not enough for is read by its lane."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.engine.asking.convoy import Convoy, Halt, Lane
from recrawl.engine.asking.revisit import Visitor
from recrawl.engine.finding.discover import Quarry
from recrawl.extract.document import Parsed
from recrawl.fetch.journal import Journal
from recrawl.fetch.memory import Canned
from recrawl.folder.death_watch import DeathWatch
from recrawl.folder.opening import open_store
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.model.visit import Reply, Why
from recrawl.scope.traps import Traps

PAGES = [f"/{number}" for number in range(30)]
SHORT, EMPTY, LISTING = "/3", "/5", "/8"
URL = "http://127.0.0.1:9"


def site(path: str) -> Canned:
    if path == "/":
        return page("home", "A page that leads to all others. " * 20, PAGES)
    if path == SHORT:
        return page("short", "Next to nothing.", ["/behind"])
    if path == EMPTY:
        return Canned(b"")
    if path == LISTING:
        return Canned(b"plain words", headers=(("content-type", "text/plain"),))
    return page(path, f"What page {path} has to say. " * 20) if path in (*PAGES, "/behind") else Canned(b"", 404)


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    crawl = Crawl(tmp_path, site)
    crawl.add(Site("shop", (f"{URL}/",), own=("127.0.0.1:9",), parallel=4))
    return crawl


def stored(crawl: Crawl) -> dict[str, Page]:
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        return {one.url.removeprefix(URL): one for one in store.scan(limit=1000) if "robots" not in one.url}


def test_no_lane_is_woken_for_a_page_that_a_look_is_enough_for(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    read, halts = list[str](), list[Halt]()
    visit, run = Visitor.visit, Convoy.run

    async def counted(visitor: Visitor, one: Page, *rest: object) -> object:
        read.append(one.url.removeprefix(URL))
        return await visit(visitor, one, *rest)  # type: ignore[arg-type]

    async def halted(convoy: Convoy, lane: Lane) -> Halt:
        halts.append(halt := await run(convoy, lane))
        return halt

    monkeypatch.setattr(Visitor, "visit", counted)
    monkeypatch.setattr(Convoy, "run", halted)
    assert sorted(crawl.run()) == sorted(["/", *PAGES, "/behind"])
    assert sorted(set(read) - {"/"}) == [SHORT, EMPTY, LISTING]  # the first page of a server is odd: robots.txt
    assert len(halts) < len(PAGES) / 2
    assert {one.visits for one in stored(crawl).values()} == {1}


def test_what_a_look_is_not_enough_for_is_opened_and_counted_once(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, counted = list[str](), list[str]()
    parsed, wants = Visitor._parsed, Traps.wants

    def noted(visitor: Visitor, reply: Reply, one: Page, quarry: Quarry, beside: Parsed | None = None) -> Parsed:
        opened.append(one.url.removeprefix(URL))
        return parsed(visitor, reply, one, quarry, beside)

    def wanted(traps: Traps, one: Page) -> bool:
        counted.append(one.url.removeprefix(URL))
        return wants(traps, one)

    monkeypatch.setattr(Visitor, "_parsed", noted)
    monkeypatch.setattr(Traps, "wants", wanted)
    crawl.run()
    assert sorted(opened) == sorted(counted) == sorted({"/", *PAGES, "/behind"})
    assert stored(crawl)[SHORT].text_digest and not stored(crawl)["/4"].text_digest


@pytest.mark.parametrize("step", ["opened", "looked_at"])
def test_a_fault_of_ours_costs_one_page_and_no_other(step: str, crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = getattr(Visitor, step)

    def faulty(visitor: Visitor, one: Page, *rest: object) -> object:
        if one.url.endswith("/7"):
            raise ZeroDivisionError("a fault of ours")
        return usual(visitor, one, *rest)

    monkeypatch.setattr(Visitor, step, faulty)
    assert sorted(crawl.run()) == sorted(["/", *PAGES, "/behind"])
    assert crawl.worker is not None
    assert crawl.worker.tally.as_dict()["errors"] == 1
    assert [path for path, one in stored(crawl).items() if "error of recrawl" in one.reason] == ["/7"]
    assert {one.visits for path, one in stored(crawl).items() if path != "/7"} == {1}


def test_each_is_in_the_journal_and_at_hand_before_it_is_read(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed, at_hand, gathered = set[int](), list[int](), set[int]()
    gather, flush, begin, looked_at = Journal.gather, Journal.flush, DeathWatch.begin, Visitor.looked_at

    def came(journal: Journal, number: int, reply: Reply) -> None:
        gathered.add(number)
        gather(journal, number, reply)

    def written(journal: Journal) -> None:
        flush(journal)
        flushed.update(gathered)

    def begun(watch: DeathWatch, number: int) -> None:
        at_hand.append(number)
        begin(watch, number)

    def looked(visitor: Visitor, one: Page, why: Why, *rest: object) -> object:
        assert one.id in flushed
        found = looked_at(visitor, one, why, *rest)  # type: ignore[arg-type]
        assert at_hand[-1] == one.id
        return found

    monkeypatch.setattr(Journal, "gather", came)
    monkeypatch.setattr(Journal, "flush", written)
    monkeypatch.setattr(DeathWatch, "begin", begun)
    monkeypatch.setattr(Visitor, "looked_at", looked)
    crawl.run()
    assert len(flushed) >= len(PAGES)


def test_where_each_visit_is_written_first_no_lane_goes_on_before(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl.each_visit = True
    looked_at, unwritten = Visitor.looked_at, list[int]()

    def looked(visitor: Visitor, one: Page, *rest: object) -> object:
        assert crawl.worker is not None
        unwritten.append(crawl.worker.settler.unwritten)
        return looked_at(visitor, one, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Visitor, "looked_at", looked)
    assert sorted(crawl.run()) == sorted(["/", *PAGES, "/behind"])
    assert max(unwritten) < 4  # one for each other lane
