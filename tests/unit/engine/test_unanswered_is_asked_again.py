"""Left unanswered on a kept connection, whatever a lane asks for is asked for once more: robots.txt and lists, too."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from recrawl.config import Settings
from recrawl.engine.assembly import assemble
from recrawl.engine.tally import Count, Tally
from recrawl.engine.worker import Order, Worker
from recrawl.fetch.evidence import failed
from recrawl.fetch.memory import Canned, MemoryFetcher, reply_from
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.failure import Failure
from recrawl.model.page import Status
from recrawl.model.site import Site
from recrawl.model.visit import Ask, Reply

SITE = "http://127.0.0.1:9"
LIST = f"<urlset><url><loc>{SITE}/listed</loc></url></urlset>".encode()
ANSWERS = {
    "/robots.txt": Canned(f"User-agent: *\nAllow: /\nSitemap: {SITE}/sitemap.xml\n".encode()),
    "/sitemap.xml": Canned(LIST, headers=(("content-type", "application/xml"),)),
    "/": Canned(b"<title>Front</title><p>The front page leads on.</p><a href=/a>a</a>"),
    "/a": Canned(b"<title>A</title><p>The page a says something.</p>"),
    "/listed": Canned(b"<title>Listed</title><p>The listed page says something.</p>"),
}


@pytest.mark.parametrize("silent", [*ANSWERS, "all of them"])
def test_what_was_left_unanswered_is_asked_for_once_more_over_a_new_connection(tmp_path: Path, silent: str) -> None:
    folder, tally, asked = Folder(tmp_path), Tally(), list[Ask]()
    folder.create("")
    folder.put_site(Site("site", seeds=(SITE + "/",), own=("127.0.0.1",)))

    def answer(ask: Ask, now: float) -> Reply:
        asked.append(ask)
        path = ask.url.removeprefix(SITE)
        if silent in (path, "all of them") and not ask.fresh:
            return failed(ask, now, Failure.RESET, "hung up", unanswered=True)
        return reply_from(ask, ANSWERS[path], now)

    async def run() -> None:
        async with assemble(folder, Settings(), "0") as parts:
            await parts.fetcher.close()
            parts.fetcher = MemoryFetcher(lambda ask: answer(ask, parts.clock.now()), parts.clock.now)
            await Worker(parts, Order(once=True), range(parts.store.partitions), tally).run()

    asyncio.run(run())
    for path in ANSWERS:
        expected = [False, True] if silent in (path, "all of them") else [False]
        assert [ask.fresh for ask in asked if ask.url == SITE + path] == expected
    assert tally[Count.REQUESTS] == len(asked)
    assert tally[Count.ERRORS] == tally[Count.FAILED] == 0
    with closing(open_store(folder, Settings())) as store:
        live = {page.url.removeprefix(SITE) for page in store.scan(limit=100) if page.status is Status.LIVE}
    assert live >= {"/", "/a", "/listed"}


def test_a_second_look_that_was_left_unanswered_is_no_fault_of_ours(tmp_path: Path) -> None:
    folder, prices, asked = Folder(tmp_path), ["10"], list[Ask]()
    folder.create("")
    folder.put_site(Site("site", seeds=(SITE + "/",), own=("127.0.0.1",)))
    text = "<p>This page has a good deal to say, and says it at length.</p>" * 20

    def answer(ask: Ask, now: float) -> Reply:
        asked.append(ask)
        if ask.url != SITE + "/":
            return reply_from(ask, Canned(b"", 404), now)
        if ask.headers and not ask.fresh:
            return failed(ask, now, Failure.RESET, "hung up", unanswered=True)
        return reply_from(ask, Canned(f"<title>Shop</title>{text}<p>It costs {prices[-1]} today.</p>".encode()), now)

    async def run() -> Tally:
        tally = Tally()
        async with assemble(folder, Settings(), "0") as parts:
            await parts.fetcher.close()
            parts.fetcher = MemoryFetcher(lambda ask: answer(ask, parts.clock.now()), parts.clock.now)
            await Worker(parts, Order(once=True), range(parts.store.partitions), tally).run()
        return tally

    asyncio.run(run())
    with closing(open_store(folder, Settings())) as store:
        store.make_due(1.0)
    prices.append("11")
    asked.clear()
    tally = asyncio.run(run())
    looks = [(bool(ask.headers), ask.fresh) for ask in asked if ask.url == SITE + "/"]
    assert looks == [(False, False), (True, False), (False, True), (True, True)]
    assert tally[Count.ERRORS] == 0
    with closing(open_store(folder, Settings())) as store:
        (seen,) = [page for page in store.scan(limit=100) if page.url == SITE + "/"]
    assert (seen.failures, seen.visits, seen.changes) == (0, 2, 1)
