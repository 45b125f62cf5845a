"""A crawl started from Python keeps to what others have spent of the day."""

import asyncio
import time
from pathlib import Path

import recrawl
from recrawl.engine.scheduling.spending import Spending, spent_memo
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.folder.settings import load
from recrawl.model.batch import Batch
from recrawl.schedule.budget import Budget
from recrawl.schedule.settings import DAY_S

NOBODY = "http://127.0.0.1:9/"


def _spent(folder: Folder, *requests: int) -> None:
    """As a crew of so many workers leaves it."""
    memos = []
    for number, count in enumerate(requests):
        worker, now = Spending([Budget("nobody", 10.0)]), time.time() + DAY_S  # midnight may pass meanwhile
        for _ in range(count):
            worker.begin("nobody", now)
        memos.append((spent_memo(str(number)), worker.memo(now, closing=True)))
    store = open_store(folder, load(folder))
    store.save(Batch(memos=tuple(memos)))
    store.close()


def test_what_a_crew_spent_of_the_day_counts(tmp_path: Path) -> None:
    async def main() -> dict[str, int]:
        async with recrawl.open(tmp_path / "D") as crawl:
            crawl.add(NOBODY, name="nobody", own=True, requests_per_day=8.0)
            _spent(crawl.folder, 4, 4)
            return await crawl.run()

    counts = asyncio.run(main())
    assert counts["requests"] == 0 and counts["held_back"]
