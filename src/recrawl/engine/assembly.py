"""From a folder and its settings to the parts of a worker."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, closing, contextmanager, nullcontext
from functools import partial

from recrawl.archive.documents import DocumentFolder
from recrawl.archive.folder import WarcArchive
from recrawl.archive.object_store import Sender, Shelf
from recrawl.config import Settings
from recrawl.engine.allocator import trim
from recrawl.engine.clock import Dice, SystemClock
from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.followed import UNKNOWN, since_or_ended
from recrawl.engine.offload import TURN_S, OffTheLoop
from recrawl.engine.quarries import quarry_of
from recrawl.engine.scheduling.scheduler import Scheduler
from recrawl.engine.scheduling.spending import Common, Purse
from recrawl.engine.site_watch import SiteWatch, take_up
from recrawl.engine.wiring import Parts
from recrawl.fetch.browser import Browser, browser_at
from recrawl.fetch.client import CurlFetcher, FetchSettings
from recrawl.fetch.exchange import Permit
from recrawl.fetch.journal import Journal
from recrawl.fetch.request import user_agent
from recrawl.folder.death_watch import DeathWatch
from recrawl.folder.folder import Folder
from recrawl.folder.log import LogFile
from recrawl.folder.opening import open_store
from recrawl.folder.push_book import PushBook
from recrawl.folder.site_check import check_together
from recrawl.model.batch import Batch
from recrawl.model.failure import ConfigError
from recrawl.model.site import Site
from recrawl.ports import Clock, Policy, Store
from recrawl.schedule import POLICIES, is_own, policy
from recrawl.schedule.lean import lean_policy
from recrawl.scope.aliases import AliasTable
from recrawl.version import __version__


def policy_of(settings: Settings) -> Policy:
    name = settings.schedule.policy
    if name not in POLICIES and not is_own(name):
        raise ConfigError(f"schedule.policy: there is no policy {name!r}; choose one of {', '.join(sorted(POLICIES))}")
    return policy(name, settings.intervals)


def scheduler_of(
    settings: Settings,
    sites: Sequence[Site],
    store: Store,
    worker: str = "0",
    crew: int = 1,
    common: Common | None = None,
) -> Scheduler:
    """A crew of several workers shares a budget evenly; those of a cluster draw from a common purse."""
    wish = settings.schedule
    purse = Purse(
        wish.requests_per_day, wish.bytes_per_day, wish.windows, settings.intervals.requests_per_page_day,
        wish.target, wish.max_delay_s,
    )  # fmt: skip
    lean = lean_policy(settings.intervals) if wish.policy == "value" else None
    return Scheduler(lean or policy_of(settings), sites, purse, store, worker, 1.0 / crew, common)


def browser_of(settings: Settings, sites: Sequence[Site]) -> Browser:
    """Not started before a page needs it. ConfigError where a site needs one and there is none."""
    if any(site.render for site in sites):
        browser_at(settings.render)
    return Browser(settings.render, user_agent(__version__, settings.operator.contact))


def fetcher_of(settings: Settings, clock: Clock, permit: Permit | None = None) -> CurlFetcher:
    named = user_agent(__version__, settings.operator.contact)
    wish = settings.fetch
    known = FetchSettings(named, resolver=wish.resolver, large_bytes=wish.large_bytes)
    return CurlFetcher(known, clock.now, permit=permit)


@contextmanager
def sending(folder: Folder, settings: Settings, complain: Callable[[str], None]) -> Iterator[None]:
    """Finished files go to object storage, where the settings name one."""
    if not settings.archive.object_store:
        yield
        return
    archive = settings.archive
    with closing(Sender(folder.archive, Shelf(archive.object_store), complain, archive.keep_local)):
        yield


def journal_of(
    folder: Folder, settings: Settings, store: Store, worker: str, now: float
) -> AbstractContextManager[Journal | None]:
    """None for a cluster: whoever takes over for a worker that died stands elsewhere and cannot read it."""
    return nullcontext() if settings.state.store else closing(Journal(folder.journal, worker, store.pages, now))


@asynccontextmanager
async def assemble(
    folder: Folder,
    settings: Settings,
    worker: str,
    clock: Clock | None = None,
    crew: int = 1,
    store: Store | None = None,
    writer: str = "",
    need_lease: Permit | None = None,
) -> AsyncIterator[Parts]:
    """Everything open, and closed again in the end. `worker` is a small number, `writer` the name of its files where
    that is not enough to tell them from those of others. `need_lease` raises where others may ask our servers."""
    clock, dice, log = clock or SystemClock(), Dice(), LogFile(folder.log)
    sites = folder.sites()
    with (
        closing(store or open_store(folder, settings)) as store,
        ExitStack() as beside,
        sending(folder, settings, log.complain),
        closing(WarcArchive(folder.archive, writer or worker, settings.archive, clock.now, dice.record_id)) as archive,
        journal_of(folder, settings, store, worker, clock.now()) as journal,
        closing(DeathWatch(folder.journal, worker)) as death_watch,
    ):
        fetcher, browser = fetcher_of(settings, clock, need_lease), browser_of(settings, sites)
        watch = AliasWatch(store, AliasTable(edited=settings.aliases))

        def quarry(site: Site) -> Quarry:
            return quarry_of(settings, site, watch, store, worker)

        def quarries() -> dict[str, Quarry]:
            made, since = {site.name: quarry(site) for site in sites}, since_or_ended(settings, sites, store)
            for one in made.values():
                one.followed_since, one.followed_names = since, watch.table
            return made

        files = SiteWatch(folder, partial(check_together, settings), log.complain)
        try:
            parts = Parts(
                clock=clock,
                dice=dice,
                fetcher=fetcher,
                store=store,
                archive=archive,
                scheduler=scheduler_of(settings, sites, store, worker, crew),
                quarries=quarries(),
                alias_watch=watch,
                tell=log.tell,
                complain=log.complain,
                offload=OffTheLoop("writer", store.at_hand, 0.0 if settings.state.store else TURN_S),
                wait_for=OffTheLoop("disk"),
                look_up=OffTheLoop("reader", lambda: not settings.archive.object_store and store.at_hand(to_read=True)),
                limits=settings.limits,
                manners=settings.politeness,
                extract=settings.extract,
                signals=settings.signals,
                ignore=settings.detect.ignore,
                second_looks=settings.detect.second_looks,
                probe_missing=settings.detect.probe_missing,
                connections=settings.fetch.connections,
                redirects=settings.fetch.redirects,
                batch_visits=settings.state.batch_visits,
                record_unchanged=settings.keep.unchanged,
                versions=settings.keep.versions,
                disk_is_low=lambda: folder.disk_is_low(settings.keep.disk_floor_bytes),
                worker=worker,
                documents=DocumentFolder(folder.documents),
                adopts=not settings.state.store,
                need_lease=need_lease,
                push_book=PushBook(folder.path),
                journal=journal,
                each_visit=journal is None,
                death_watch=death_watch,
                browser=browser,
            )

            def reread(now: float) -> list[Quarry]:
                changed = files.changed(now)
                if changed is None:
                    return []
                if not settings.state.store:
                    store.save(Batch(memos=UNKNOWN))
                return take_up(parts, changed, quarry)

            parts.reread = reread
            yield parts
        finally:
            await browser.close()
            await fetcher.close()
            last = beside.enter_context(ThreadPoolExecutor(1, "farewell"))  # waits for the disk: the archive need not
            beside.callback(last.submit(store.close).result)
            trim()
