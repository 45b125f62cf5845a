"""A link to https where nobody speaks TLS keeps nobody from the http pages of the same host and port."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.towns import Town, serving

import recrawl
from recrawl.answers.chances import waiting
from recrawl.answers.reading import reading
from recrawl.engine.asking.gate import robots_file
from recrawl.folder.folder import Folder
from recrawl.model.visit import Ask, Evidence, Reply


@pytest.fixture
def town() -> Iterator[Town]:
    def page(path: str) -> str:
        links = f'<a href="https://{town.name}/safe">safe</a><a href="/a">a</a><a href="/b">b</a>'
        return f"<html><body><p>words of {path}</p>{links}</body></html>"

    with serving(page) as town:
        yield town


def test_http_pages_are_visited_and_the_other_waits_for_its_robots_txt(town: Town, tmp_path: Path) -> None:
    async def crawl() -> None:
        async with recrawl.open(tmp_path) as here:
            here.add(town.url, own=True)
            await here.run()

    asyncio.run(crawl())
    assert sorted(town.asked) == ["/", "/a", "/b", "/robots.txt"]
    with reading(Folder(tmp_path)) as found:
        [left] = [page for page in found.store.scan() if not page.visits]
        held = waiting(found, left.found_at)
    assert left.url.startswith("https://")
    assert held.due == 1 and "robots.txt could not be read" in held.hindrances[0].says
    assert ".;" not in held.sentence(left.found_at)


def test_a_robots_txt_that_cannot_be_had_is_asked_for_ever_more_rarely() -> None:
    url, at, waits_s, previous = "https://town.example/robots.txt", 1e9, list[float](), None
    for _ in range(10):
        previous = robots_file(url, Reply(Ask(url), at, Evidence.FAILED), at, previous)
        waits_s.append(previous.expires_at - at)
        at = previous.expires_at
    assert waits_s == [300.0, 600.0, 1200.0, 2400.0, 4800.0, 9600.0, 19200.0, 21600.0, 21600.0, 21600.0]
    answered = robots_file(url, Reply(Ask(url), at, Evidence.MISSING, 404), at, previous)
    assert robots_file(url, Reply(Ask(url), at, Evidence.FAILED), at, answered).expires_at == at + 300.0
