"""A page that cannot be shown has had its turn: what its scripts still wait for is not asked for."""

import asyncio
import sys
from pathlib import Path

from tests.unit.towns import Town, serving

from recrawl.config import Settings
from recrawl.engine.assembly import assemble
from recrawl.engine.tally import Count, Tally
from recrawl.engine.worker import Order, Worker
from recrawl.fetch.browser import Bring, Brought, Browser, NotShown, RenderSettings
from recrawl.folder.folder import Folder
from recrawl.model.site import Site

WANTED = 20


class Impatient(Browser):
    """Shows no page whose scripts want more than one file; they have asked for all of them by then."""

    def __init__(self) -> None:
        super().__init__(RenderSettings(), "")
        self.wishes: list[asyncio.Task[Brought | None]] = []

    async def shown(self, url: str, document: Brought, bring: Bring) -> str:
        wishes = [asyncio.ensure_future(bring(f"{url}data/{number}", "fetch", ())) for number in range(WANTED)]
        self.wishes += wishes
        await wishes[0]
        raise NotShown("it asks for more than 1 file")


def crawl(place: Path, town: Town, browser: Impatient) -> Tally:
    folder, tally = Folder(place), Tally()
    folder.create("")
    folder.put_site(Site("town", seeds=(town.url,), own=(town.name,), render=("/",)))
    settings = Settings(render=RenderSettings(sys.executable))  # any program that is there: it is not started

    async def run() -> None:
        async with assemble(folder, settings, "0") as parts:
            parts.browser = browser
            await asyncio.wait_for(Worker(parts, Order(once=True), range(parts.store.partitions), tally).run(), 60)

    asyncio.run(run())
    return tally


def test_nothing_more_is_asked_for_and_the_run_ends(tmp_path: Path) -> None:
    browser = Impatient()
    with serving(lambda path: "<html><body><p>Loading…</p></body></html>") as town:
        tally = crawl(tmp_path, town, browser)
        wanted = [path for path in town.asked if path.startswith("/data/")]
    assert wanted[0] == "/data/0"
    assert len(wanted) <= 2  # one was under way
    assert [wish.result() for wish in browser.wishes[len(wanted) :]] == [None] * (WANTED - len(wanted))
    assert tally[Count.FAILED] == 1 and tally[Count.REQUESTS] == len(town.asked)
