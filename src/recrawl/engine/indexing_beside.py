"""A small process beside a running crawl that keeps the index fresh: last in line for the processor, its own file."""

import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from recrawl.config import Settings
from recrawl.engine.assembly import open_store
from recrawl.engine.clock import SystemClock
from recrawl.engine.folder import Folder
from recrawl.engine.indexing import indexer
from recrawl.engine.process import die_with_parent
from recrawl.model.failure import RecrawlError

POLITE = 19  # nice: fetching always goes first
LOOK_EVERY_S = 0.5
LAST_S = 1.0  # after the crawl has ended it may go on this long; what is left the next search takes up


@contextmanager
def indexing_beside(folder: Folder, settings: Settings, complain: Callable[[str], None]) -> Iterator[None]:
    """Index as long as the block lasts. Called before any thread or connection is there: it forks."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        _be_child(folder, settings, reading, complain)
    os.close(reading)
    try:
        yield
    finally:
        os.close(writing)  # the child sees the end of the pipe
        os.waitpid(child, 0)


def _be_child(folder: Folder, settings: Settings, until: int, complain: Callable[[str], None]) -> None:
    """Never returns. Whatever goes wrong here is not the crawl's business."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        die_with_parent()
        os.nice(POLITE)
        _follow(folder, settings, until)
    except RecrawlError as error:
        complain(f"the search index rests until the next search: {error}")
    finally:
        os._exit(0)


def _follow(folder: Folder, settings: Settings, until: int) -> None:
    clock = SystemClock()
    with (
        closing(open_store(folder, settings)) as store,
        indexer(folder, settings, store) as following,
    ):
        while not _ended(until, LOOK_EVERY_S):
            following.catch_up(lambda: not _ended(until, 0.0))
        end_at = clock.now() + LAST_S
        following.catch_up(lambda: clock.now() < end_at)


def _ended(until: int, wait_s: float) -> bool:
    return bool(select.select([until], [], [], wait_s)[0])
