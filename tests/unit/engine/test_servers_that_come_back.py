"""A server goes to another worker and comes back: what that one learnt meanwhile holds, not what was known before."""

import asyncio
from pathlib import Path

from recrawl.config import Settings
from recrawl.detect.noise import TemplateNoise, Votes, memo_key, write_template
from recrawl.engine.asking.gate import Gate
from recrawl.engine.assembly import assemble
from recrawl.engine.tally import Tally
from recrawl.engine.worker import Order, Worker
from recrawl.folder.folder import Folder
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.server import RobotsFile, Server
from recrawl.model.site import Site

SERVER = "127.0.0.1:1"
PAGE = Page(1, f"http://{SERVER}/a", SERVER, "shop")
HOUR_S = 3600.0


def robots(body: bytes, fetched_at: float) -> RobotsFile:
    return RobotsFile(f"http://{SERVER}/robots.txt", fetched_at, 200, body, fetched_at + HOUR_S)


def test_what_another_worker_learnt_of_a_server_meanwhile_holds_when_it_comes_back(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "crawl")
    folder.create("")
    folder.put_site(Site("shop", (f"http://{SERVER}/",), own=(SERVER,)))
    asyncio.run(_given_away_and_taken_back(folder))


async def _given_away_and_taken_back(folder: Folder) -> None:
    async with assemble(folder, Settings(), "0") as parts:
        partition, now, store = {parts.partition(SERVER)}, parts.clock.now(), parts.store
        worker = Worker(parts, Order(), partition, Tally())
        worker.lanes.servers.adopt(Server(SERVER, parts.partition(SERVER)))
        store.save(Batch(robots=(robots(b"", now),)))
        assert worker.lanes.visitor.template(SERVER, 7) == TemplateNoise()
        assert worker.lanes.doors.said_of(PAGE, now).allowed

        await worker.give(partition)
        noise = TemplateNoise((Votes(1, noise=3),))
        forbids = robots(b"User-agent: *\nDisallow: /", now + 1)
        store.save(Batch(robots=(forbids,), memos=((memo_key(SERVER, 7), write_template(noise)),)))
        worker.take(partition)

        assert worker.lanes.visitor.template(SERVER, 7) == noise
        assert not worker.lanes.doors.said_of(PAGE, now + 1).allowed


def test_a_robots_file_that_another_worker_read_again_serves_when_ours_is_too_old() -> None:
    """Where one server leads to the file of another one, its pages waited for a file that nobody brought any more."""
    files = [robots(b"", 0.0)]
    gate = Gate("recrawl", lambda address: files[-1])
    assert gate.check(PAGE.url, 1.0).allowed
    assert gate.check(PAGE.url, HOUR_S + 1).ask_first
    files.append(robots(b"", HOUR_S))
    assert gate.check(PAGE.url, HOUR_S + 1).allowed
