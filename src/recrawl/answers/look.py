"""One page looked at outside a crawl: from a file, or asked for as politely as a crawl would."""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from recrawl.answers.ask import LONG_PATIENCE_S, ask_in_turn
from recrawl.config import Settings
from recrawl.engine.asking.gate import Gate, once_asked, robots_file
from recrawl.extract.document import read
from recrawl.extract.settings import ExtractSettings
from recrawl.folder.folder import Folder
from recrawl.folder.opening import is_crawled, open_store
from recrawl.folder.site_reading import read_bytes
from recrawl.model.address import origin_of
from recrawl.model.directives import AGENT
from recrawl.model.failure import NotFound, NothingAllowed
from recrawl.model.page import Link
from recrawl.model.server import RobotsFile
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.model.visit import Evidence, Reply
from recrawl.scope.resolve import resolve

HOPS = 5


@dataclass(frozen=True, slots=True)
class Looked:
    url: str
    base: str
    links: tuple[Link, ...]


def page_in(file: Path, base: str, settings: Settings) -> Looked:
    """Everything in it that leads anywhere: links, scripts and forms."""
    return Looked(str(file), base, read(read_bytes(file), "text/html", base, _all_links(settings)).links)


def _all_links(settings: Settings) -> ExtractSettings:
    return replace(settings.extract, scripts=True, forms=True)


def page_at(
    page: str, site: Site, folder: Folder, settings: Settings, own: bool, beyond_budget: bool = False
) -> Looked:
    """As `page_in`, of a page that is asked for; what that takes counts against the budgets of the folder."""

    def ask(url: str) -> Reply:
        return ask_in_turn(url, owned, folder, settings, beyond_budget, LONG_PATIENCE_S)

    settings.check_operator([site] if not own else [])
    owned = (*site.own, origin_of(page).partition("://")[2]) if own else site.own
    gate = Gate(AGENT, once_asked(lambda address: _kept(address, folder, settings)))
    for _ in range(HOPS + 1):
        _need_permission(page, gate, ask)
        reply = ask(page)
        if reply.evidence is Evidence.REDIRECT:
            page = resolve(reply.header("location"), page) or page
            continue
        if reply.evidence is not Evidence.DOCUMENT:
            said = reply.detail or f"the server answered {reply.status}"
            raise NotFound(f"{page} could not be read: {said}")
        document = read(reply.body, reply.header("content-type"), page, _all_links(settings), reply.headers)
        return Looked(page, page, document.links)
    raise NotFound(f"{page}: more than {HOPS} redirects in a row")


def _kept(address: str, folder: Folder, settings: Settings) -> RobotsFile | None:
    if not is_crawled(folder, settings):
        return None
    with closing(open_store(folder, settings, readonly=True)) as store:
        return store.robots(address)


def _need_permission(url: str, gate: Gate, ask: Callable[[str], Reply]) -> None:
    """robots.txt has no off switch, not even for a single look."""
    for _ in range(HOPS + 1):
        said = gate.check(url, time.time())
        if not said.ask_first:
            break
        reply = ask(said.ask_first)
        gate.learn(replace(robots_file(said.ask_first, reply, reply.at, None), expires_at=float("inf")))
    if not said.allowed:
        raise NothingAllowed(f"{url} may not be asked for: {said.reason or 'robots.txt cannot be reached'}")
