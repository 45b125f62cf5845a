"""Requests outside a crawl, for `robots`, `doctor`, `scope check` and `scope learn`: in the server's turn, within its
window, and counted against the budgets of the folder like any other. A day's budget is never exceeded, whoever asks."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from recrawl.config import Settings
from recrawl.engine.assembly import fetcher_of
from recrawl.engine.clock import SystemClock
from recrawl.engine.quarries import canonicaliser_of
from recrawl.engine.scheduling.spending import Purse, budgets_of
from recrawl.engine.scheduling.spending_together import counted, received
from recrawl.folder.folder import Folder
from recrawl.folder.opening import is_crawled, open_store
from recrawl.formats import duration
from recrawl.frontier.manners import gap_s
from recrawl.model.address import server_of
from recrawl.model.batch import Batch
from recrawl.model.failure import WorkLeft
from recrawl.model.ownership import owns_server
from recrawl.model.server import Server
from recrawl.model.site import Site
from recrawl.model.visit import Ask, Reply
from recrawl.schedule.budget import Budget
from recrawl.schedule.windows import hours_of, is_open
from recrawl.scope.rules import Rules

PATIENCE_S = 5.0  # so long a gap is waited for …
LONG_PATIENCE_S = 60.0  # … and so long by who needs several answers


class NotNow(WorkLeft):
    """The server may not be asked at this moment."""


def ask_once(url: str, own: tuple[str, ...], settings: Settings) -> Reply:
    async def main() -> Reply:
        fetcher = fetcher_of(settings, SystemClock())
        try:
            return await fetcher.fetch(Ask(url, own=own, limits=settings.limits))
        finally:
            await fetcher.close()

    return asyncio.run(main())


def site_of(folder: Folder, settings: Settings, server: str) -> Site | None:
    """The site of the folder that the server belongs to."""
    for site in folder.sites():
        if owns_server(site.own, server) or Rules.from_site(site, canonicaliser_of(settings, site)).hosts.has(server):
            return site
    return None


def ask_in_turn(
    url: str,
    own: tuple[str, ...],
    folder: Folder,
    settings: Settings,
    beyond_budget: bool = False,
    patience_s: float = PATIENCE_S,
) -> Reply:
    """NotNow where the server must be left alone, StoreInUse while a run is asking. A server that has nothing to do
    with the folder is asked at once."""
    turns = Turns(folder, settings, beyond_budget, patience_s)
    if not turns.concern(url):
        return ask_once(url, own, settings)
    with folder.locked():
        turns.begin(url)
        reply = ask_once(url, own, settings)
        turns.end(url, reply.received_bytes)
    return reply


class Turns:
    """For requests of somebody who is no worker, while none is at work: each is begun and ended."""

    def __init__(
        self, folder: Folder, settings: Settings, beyond_budget: bool = False, patience_s: float = PATIENCE_S
    ) -> None:
        self._folder, self._settings, self._patience_s = folder, settings, patience_s
        self._budgets = _budgets(folder, settings)
        self._counts = bool(self._budgets) and not beyond_budget
        self._sites: dict[str, Site | None] = {}

    def concern(self, url: str) -> bool:
        """Whether the folder has anything to do with that server: a site, or a budget over all."""
        return self._site(url) is not None or any(one.covers("") for one in self._budgets)

    def begin(self, url: str) -> None:
        """Wait for the server's turn, and count the request; NotNow where it must be left alone."""
        site = self._site(url)
        if site is not None:
            _need_window(site, self._settings)
            self._wait(server_of(url))
        if self._counts:
            _count(self._folder, self._settings, self._budgets, site.name if site else "")

    def end(self, url: str, got_bytes: int) -> None:
        site = self._site(url)
        if self._counts:
            with closing(open_store(self._folder, self._settings)) as store:
                received(store, self._budgets, site.name if site else "", time.time(), got_bytes)
        if site is not None:
            _let_rest(self._folder, self._settings, site, server_of(url))

    def _site(self, url: str) -> Site | None:
        server = server_of(url)
        if server not in self._sites:
            self._sites[server] = site_of(self._folder, self._settings, server)
        return self._sites[server]

    def _wait(self, key: str) -> None:
        wait_s = _known(self._folder, self._settings, key).free_at - time.time()
        if wait_s > self._patience_s:
            raise NotNow(f"{key} was asked just now, and rests for {duration.render(wait_s)}")
        time.sleep(max(0.0, wait_s))


def _budgets(folder: Folder, settings: Settings) -> list[Budget]:
    wish = settings.schedule
    return budgets_of(Purse(wish.requests_per_day, wish.bytes_per_day), folder.sites())


def _need_window(site: Site, settings: Settings) -> None:
    windows = hours_of(settings.schedule.windows, site.windows)
    if not is_open(windows, time.time()):
        raise NotNow(f"the window of {site.name} is closed ({'; '.join(one.text for one in windows)}; UTC)")


def _known(folder: Folder, settings: Settings, key: str) -> Server:
    if not is_crawled(folder, settings):
        return Server(key)
    with closing(open_store(folder, settings, readonly=True)) as store:
        return store.server(key) or Server(key)


def _count(folder: Folder, settings: Settings, budgets: Sequence[Budget], site: str) -> None:
    if settings.state.store:
        raise NotNow("the budget of a cluster is its workers' to spend")
    with closing(open_store(folder, settings)) as store:
        if not counted(store, budgets, site, time.time()):
            raise NotNow(f"the day's budget is spent: {site or 'the server'} is not asked again before tomorrow (UTC)")


def _let_rest(folder: Folder, settings: Settings, site: Site, key: str) -> None:
    """A run that starts right after this keeps the gap."""
    known = _known(folder, settings, key)
    gap = gap_s(known, settings.politeness, site.gap_s, owns_server(site.own, key))
    if gap and is_crawled(folder, settings):
        with closing(open_store(folder, settings)) as store:
            store.save(Batch(servers=(replace(known, free_at=time.time() + gap),)))
