"""Crawlee's parsel crawler on the bench site, with its file storage on. Runs in its own environment.

python rival_crawlee.py FOLDER MOST PARALLEL SEED...
"""

import asyncio
import logging
import sys
from pathlib import Path

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import FileSystemStorageClient

FOLDER, MOST, PARALLEL, *SEEDS = sys.argv[1:]


async def main() -> None:
    pages = 0
    slots = int(PARALLEL) * len(SEEDS)
    crawler = ParselCrawler(
        storage_client=FileSystemStorageClient(),
        max_requests_per_crawl=int(MOST) or None,
        concurrency_settings=ConcurrencySettings(
            min_concurrency=slots, max_concurrency=slots, desired_concurrency=slots
        ),
        respect_robots_txt_file=True,
        configure_logging=False,
    )
    logging.disable(logging.WARNING)

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        nonlocal pages
        pages += 1
        await context.enqueue_links(strategy="all")

    await crawler.run(SEEDS)
    (Path(FOLDER) / "pages.txt").write_text(str(pages))


asyncio.run(main())
