"""Documents of known pages wait for each other: none is lost or read twice, and no server is asked twice at once."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, Yielding, page

from recrawl.engine import worker
from recrawl.engine.asking import shelf
from recrawl.engine.asking.convoy import Convoy, Lane
from recrawl.engine.asking.shelf import Shelf, Unread
from recrawl.fetch.journal import Journal
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.model.visit import Ask, Evidence, Reply

PAGES = [f"/{number}" for number in range(60)]
NOISY, BROKEN = "/13", "/7"
URL = "http://127.0.0.1:9"


class Changing:
    """A site of which every third page changes from one edition to the next, and one page says something else each
    time it is asked for."""

    def __init__(self) -> None:
        self.edition, self._asked = 0, 0

    def __call__(self, path: str) -> Canned:
        self._asked += 1
        if path == "/":
            return Canned(page("home", "A page that leads to all others.", PAGES).body, headers=self._headers("home"))
        if path not in PAGES:
            return Canned(b"", 404)
        edition = self.edition if int(path[1:]) % 3 == 1 else 0
        words = f"What page {path} has to say in edition {edition}. " * 20
        if path == NOISY:
            words = f"{'Always the same. ' * 40} You are visitor number {self._asked}."
            return Canned(page(path, words).body, headers=(("content-type", "text/html"),))
        return Canned(page(path, words).body, headers=self._headers(f"{path}-{edition}"))

    def _headers(self, tag: str) -> tuple[tuple[str, str], ...]:
        return ("content-type", "text/html"), ("etag", f'"{tag}"')


@pytest.fixture
def site() -> Changing:
    return Changing()


def crawled(path: Path, site: Changing, parallel: int) -> Crawl:
    crawl = Crawl(path, site)
    crawl.add(Site("shop", (f"{URL}/",), own=("127.0.0.1:9",), parallel=parallel))
    crawl.run()
    crawl.make_all_due()
    site.edition = 1
    return crawl


def visits_and_versions(crawl: Crawl) -> dict[str, tuple[int, int]]:
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        pages = [one for one in store.scan(limit=1000) if "robots" not in one.url]
        return {one.url.removeprefix(URL): (one.visits, len(store.versions(one.id))) for one in pages}


def changing(path: str) -> bool:
    return path != "/" and int(path[1:]) % 3 == 1


@pytest.mark.parametrize("parallel", [1, 4])
def test_lanes_go_on_while_documents_wait_and_each_is_read_once(
    parallel: int, site: Changing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl, read = crawled(tmp_path, site, parallel), list[list[Unread]]()
    taken = Convoy.unread

    def counted(convoy: Convoy, lane: Lane) -> list[Unread]:
        if unread := taken(convoy, lane):
            read.append(unread)
        return unread

    monkeypatch.setattr(Convoy, "unread", counted)
    crawl.run()
    came = [one.page.url for unread in read for one in unread]
    assert len(came) == len(set(came)) == sum(map(changing, PAGES))
    assert len(read) <= len(came) / 3
    assert visits_and_versions(crawl) == {
        path: (2, 2 if changing(path) and path != NOISY else 1) for path in ("/", *PAGES)
    }


def test_a_second_look_waits_for_what_its_lane_has_under_way(
    site: Changing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl, under_way, most = crawled(tmp_path, site, 1), 0, 0
    fetch = Yielding.fetch

    async def counted(fetcher: Yielding, ask: Ask) -> Reply:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        try:
            return await fetch(fetcher, ask)
        finally:
            under_way -= 1

    monkeypatch.setattr(Yielding, "fetch", counted)
    assert crawl.run().count(NOISY) == 2
    assert most == 1


def test_a_fault_of_ours_with_one_document_is_nothing_to_those_it_waited_with(
    site: Changing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = crawled(tmp_path, site, 2)
    takes = Shelf.takes

    def poisoned(one: Shelf, known: Page, reply: Reply, asked_at: float, now: float) -> bool:
        may_wait = takes(one, known, reply, asked_at, now)
        if known.url.endswith(BROKEN):
            object.__setattr__(reply, "headers", None)  # nobody can read it
        return may_wait

    monkeypatch.setattr(Shelf, "takes", poisoned)
    crawl.run()
    assert crawl.worker is not None
    assert crawl.worker.tally.as_dict()["errors"] == 1
    found = visits_and_versions(crawl)
    assert all(found[path][1] == 2 for path in PAGES if changing(path) and path not in (NOISY, BROKEN))


def test_what_waits_is_read_at_a_stop_though_its_lane_waits_for_an_answer_that_does_not_come(
    site: Changing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl, came = crawled(tmp_path, site, 1), list[str]()
    fetch, gather = Yielding.fetch, Journal.gather

    def counted(journal: Journal, number: int, reply: Reply) -> None:
        if reply.evidence is Evidence.DOCUMENT:
            came.append(reply.ask.url.removeprefix(URL))
        gather(journal, number, reply)

    async def hung(fetcher: Yielding, ask: Ask) -> Reply:
        if len(came) == 3:
            assert crawl.worker is not None
            crawl.worker.stop()
            await asyncio.Event().wait()
        return await fetch(fetcher, ask)

    monkeypatch.setattr(Journal, "gather", counted)
    monkeypatch.setattr(Yielding, "fetch", hung)
    monkeypatch.setattr(worker, "STOP_WITHIN_S", 0.01)
    crawl.run()
    found = visits_and_versions(crawl)
    assert [found[path] for path in came] == [(2, 1 if path == NOISY else 2) for path in came]


def test_nothing_waits_where_each_visit_is_written_before_the_next_request(
    site: Changing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl, sizes = crawled(tmp_path, site, 2), list[int]()
    taken = Convoy.unread

    def counted(convoy: Convoy, lane: Lane) -> list[Unread]:
        sizes.append(len(unread := taken(convoy, lane)))
        return unread

    crawl.each_visit = True
    monkeypatch.setattr(Convoy, "unread", counted)
    crawl.run()
    assert max(sizes) == 1


def test_what_waits_is_read_when_there_is_enough_of_it_or_it_has_waited_for_long() -> None:
    known = Page(1, f"{URL}/1", "127.0.0.1:9", "shop", body_digest="sha256:ab")
    small, large = (
        Reply(Ask(known.url), 0.0, Evidence.DOCUMENT, body=b"x" * size) for size in (1_000, shelf.ENOUGH_BYTES // 4)
    )

    one = Shelf()
    assert not one.takes(Page(2, f"{URL}/2", "127.0.0.1:9", "shop"), small, 0.0, 0.0)  # a first visit
    one.give([Unread(known, None, small)])  # type: ignore[arg-type]
    assert not one.takes(known, small, 0.0, 2 * shelf.PROMPT_S)  # a slow server
    one.give([Unread(known, None, small)])  # type: ignore[arg-type]
    assert one.takes(known, small, 0.0, 0.0)
    assert not one.is_due(shelf.PATIENCE_S / 2)
    assert one.is_due(2 * shelf.PATIENCE_S)
    assert one.is_due(0.0)  # until it is empty
    one.give([Unread(known, None, small)])  # type: ignore[arg-type]
    assert [one.takes(known, large, 0.0, 0.0) and not one.is_due(0.0) for _ in range(4)] == [True, True, True, False]
    many = Shelf()
    assert [many.takes(known, small, 0.0, 0.0) and not many.is_due(0.0) for _ in range(shelf.ENOUGH)].count(False) == 1
