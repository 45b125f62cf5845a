"""The downloader middleware: not due, answer from the copy; due, ask with a condition and tell what came."""

import logging
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from recrawl.engine.guest import Guest
from recrawl.formats.moment import iso
from recrawl.model.failure import UsageError
from recrawl.model.page import Page, Status
from recrawl.model.visit import Reply
from recrawl.scrapy.replies import KEPT, failure_reply, reply_of, response_from, response_to

log = logging.getLogger(__name__)

CHANGE = "recrawl_change"  # in response.meta: new, same, changed, moved, gone, unknown, or kept (no request was made)
PAGE = "_recrawl_page"
ASK = "_recrawl_ask"
CONDITION = "_recrawl_condition"  # names of the headers that we put on a request: Scrapy takes them along on a redirect


class RevisitMiddleware:
    """`everything` (RECRAWL_ALL): ask for every page now, due or not."""

    def __init__(self, guest: Guest, stats: StatsCollector, everything: bool) -> None:
        self._guest, self._stats, self._everything = guest, stats, everything
        self._started_at = guest.now()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "RevisitMiddleware":
        folder = crawler.settings.get("RECRAWL_FOLDER")
        if not folder:
            raise UsageError('RECRAWL_FOLDER is not set: say where to remember, for example RECRAWL_FOLDER = "crawl"')
        spider: Any = crawler.spider or crawler.spidercls
        guest = Guest(folder, spider.name, tuple(getattr(spider, "start_urls", ())))
        assert crawler.stats is not None
        middleware = cls(guest, crawler.stats, crawler.settings.getbool("RECRAWL_ALL"))
        crawler.signals.connect(middleware.closed, signals.spider_closed)
        return middleware

    def process_request(self, request: Request) -> Response | None:
        for name in request.meta.pop(CONDITION, ()):
            request.headers.pop(name, None)
        page = self._page(request)
        if page is None:
            return None
        copy = self._guest.copy(page)
        if not (request.meta.get("retry_times") or self._is_wanted(page)):
            return self._spared(request, page, response_from(request, page, copy))
        ask = self._guest.question(page, copy)
        condition = {"If-None-Match": ask.etag, "If-Modified-Since": ask.last_modified}
        condition = {name: value for name, value in condition.items() if value}
        request.headers.update(condition)
        request.meta[PAGE], request.meta[ASK], request.meta[CONDITION] = page, ask, tuple(condition)
        return None

    async def process_response(self, request: Request, response: Response) -> Response:
        page = request.meta.pop(PAGE, None)
        ask = request.meta.pop(ASK, None)
        if page is None:
            return response
        reply = reply_of(request, response, ask, self._guest.now())
        await self._tell(request, page, reply)
        if response.status != 304:
            return response
        self._stats.inc_value("recrawl/spared_bytes", page.size_bytes)
        copy = self._guest.copy(page)
        return response if copy is None else response_to(request, copy, "not modified")

    async def process_exception(self, request: Request, exception: Exception) -> None:
        page = request.meta.pop(PAGE, None)
        ask = request.meta.pop(ASK, None)
        if page is not None:
            await self._tell(request, page, failure_reply(ask, exception, self._guest.now()))

    def closed(self) -> None:
        due_at = self._guest.next_due_at()
        self._guest.close()
        counts = {key: self._stats.get_value(f"recrawl/{key}", 0) for key in ("new", "changed", "same", KEPT)}
        log.info(
            "recrawl: %(new)d new, %(changed)d changed, %(same)d unchanged, %(kept)d not due and not asked for; ",
            counts,
        )
        if due_at is not None:
            log.info("recrawl: next page due %s", iso(due_at))

    def _page(self, request: Request) -> Page | None:
        """None: none of our business."""
        mine = request.method == "GET" and not request.body and request.meta.get("recrawl") is not False
        is_robots = bool(request.meta.get("dont_obey_robotstxt")) and request.url.endswith("/robots.txt")
        return self._guest.page(request.url) if mine and not is_robots else None

    def _is_wanted(self, page: Page) -> bool:
        if self._everything:
            return page.checked_at is None or page.checked_at < self._started_at
        return self._guest.is_due(page)

    def _spared(self, request: Request, page: Page, response: Response | None) -> Response:
        self._stats.inc_value(f"recrawl/{KEPT}")
        request.meta[CHANGE] = KEPT
        if response is not None:
            return response
        why = "gone" if page.status is Status.GONE else page.reason or "no copy is kept"
        raise IgnoreRequest(f"not due before {iso(page.due_at)} ({why})")

    async def _tell(self, request: Request, page: Page, reply: Reply) -> None:
        change = await self._guest.tell(page, reply, self._everything)
        request.meta[CHANGE] = change.value
        self._stats.inc_value(f"recrawl/{change.value}")
        if reply.status == 304:
            self._stats.inc_value("recrawl/not_modified")
