"""A program of a user of the library, for the type checker: it is never run."""

import asyncio
from collections.abc import Iterable

import recrawl
from recrawl.schedule import Diary, Look, policy


async def main() -> None:
    async with recrawl.open("folder", contact="you@example.org") as crawl:
        site: recrawl.Site = crawl.add("https://example.com/", own=False, depth=2)
        counts: dict[str, int] = await crawl.run(once=True)
        pages: Iterable[recrawl.Page] = crawl.pages(site.name)
        for page in pages:
            versions: list[recrawl.Version] = crawl.versions(page.url)
            document: recrawl.Document = crawl.document(page.url)
            print(page.url, page.due_at, len(versions), document.title, counts["new"])
        async for change in crawl.changes(since=0):
            if change.kind is recrawl.EventKind.UPDATED:
                print(change.cursor, change.url, change.share_changed)


def scheduled(now: float) -> list[str]:
    diary = Diary(policy("value"), requests_per_day=100.0, now=now)
    diary.saw([Look("https://example.com/", at=now)])
    return diary.due(now + 86_400.0)


try:
    asyncio.run(main())
except recrawl.RecrawlError as error:
    print(error, error.exit_code)
