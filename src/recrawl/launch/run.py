"""A run from the outside: lock the folder, mend what a crash left, start the workers, say how it ended."""

import asyncio
import gc
import os
import signal
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from importlib import import_module
from typing import Any

from recrawl.answers.chances import Waiting, waiting
from recrawl.answers.reading import Reading
from recrawl.config import Settings
from recrawl.engine.adoption import orphaned
from recrawl.engine.allocator import tune
from recrawl.engine.assembly import assemble
from recrawl.engine.clock import SystemClock
from recrawl.engine.finding.followed import follow_from
from recrawl.engine.hearsay import Hearsay
from recrawl.engine.quarries import adopt_pages, readmit_pages
from recrawl.engine.scheduling.spending_together import share_out
from recrawl.engine.set_right import set_right
from recrawl.engine.sharing import Mates, Owners
from recrawl.engine.tally import Board, Count, Tally
from recrawl.engine.worker import Order, Worker
from recrawl.fetch.journal import forget
from recrawl.folder.folder import Folder
from recrawl.folder.log import LogFile
from recrawl.folder.mending import mended
from recrawl.folder.opening import open_store
from recrawl.folder.site_check import check_together
from recrawl.frontier.split import split
from recrawl.launch.beside import helpers
from recrawl.launch.process import ENDING, Crew
from recrawl.model.address import partition_of
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import NothingAllowed, StoreAway, TooManyFailures, UsageError, WorkLeft
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.ports import Store
from recrawl.scope.canonical import Canonicaliser

new_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    import uvloop

    new_loop = uvloop.new_event_loop
except ImportError:  # an extra: plain asyncio does the same, slower
    new_loop = asyncio.new_event_loop

