"""Learning from a web of `unseen_sites`, and crawling it by what was learnt, without a socket."""

from collections import deque
from dataclasses import replace

from tests.unit.scope_patterns.unseen_sites import Web

from recrawl.answers.sample import Sampler
from recrawl.config import Settings
from recrawl.extract.document import parse
from recrawl.extract.settings import ExtractSettings
from recrawl.model.site import Site
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.canonical_rules import CanonicalRules
from recrawl.scope.learn import Proposal, propose
from recrawl.scope.patterns_site import Script, Wanted
from recrawl.scope.rules import Rules

HOST = "http://site.example"


class Wire:
    """A Fetcher over a web."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.asked: list[str] = []

    async def fetch(self, ask: Ask) -> Reply:
        path = ask.url.removeprefix(HOST)
        self.asked.append(path)
        made = None if path == "/robots.txt" else self.web.page(path)
        html = (("content-type", "text/html; charset=utf-8"),)
        if made is None:
            return Reply(ask, 0.0, Evidence.MISSING, 404, html)
        if isinstance(made, tuple):
            return Reply(ask, 0.0, Evidence.REDIRECT, made[0], (("location", made[1]),))
        return Reply(ask, 0.0, Evidence.DOCUMENT, 200, html, body=made.encode())

    async def close(self) -> None:
        return None


class Patience:
    """A clock on which waiting takes no time."""

    def __init__(self) -> None:
        self.at = 1000.0

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds


async def learnt(web: Web, pages: int = 200) -> Proposal:
    site = Site("unseen", (HOST + web.start,))
    sample = await Sampler(site, Settings(), Patience(), Wire(web)).run(
        [HOST + path for path in web.examples], pages, lambda count, url: None
    )
    return propose(
        replace(site, seeds=(sample.start,)), sample.pages, sample.twice, [HOST + path for path in web.examples]
    )


def crawled(web: Web, site: Site) -> set[str]:
    """Paths that a crawl with this site file asks for."""
    canonicaliser = Canonicaliser(CanonicalRules.from_site(site))
    script, rules = Script(site, canonicaliser), Rules.from_site(site, canonicaliser)
    waiting, met = deque([HOST + web.start]), {HOST + web.start}
    while waiting:
        url = waiting.popleft()
        made = web.page(url.removeprefix(HOST))
        if not isinstance(made, str):
            continue
        for link in parse(made.encode(), "text/html", url, ExtractSettings(scripts=True, forms=True)).links:
            read = None if link.nofollow else script.read(link, url)
            if isinstance(read, Wanted) and rules.admit(read.address).allowed and read.address.url not in met:
                met.add(read.address.url)
                waiting.append(read.address.url)
    return {url.removeprefix(HOST) for url in met}
