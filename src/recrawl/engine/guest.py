"""Somebody else's crawler with recrawl's memory: it asks what is due, makes the requests itself, and tells what came.

Comes in: addresses to look up, and answers. Goes out: whether a page is due, the condition to send with the request,
the copy that is kept. Every answer told here is judged, archived and scheduled by the same functions as one of
recrawl's own. What the guest's crawler decides is its own: which addresses it asks for, how fast, by which links.
"""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from recrawl.archive.folder import WarcArchive
from recrawl.config import Settings, starting_text
from recrawl.detect.honesty import ask_conditionally
from recrawl.engine.adoption import guest_memo
from recrawl.engine.asking.revisit import Visitor, why_of
from recrawl.engine.assembly import scheduler_of
from recrawl.engine.clock import Dice, SystemClock
from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.followed import UNKNOWN
from recrawl.engine.offload import at_once
from recrawl.engine.quarries import quarry_of
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.kept import copy_of, event_of, limit_event, visit_row
from recrawl.engine.settling.ledger import Ledger, write
from recrawl.engine.settling.pace import pace
from recrawl.engine.settling.recording import Recorder
from recrawl.engine.settling.savings import Savings
from recrawl.engine.settling.wrappers import wrappers_of
from recrawl.engine.wiring import Parts
from recrawl.fetch.memory import MemoryFetcher
from recrawl.folder.folder import Folder
from recrawl.folder.log import LogFile
from recrawl.folder.mending import mended
from recrawl.folder.opening import open_store
from recrawl.folder.settings import load
from recrawl.frontier.manners import after_reply, gap_s
from recrawl.model.batch import Batch
from recrawl.model.capture import Payload, Place
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page, Status
from recrawl.model.server import Server
from recrawl.model.site import Kind, Site
from recrawl.model.verdict import Change
from recrawl.model.visit import Ask, Reply
from recrawl.scope.aliases import AliasTable
from recrawl.scope.patterns_site import Wanted

WORKER = "0"
MOST_TOLD = 256  # answers in one commit: no journal holds what a kill takes of them