TICK_S = 0.1
CLUSTER = "recrawl.cluster.terms"  # imported where there is one: it is slow to come, and large
GARBAGE = 20_000  # new objects between two looks for cycles
Tick = Callable[[Board], None]
Shares = Sequence[frozenset[int]]  # the partitions of each worker


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended. `code` is the exit code; `sentence` says what it means, empty when all is well."""

    code: int
    counts: dict[str, int]
    sentence: str = ""


def run(
    folder: Folder,
    settings: Settings,
    order: Order,
    workers: int,
    tick: Tick,
    make_all_due: bool,
    say: Callable[[str], None] = lambda sentence: None,
) -> Ended:
    """Crawl in this folder until the order is carried out. `say`: what people should hear before it begins."""
    sites = folder.sites()
    if not sites:
        raise UsageError(f"no site in {folder.path}: add one with `recrawl add URL --folder {folder.path}`")
    check_together(settings, sites)
    with folder.locked():
        shares = _prepare(folder, settings, make_all_due, workers, say)
        board = Board(workers)
        order = replace(order, alone=workers == 1 and not settings.state.store)
        with helpers(folder, settings, lambda: board.total(Count.VISITS), LogFile(folder.log).complain):
            if workers == 1:
                code, last_words = _run_here(folder, settings, order, board, tick, Owners(shares)), ""
            else:
                code, last_words = _run_crew(folder, settings, order, board, tick, Owners(shares))
    return _ended(code, board, order, last_words, lambda: _waiting(folder, settings))


def _prepare(
    folder: Folder, settings: Settings, make_all_due: bool, workers: int, say: Callable[[str], None]
) -> Shares:
    """Mend the archive's torn tail, open the store, see to pages whose site is gone, share out its partitions.
    Nothing stays open: workers are forked after this."""
    log, now, sites = LogFile(folder.log), SystemClock().now(), folder.sites()
    for cut in mended(folder, settings, now):
        log.tell(Event(EventKind.ARCHIVE_REPAIRED, now, facts={"file": cut.file, "cut_bytes": cut.cut_bytes}))
    store = open_store(folder, settings)
    try:
        for sentence in (*_orphans_told(folder, settings, store), *_readmitted(folder, settings, store, now)):
            log.complain(sentence)
            say(sentence)
        if not settings.state.store and (pages := set_right(store, now)):  # in a cluster each sees to what it claims
            sentence = f"the clock ran ahead before and was set right: the next visits of {pages} pages count from now"
            log.complain(sentence)
            say(sentence)
        follow_from(settings, sites, store, now)
        if make_all_due:
            store.make_due(import_module(CLUSTER).now_there(settings.state.store) if settings.state.store else now)
            forget(folder.journal)
        if not settings.state.store:
            share_out(store, workers)
        alone = workers > 1 and not settings.state.store  # a cluster's workers share out by leases
        return split(_known_load(folder, store) if alone else {}, store.partitions, workers)
    finally:
        store.close()


def _orphans_told(folder: Folder, settings: Settings, store: Store) -> list[str]:
    """What became of pages whose site is gone. In a cluster somebody else may have its file, so there they are left."""
    sites = folder.sites()
    if not settings.state.store:
        return [one.sentence for one in adopt_pages(settings, sites, store)]
    try:
        names = orphaned(store, [site.name for site in sites])
    except StoreAway:  # a shard: a worker works without it, and looks for it
        return []
    return [
        f"pages of {name!r} are not visited from here, it has no site file: if it got another name, stop all workers "
        "and give them to the new one with `recrawl cluster adopt`"
        for name in names
    ]


def _readmitted(folder: Folder, settings: Settings, store: Store, now: float) -> list[str]:
    """What limits and rules had let go. In a cluster other machines may go by others: see `recrawl cluster adopt`."""
    return [] if settings.state.store else readmit_pages(settings, folder.sites(), store, now)


def _known_load(folder: Folder, store: Store) -> Counter[int]:
    """What is known to lie in each partition: its servers by the requests they took so far, and those that the site
    files name."""
    load: Counter[int] = Counter()
    known = {server.key: server for server in store.servers()}
    for server in known.values():
        load[server.partition] += 1 + server.requests
    canonical = Canonicaliser().canonical
    sites = folder.sites()
    seeds = (canonical(seed) for site in sites for seed in site.seeds)
    named = {name for site in sites for name in (*site.own, *site.hosts) if not {"/", "*"} & set(name)}
    for key in ({seed.server for seed in seeds if seed is not None} | named) - known.keys():
        load[partition_of(key, store.partitions)] += 1
    return load


def _run_here(folder: Folder, settings: Settings, order: Order, board: Board, tick: Tick, owners: Owners) -> int:
    async def main() -> int:
        return await _work(folder, settings, order, Mates(owners, board, 0), SystemClock(), lambda: tick(board))

    return run_loop(main)


def _run_crew(
    folder: Folder, settings: Settings, order: Order, board: Board, tick: Tick, owners: Owners
) -> tuple[int, str]:
    """The exit code, and why a worker gave up. All go by one clock, those too that are started when it was set."""
    clock, hearsay = SystemClock(), Hearsay(len(board.rows))

    def work(number: int, _tally: Tally) -> int:
        return run_loop(lambda: _work(folder, settings, order, Mates(owners, board, number, hearsay), clock, None))

    log = LogFile(folder.log)
    sees_the_end = order.once and not settings.state.store  # in a cluster the workers see it themselves
    crew = Crew(work, board, sees_the_end, tick, log.complain)
    return crew.run(), crew.last_words


async def _work(
    folder: Folder,
    settings: Settings,
    order: Order,
    mates: Mates,
    clock: SystemClock,
    tick: Callable[[], None] | None,
) -> int:
    """One worker from its first page to its last commit; its exit code."""
    ticking = asyncio.create_task(_tick(tick)) if tick else None
    try:
        if settings.state.store:
            return await _work_in_cluster(folder, settings, order, mates.own_tally)
        return await _work_here(folder, settings, order, mates, clock)
    finally:
        if ticking:
            ticking.cancel()


async def _work_here(folder: Folder, settings: Settings, order: Order, mates: Mates, clock: SystemClock) -> int:
    async with assemble(folder, settings, str(mates.number), clock, crew=mates.crew) as parts:
        _rest_the_collector()
        shares_out = order.once and mates.crew > 1
        worker = Worker(parts, order, mates.owned(), mates.own_tally, mates if shares_out else None, mates.ears)
        stopped_by = _listen(worker.stop)
        await worker.run()
    return stopped_by[0] if stopped_by else 0


async def _work_in_cluster(folder: Folder, settings: Settings, order: Order, tally: Tally) -> int:
    terms = import_module(CLUSTER).Terms(folder, settings, order, tally, LogFile(folder.log).complain)
    stopped_by = _listen(terms.stop)
    _rest_the_collector()
    await terms.run()
    return stopped_by[0] if stopped_by else 0


def _rest_the_collector() -> None:
    """What is there now stays to the end, but for a few hundred objects that are not worth a look at all the others.
    What visits leave behind has few cycles: look for them rarely."""
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 50)


def _listen(end: Callable[[], None]) -> list[int]:
    """SIGTERM and Ctrl-C end the run with its state saved; SIGUSR1 is the parent's word that all is done."""
    codes: list[int] = []

    def stop(number: int) -> None:
        codes.append(128 + number)
        end()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, end)
    loop.add_signal_handler(signal.SIGTERM, stop, signal.SIGTERM)
    if os.getpid() == os.getpgrp() or signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGINT, stop, signal.SIGINT)
    return codes


