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
