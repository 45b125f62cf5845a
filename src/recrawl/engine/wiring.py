"""Hands every part to every other: the only place that knows which implementation stands behind a port."""

from collections.abc import Callable
from dataclasses import field
from typing import Protocol

from recrawl.archive.documents import DocumentFolder
from recrawl.engine.clock import Dice
from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.offload import Offload
from recrawl.engine.scheduling.scheduler import Scheduler
from recrawl.extract.settings import ExtractSettings, SignalLimits
from recrawl.fetch.browser import Browser
from recrawl.fetch.journal import Journal
from recrawl.folder.death_watch import DeathWatch
from recrawl.folder.push_book import PushBook
from recrawl.frontier.manners import Manners
from recrawl.model.address import partition_of
from recrawl.model.event import Event
from recrawl.model.ownership import owns_server
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.model.visit import Limits
from recrawl.ports import Archive, Clock, Fetcher, Store


class Tell(Protocol):
    def __call__(self, *events: Event) -> None: ...


@dataclass(slots=True)
class Parts:
    """What a worker works with."""

    clock: Clock
    dice: Dice
    fetcher: Fetcher
    store: Store
    archive: Archive
    scheduler: Scheduler
    quarries: dict[str, Quarry]
    alias_watch: AliasWatch
    tell: Tell
    complain: Callable[[str], None]
    offload: Offload  # to the one writer
    wait_for: Offload  # what only waits
    look_up: Offload  # to a reader
    agent: str = "recrawl"
    limits: Limits = field(default_factory=Limits)
    manners: Manners = field(default_factory=Manners)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    signals: SignalLimits = field(default_factory=SignalLimits)
    ignore: tuple[str, ...] = ()
    second_looks: bool = True
    probe_missing: bool = False
    connections: int = 128
    redirects: int = 5
    batch_visits: int = 512
    versions: int = 0  # of one page that are known; 0: all
    record_unchanged: bool = True
    disk_is_low: Callable[[], bool] = lambda: False
    need_lease: Callable[[], None] | None = None  # before every request; raises where somebody else may ask now
    worker: str = "0"
    documents: DocumentFolder | None = None  # plain copies, for the sites that want them
    reread: Callable[[float], list[Quarry]] = lambda now: []  # takes up changed site files; the quarries that differ
    adopts: bool = True  # pages of sites that are gone go to those that cover them; False: others may know the site
    push_book: PushBook | None = None  # what receivers of notices remember beside the store
    journal: Journal | None = None  # answers that are not written yet; None: a kill has them asked for again
    each_visit: bool = False  # is written before its lane asks again
    death_watch: DeathWatch | None = None  # of pages that end the whole process
    browser: Browser | None = None  # for pages that are empty without their scripts

    @property
    def importance(self) -> dict[str, float]:
        return {name: quarry.site.importance for name, quarry in self.quarries.items()}

    def begin_reading(self, page: int) -> None:
        """What came for this page is read next: should that be the end of us, the next worker knows."""
        if self.death_watch is not None:
            self.death_watch.begin(page)

    def partition(self, server: str) -> int:
        return partition_of(server, self.store.partitions)

    def owned(self, server: str, site: Site) -> bool:
        return owns_server(site.own, server)

    def site_of(self, server: str) -> Site | None:
        """The site that has this server among its own or its hosts; the first one otherwise."""
        quarries = [quarry for quarry in self.quarries.values() if not quarry.gone]
        owners = [quarry.site for quarry in quarries if self.owned(server, quarry.site)]
        admitting = [quarry.site for quarry in quarries if quarry.rules.hosts.has(server)]
        return next(iter([*owners, *admitting]), None)
