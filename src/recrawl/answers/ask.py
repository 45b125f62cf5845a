"""One request outside a crawl, for `recrawl robots` and `doctor`: in the server's turn, within its window, and counted
against the budgets of the folder like any other. A day's budget is never exceeded, whoever asks."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from recrawl.config import Settings
from recrawl.engine.assembly import canonicaliser_of, fetcher_of
from recrawl.engine.clock import SystemClock
from recrawl.engine.spending import Purse, budgets_of, counted, received
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

PATIENCE_S = 5.0  # so long a gap is waited for


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
    url: str, own: tuple[str, ...], folder: Folder, settings: Settings, beyond_budget: bool = False
) -> Reply:
    """NotNow where the server must be left alone, StoreInUse while a run is asking. A server that has nothing to do
    with the folder is asked at once."""
    site, budgets = site_of(folder, settings, server_of(url)), _budgets(folder, settings)
    name = site.name if site else ""
    if site is None and not any(one.covers(name) for one in budgets):
        return ask_once(url, own, settings)
    with folder.locked():
        if site is not None:
            _need_window(site, settings)
            _wait_for_turn(folder, settings, server_of(url))
        counts = bool(budgets) and not beyond_budget
        if counts:
            _count(folder, settings, budgets, name)
        reply = ask_once(url, own, settings)
        if counts:
            with closing(open_store(folder, settings)) as store:
                received(store, budgets, name, time.time(), reply.received_bytes)
        if site is not None:
            _let_rest(folder, settings, site, server_of(url))
    return reply


def _budgets(folder: Folder, settings: Settings) -> list[Budget]:
    wish = settings.schedule
    return budgets_of(Purse(wish.requests_per_day, wish.bytes_per_day), folder.sites())


def _need_window(site: Site, settings: Settings) -> None:
    windows = hours_of(settings.schedule.windows, site.windows)
    if not is_open(windows, time.time()):
        raise NotNow(f"the window of {site.name} is closed ({'; '.join(one.text for one in windows)}; UTC)")


def _wait_for_turn(folder: Folder, settings: Settings, key: str) -> None:
    wait_s = _known(folder, settings, key).free_at - time.time()
    if wait_s > PATIENCE_S:
        raise NotNow(f"{key} was asked just now, and rests for {duration.render(wait_s)}")
    time.sleep(max(0.0, wait_s))


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
