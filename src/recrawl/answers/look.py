"""One page looked at outside a crawl: from a file, or asked for as politely as a crawl would."""

from dataclasses import dataclass, replace
from pathlib import Path

from recrawl.answers.ask import ask_once
from recrawl.config import Settings
from recrawl.engine.gate import Gate, robots_file
from recrawl.extract.document import read
from recrawl.folder.site_reading import read_bytes
from recrawl.model.address import origin_of
from recrawl.model.directives import AGENT
from recrawl.model.failure import NotFound, NothingAllowed
from recrawl.model.page import Link
from recrawl.model.site import Site
from recrawl.model.visit import Evidence
from recrawl.scope.resolve import resolve

HOPS = 5


@dataclass(frozen=True, slots=True)
class Looked:
    url: str
    base: str
    links: tuple[Link, ...]


def page_at(page: str, file: Path | None, base: str, site: Site, settings: Settings, own: bool) -> Looked:
    """Everything in it that leads anywhere: links, scripts and forms."""
    extract = replace(settings.extract, scripts=True, forms=True)
    if file is not None:
        document = read(read_bytes(file), "text/html", base, extract)
        return Looked(str(file), base, document.links)
    settings.check_operator([site] if not own else [])
    owned = (*site.own, origin_of(page).partition("://")[2]) if own else site.own
    for _ in range(HOPS + 1):
        _need_permission(page, owned, settings)
        reply = ask_once(page, owned, settings)
        if reply.evidence is Evidence.REDIRECT:
            page = resolve(reply.header("location"), page) or page
            continue
        if reply.evidence is not Evidence.DOCUMENT:
            said = reply.detail or f"the server answered {reply.status}"
            raise NotFound(f"{page} could not be read: {said}")
        document = read(reply.body, reply.header("content-type"), page, extract, reply.headers)
        return Looked(page, page, document.links)
    raise NotFound(f"{page}: more than {HOPS} redirects in a row")


def _need_permission(url: str, own: tuple[str, ...], settings: Settings) -> None:
    """robots.txt has no off switch, not even for a single look."""
    gate = Gate(AGENT, lambda _: None)
    for _ in range(HOPS + 1):
        said = gate.check(url, 0.0)
        if not said.ask_first:
            break
        reply = ask_once(said.ask_first, own, settings)
        gate.learn(replace(robots_file(said.ask_first, reply, reply.at, None), expires_at=float("inf")))
    if not said.allowed:
        raise NothingAllowed(f"{url} may not be asked for: {said.reason or 'robots.txt cannot be reached'}")