async def _tick(tick: Callable[[], None]) -> None:
    while True:
        tick()
        await asyncio.sleep(TICK_S)


def run_loop(main: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """On uvloop where it is installed."""
    tune()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(main())


def _waiting(folder: Folder, settings: Settings) -> Waiting:
    with closing(open_store(folder, settings, readonly=True)) as store:
        return waiting(Reading(folder, settings, store), SystemClock().now())


def _held_back(told: Waiting) -> str:
    """Why pages that are due were not asked for, and when they can be."""
    if told.hindrances:
        return told.sentence(SystemClock().now())
    return f"{told.due} pages are due and not asked for: the day's budget of the cluster is spent; run again tomorrow"


def _broken_off(number: int, unwritten: int) -> str:
    """By a signal: ours to end, or one that workers died of."""
    if number not in ENDING:
        return f"a worker died by signal {number} again and again: recrawl.log says when; run again to go on"
    if unwritten:
        visits = "1 visit" if unwritten == 1 else f"{unwritten} visits"
        return f"interrupted; {visits} could not be written to the database and will be made again"
    return "interrupted; everything found so far is saved"


def _ended(code: int, board: Board, order: Order, last_words: str, left: Callable[[], Waiting]) -> Ended:
    counts = board.as_dict()
    if code:
        return Ended(code, counts, _broken_off(code - 128, counts["unwritten"]) if code > 128 else last_words)
    useless = counts["failed"] + counts["not_found"]
    useful, useless = counts["visits"] - useless, useless + counts["robots_failed"]
    if useless > max(0, useful):
        found_none = " or found no page" if counts["not_found"] else ""
        share = f"{useless} of {counts['requests']} requests failed{found_none}"
        more = f"; {_held_back(told)}" if (told := left()).hindrances else ""
        sentence = f"{share}: see `recrawl status`, and `recrawl why URL` for one page{more}"
        return Ended(TooManyFailures.exit_code, counts, sentence)
    if counts["visits"] == 0 and (told := left()).is_for_the_guard:
        return Ended(NothingAllowed.exit_code, counts, _held_back(told))
    if counts["visits"] == 0 and counts["refused"]:
        sentence = "robots.txt allows none of the pages: see `recrawl why URL` for the line that says so"
        return Ended(NothingAllowed.exit_code, counts, sentence)
    if counts["held_back"] and (told := left()).due:  # for a while only, if nothing is
        return Ended(WorkLeft.exit_code, counts, _held_back(told))
    if order.for_s is not None and counts["left"]:
        sentence = f"the time is over with {counts['left']} pages still due; run again to go on"
        return Ended(WorkLeft.exit_code, counts, sentence)
    return Ended(0, counts)
