"""The condition of a request is about one page, wherever Scrapy takes its headers."""

import asyncio
from pathlib import Path

from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from recrawl.engine.guest import Guest
from recrawl.scrapy.middleware import RevisitMiddleware
from recrawl.scrapy.replies import reply_of

URL = "http://site.example/old"
HEADERS = {"Content-Type": "text/html", "ETag": '"1"', "Last-Modified": "Sun, 15 Nov 2026 10:00:00 GMT"}


async def visited(guest: Guest) -> None:
    page = guest.page(URL)
    assert page is not None
    answer = HtmlResponse(URL, headers=HEADERS, body=b"<title>Old</title><p>Something that is kept.</p>")
    await guest.tell(page, reply_of(Request(URL), answer, guest.question(page, None), guest.now()))


def conditions(request: Request) -> set[str]:
    return {name.decode() for name in request.headers if name.startswith(b"If-")}


def test_a_redirect_does_not_take_the_condition_along(tmp_path: Path) -> None:
    guest = Guest(str(tmp_path / "crawl"), "docs", (URL,))
    asyncio.run(visited(guest))
    middleware = RevisitMiddleware(guest, StatsCollector(get_crawler()), everything=True)
    first = Request(URL)
    assert middleware.process_request(first) is None
    assert conditions(first) == {"If-None-Match", "If-Modified-Since"}
    redirected = first.replace(url="http://site.example/new")
    assert middleware.process_request(redirected) is None
    assert conditions(redirected) == set()
    elsewhere = first.replace(url="http://site.example/new", meta={**first.meta, "recrawl": False})
    assert middleware.process_request(elsewhere) is None
    assert conditions(elsewhere) == set()
    own = Request("http://site.example/new", headers={"If-None-Match": '"mine"'}, meta={"recrawl": False})
    assert middleware.process_request(own) is None
    assert conditions(own) == {"If-None-Match"}
    guest.close()
