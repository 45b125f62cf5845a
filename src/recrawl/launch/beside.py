"""Small processes beside a running crawl: one keeps the index fresh, one tells others what changed.

Last in line for the processor, never in the crawl's way, ended with it. What they leave undone is taken up next time.
"""

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from importlib import import_module

from recrawl.config import Settings
from recrawl.engine.clock import SystemClock
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.launch.process import die_with_parent
from recrawl.model.failure import RecrawlError, StoreAway, StoreInUse

POLITE = 19  # nice: fetching always goes first
LOOK_EVERY_S = 0.5
AGAIN_S = 10.0  # a database that was away is looked for again
FIRST_S = 0.1  # a crawl that has ended by then and visited nothing has left nothing to do
LAST_S = 1.0  # after the crawl has ended a helper may go on this long, whatever it is doing

# Imported by the helper itself, so that a crawl without it need not wait for what it never uses.
INDEX, WEBHOOKS = "recrawl.answers.indexing", "recrawl.messages.webhooks"

Ended = Callable[[float], bool]  # waits so many seconds; True: the crawl has ended
Complain = Callable[[str], None]


@contextmanager
def helpers(folder: Folder, settings: Settings, visits: Callable[[], int], complain: Complain) -> Iterator[None]:
    """Those that the settings ask for, as long as the block lasts. Called before any thread or connection is there:
    it forks. `visits`: how many the crawl has made so far."""
    with ExitStack() as stack:
        if settings.search.beside:
            indexing = partial(_index, folder, settings, visits)
            stack.enter_context(_beside(indexing, "the search index", complain))
        if settings.webhooks.urls:
            stack.enter_context(_beside(lambda ended: _tell(folder, settings, complain, ended), "webhooks", complain))
        yield


@contextmanager
def _beside(work: Callable[[Ended], None], name: str, complain: Complain) -> Iterator[None]:
    until, ending = os.pipe()
    done, doing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ending)
        os.close(done)
        _be_child(work, name, until, complain)
    os.close(until)
    os.close(doing)
    try:
        yield
    finally:
        os.close(ending)  # the child sees the end of the pipe
        if not select.select([done], [], [], LAST_S)[0]:
            os.kill(child, signal.SIGTERM)  # its last step is undone, and done again by who comes next
        os.waitpid(child, 0)
        os.close(done)


def _be_child(work: Callable[[Ended], None], name: str, until: int, complain: Complain) -> None:
    """Never returns. Whatever goes wrong here is not the crawl's business."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        die_with_parent()
        os.nice(POLITE)
        outlast(work, name, lambda wait_s: bool(select.select([until], [], [], wait_s)[0]), complain)
    except RecrawlError as error:
        complain(f"{name}: given up until the next run: {error}")
    finally:
        if sys.exc_info()[0]:
            complain(f"{name}: given up until the next run, by a fault of recrawl itself:\n{traceback.format_exc()}")
        os._exit(0)


def outlast(work: Callable[[Ended], None], name: str, ended: Ended, complain: Complain) -> None:
    """A crawl over a database goes on by itself when that comes back, for months: so do its helpers. What
    keeps them is said once, not at every try."""
    told = ""
    while True:
        try:
            return work(ended)
        except (StoreAway, StoreInUse) as error:
            if told != str(error):
                complain(f"{name}: rests until the store is back: {error}")
            told = str(error)
        if ended(AGAIN_S):
            return


def _index(folder: Folder, settings: Settings, visits: Callable[[], int], ended: Ended) -> None:
    if ended(FIRST_S) and not visits():
        return
    clock = SystemClock()
    indexer = import_module(INDEX).indexer
    with closing(open_store(folder, settings)) as store, indexer(folder, settings, store) as following:
        while not ended(LOOK_EVERY_S):
            following.catch_up(lambda: not ended(0.0))
        end_at = clock.now() + LAST_S / 2
        following.catch_up(lambda: clock.now() < end_at)


def _tell(folder: Folder, settings: Settings, complain: Complain, ended: Ended) -> None:
    couriers = import_module(WEBHOOKS).couriers
    with closing(open_store(folder, settings)) as store, couriers(folder, settings, store, complain) as all_of_them:
        while not ended(LOOK_EVERY_S):
            _round(all_of_them.deliver, lambda: not ended(0.0))
        end_at = SystemClock().now() + LAST_S / 2
        _round(all_of_them.deliver, lambda: SystemClock().now() < end_at)


def _round(deliver: Callable[[], int], go_on: Callable[[], bool]) -> None:
    while go_on() and deliver():
        continue
