"""A simulated month: the whole engine, unchanged, under a virtual clock against a web that is a pure function.

Nothing but clock, fetcher, store and archive differs from a real crawl, and the same seed gives the same month.
"""

from collections.abc import Callable, Iterator

from recrawl.archive.memory import MemoryArchive
from recrawl.config import Settings
from recrawl.engine.assembly import scheduler_of
from recrawl.engine.clock import Dice, VirtualClock, run_virtually
from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.engine.offload import at_once
from recrawl.engine.quarries import quarry_of
from recrawl.engine.tally import Tally
from recrawl.engine.wiring import Parts
from recrawl.engine.worker import Order, Worker
from recrawl.folder.log import as_line
from recrawl.lab.faults import CALM, FaultPlan
from recrawl.lab.requests_log import Request
from recrawl.lab.simulated import SimulatedFetcher
from recrawl.lab.world import World, version
from recrawl.model.address import server_of
from recrawl.model.event import Event
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.ports import Archive, Fetcher, Store
from recrawl.scope.aliases import AliasTable
from recrawl.store.memory import MemoryStore

DAY_S = 86_400.0
POLL_S = 3600.0


@dataclass(frozen=True, slots=True)
class Month:
    """What a simulated crawl left behind."""

    world: World
    events: tuple[str, ...]  # JSON lines, in order
    requests: tuple[Request, ...]
    counts: dict[str, int]
    store: Store
    archive: Archive
    end_at: float

    def stale(self) -> list[str]:
        """Addresses whose copy is not the current version, by the world's own truth."""
        return [
            page.url
            for page in _pages(self.store)
            if page.checked_at is not None
            and version(self.world, page.url, page.checked_at) != version(self.world, page.url, self.end_at)
        ]


def simulate(
    world: World,
    seed: int,
    days: float = 30.0,
    faults: FaultPlan = CALM,
    gap_s: float = 1.0,
    settings: Settings | None = None,
    store: Store | None = None,
    archive: Archive | None = None,
    wrap: Callable[[Fetcher], Fetcher] = lambda fetcher: fetcher,
    start_at: float | None = None,
) -> Month:
    """Crawl `world` for some days. Given a store and an archive, go on where they stand."""
    settings = settings or Settings()
    store = store if store is not None else MemoryStore()
    archive = archive if archive is not None else MemoryArchive()
    clock = VirtualClock(world.start_at if start_at is None else start_at)
    events: list[str] = []
    fetcher = SimulatedFetcher(world, clock, faults)
    tally = Tally()

    async def main() -> float:
        parts = parts_of(world, seed, settings, clock, wrap(fetcher), store, archive, events, gap_s)
        order = Order(for_s=days * DAY_S, poll_s=POLL_S)
        await Worker(parts, order, frozenset(range(store.partitions)), tally).run()
        return clock.now()

    end_at = run_virtually(main)
    return Month(world, tuple(events), tuple(fetcher.log), tally.as_dict(), store, archive, end_at)


def parts_of(
    world: World,
    seed: int,
    settings: Settings,
    clock: VirtualClock,
    fetcher: Fetcher,
    store: Store,
    archive: Archive,
    events: list[str],
    gap_s: float,
) -> Parts:
    """A worker's parts for a simulated world; all servers are owned, with a gap of their own."""

    def tell(*told: Event) -> None:
        events.extend(map(as_line, told))

    watch = AliasWatch(store, AliasTable())
    hosts = tuple(server_of(spec.origin + "/") for spec in world.servers)
    site = Site("world", seeds=tuple(f"http://{host}/" for host in hosts), own=hosts, hosts=hosts, gap_s=gap_s)
    return Parts(
        clock=clock,
        dice=Dice(seed),
        fetcher=fetcher,
        store=store,
        archive=archive,
        scheduler=scheduler_of(settings, [site], store),
        quarries={site.name: quarry_of(settings, site, watch, store)},
        alias_watch=watch,
        tell=tell,
        complain=events.append,
        offload=at_once,
        wait_for=at_once,
        look_up=at_once,
        manners=settings.politeness,
        extract=settings.extract,
    )


def _pages(store: Store) -> Iterator[Page]:
    after = None
    while found := store.scan("", after):
        yield from found
        after = found[-1].id