class Guest:
    """An open folder. Holds its lock, so no `recrawl run` and no second guest work there meanwhile."""

    def __init__(self, folder: str | Path, site: str, seeds: Sequence[str] = ()) -> None:
        self._open = ExitStack()
        self._place = Folder(Path(folder))
        self._place.create(starting_text(""))
        settings = load(self._place)
        self._open.enter_context(self._place.locked())
        try:
            self._clock, self._dice = SystemClock(), Dice()
            mended(self._place, settings, self._clock.now())
            self._parts = self._assembled(settings, self._site(site, seeds))
        except BaseException:
            self._open.close()
            raise
        self._quarry: Quarry = self._parts.quarries[site]
        self._parts.store.save(Batch(memos=((guest_memo(site), b"1"), *UNKNOWN)))
        self._visitor = Visitor(self._parts, self._answer, _never)
        self._recorder = Recorder(self._parts.store, self._parts.archive, wrappers_of(self._parts.quarries))
        self._savings = Savings(self._parts.store)
        self._servers: dict[str, Server] = {}
        self._arrivals: list[Arrival] = []
        self._told: Reply | None = None

    def now(self) -> float:
        return self._clock.now()

    def page(self, url: str) -> Page | None:
        """The page at this address as it stands, or as it would enter. None: not a web address."""
        address = self._quarry.canonicaliser.canonical(url)
        if address is None:
            return None
        address = self._quarry.main_name(address)
        if any(one.page.id == address.id for one in self._arrivals):
            self.settle()
        if known := self._parts.store.pages([address.id]):
            return known[0]
        read = self._quarry.script.kind_of(address.url)
        kind, category = (read.kind, read.category) if isinstance(read, Wanted) else (Kind.GENERAL, "")
        now = self.now()
        site = self._quarry.site.name
        return Page(address.id, address.url, address.server, site, kind, category, found_at=now, due_at=now)

    def is_due(self, page: Page) -> bool:
        return page.visits == 0 or (page.due_at is not None and page.due_at <= self.now())

    def question(self, page: Page, copy: Payload | None) -> Ask:
        """The request to make: with the condition under which the copy would be confirmed, if there is one."""
        conditional = copy is not None and ask_conditionally(page)
        etag, last_modified = (page.etag, page.last_modified) if conditional else ("", "")
        return Ask(page.url, etag, last_modified, limits=self._parts.limits)

    def copy(self, page: Page) -> Payload | None:
        """The newest version kept; None where there is none, or it cannot be read."""
        if page.status is not Status.LIVE or not (versions := self._parts.store.versions(page.id, 1)):
            return None
        newest = versions[0]
        try:
            return self._parts.archive.read(Place(newest.warc_file, newest.warc_offset, newest.warc_length))
        except RecrawlError as error:
            self._parts.complain(f"{page.url}: the kept version cannot be read: {error}")
            return None

    async def tell(self, page: Page, reply: Reply, asked: bool = False) -> Change:
        """What came back for a page: judged now, durable with the next few."""
        self._told = reply
        arrival = await self._visitor.visit(page, why_of(page, asked), self._quarry)
        self._arrivals.append(arrival)
        if len(self._arrivals) >= self._parts.batch_visits:
            self.settle()
        return arrival.verdict.change

    def settle(self) -> None:
        """Everything told so far: estimated, scheduled, archived, committed."""
        arrivals, self._arrivals = self._arrivals, []
        if not arrivals:
            return
        ledger, parts = Ledger(), self._parts
        for one in arrivals:
            ledger.servers[one.page.server] = self._after(one.reply, one.page.server)
        luck = self._dice.luck(len(arrivals))
        pages = pace(arrivals, parts.scheduler, parts.importance, self._server, lambda _: None, luck)
        for one, after in zip(arrivals, pages, strict=True):
            ledger.entered[after.id], ledger.pages[after.id] = one.page, after
            ledger.visits.append(visit_row(one))
            if (copy := copy_of(one, parts.record_unchanged)) is not None:
                ledger.copies.append(copy)
            ledger.events += [event for event in (event_of(one, after), limit_event(one)) if event is not None]
        self._savings.note(arrivals)
        ledger.memos.update(self._visitor.learnt())
        ledger.memos.update(self._savings.memos())
        ledger.memos.update(parts.scheduler.memos(self.now()))
        self._recorder.note(arrivals, ledger)
        saved = write(ledger, parts.archive, parts.store)
        told = zip(ledger.events, saved.cursors, strict=True)
        parts.tell(*[replace(event, cursor=cursor) for event, cursor in told])

    def next_due_at(self) -> float | None:
        """When the first of the site's pages is due again."""
        self.settle()
        coming = self._parts.store.next_due(1, self._quarry.site.name)
        return coming[0].due_at if coming else None

    def close(self) -> None:
        with self._open:
            self.settle()
            ledger = Ledger(memos=self._parts.scheduler.memos(self.now(), closing=True))
            write(ledger, self._parts.archive, self._parts.store)

    def _site(self, name: str, seeds: Sequence[str]) -> Site:
        """As its site file says, where there is one."""
        known = {site.name: site for site in self._place.sites()}
        return known.get(name) or Site(name, tuple(seeds) or ("http://localhost/",))

    def _assembled(self, settings: Settings, site: Site) -> Parts:
        store = self._open.enter_context(closing(open_store(self._place, settings)))
        archive = WarcArchive(self._place.archive, WORKER, settings.archive, self._clock.now, self._dice.record_id)
        self._open.enter_context(closing(archive))
        watch, log = AliasWatch(store, AliasTable(edited=settings.aliases)), LogFile(self._place.log)
        return Parts(
            clock=self._clock,
            dice=self._dice,
            fetcher=MemoryFetcher({}, self._clock.now),
            store=store,
            archive=archive,
            scheduler=scheduler_of(settings, [site], store),
            quarries={site.name: quarry_of(settings, site, watch, store)},
            alias_watch=watch,
            tell=log.tell,
            complain=log.complain,
            offload=at_once,
            wait_for=at_once,
            look_up=at_once,
            limits=settings.limits,
            manners=settings.politeness,
            extract=settings.extract,
            ignore=settings.detect.ignore,
            second_looks=False,
            batch_visits=min(settings.state.batch_visits, MOST_TOLD),
            record_unchanged=settings.keep.unchanged,
        )

    async def _answer(self, ask: Ask, site: Site) -> Reply:
        assert self._told is not None, "the visitor asks only for what was told"
        return self._told

    def _server(self, key: str) -> Server:
        if key not in self._servers:
            self._servers[key] = self._parts.store.server(key) or Server(key, self._parts.partition(key))
        return self._servers[key]

    def _after(self, reply: Reply, key: str) -> Server:
        """So that a `recrawl run` that follows treats the server as gently as if it had asked itself."""
        server, manners = self._server(key), self._parts.manners
        gap = gap_s(server, manners, self._quarry.site.gap_s, self._parts.owned(key, self._quarry.site))
        after = self._servers[key] = after_reply(server, reply, gap, self.now(), None, manners)
        return after


async def _never(page: Page) -> bool:
    """A second look would be a request, and those are the guest's own business."""
    return False
