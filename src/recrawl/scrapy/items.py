"""Items from pages that are new or changed, and from no others, where the project asks for it."""

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from recrawl.scrapy.middleware import CHANGE
from recrawl.scrapy.replies import KEPT

WISHES = ("all", "changed")
OLD_NEWS = frozenset({KEPT, "same"})


class OnlyFromChanges:
    """`RECRAWL_ITEMS = "changed"`. Requests go on: the way to a changed page may lead through unchanged ones."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "OnlyFromChanges":
        wish = crawler.settings.get("RECRAWL_ITEMS", "all")
        if wish not in WISHES:
            raise ValueError(f"RECRAWL_ITEMS is {wish!r}: write one of {', '.join(map(repr, WISHES))}")
        if wish == "all":
            raise NotConfigured
        return cls()

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        return (one for one in result if _is_wanted(one, response))

    async def process_spider_output_async(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for one in result:
            if _is_wanted(one, response):
                yield one


def _is_wanted(one: Any, response: Response) -> bool:
    return isinstance(one, Request) or response.meta.get(CHANGE) not in OLD_NEWS
