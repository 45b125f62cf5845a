"""One request outside a crawl, for `recrawl robots` and `doctor`."""

import asyncio

from recrawl.config import Settings
from recrawl.engine.assembly import fetcher_of
from recrawl.engine.clock import SystemClock
from recrawl.model.visit import Ask, Reply


def ask_once(url: str, own: tuple[str, ...], settings: Settings) -> Reply:
    async def main() -> Reply:
        fetcher = fetcher_of(settings, SystemClock())
        try:
            return await fetcher.fetch(Ask(url, own=own, limits=settings.limits))
        finally:
            await fetcher.close()

    return asyncio.run(main())
