"""A polite look at an unknown site: robots.txt first, the gap between two requests, never more pages than asked for."""

from collections.abc import Callable, Sequence
from dataclasses import field, replace

from recrawl.answers.ask import NotNow, Turns
from recrawl.config import Settings
from recrawl.engine.asking.gate import Gate, robots_file
from recrawl.engine.assembly import fetcher_of
from recrawl.engine.clock import SystemClock
from recrawl.extract.anchors import anchors_of
from recrawl.extract.document import parse
from recrawl.fetch.retry_after import retry_after_s
from recrawl.model.address import fingerprint, server_of
from recrawl.model.directives import AGENT
from recrawl.model.failure import NotFound, NothingAllowed
from recrawl.model.ownership import owns, split_authority
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.ports import Clock, Fetcher
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.canonical_rules import CanonicalRules
from recrawl.scope.learn_calls import address_in
from recrawl.scope.learn_choice import Plan
from recrawl.scope.learn_cleaning import session_parameters
from recrawl.scope.learn_values import Sampled, Seen
from recrawl.scope.resolve import resolve

HOPS = 5
MOST_FAILURES = 10  # in a row: the server wants to be left alone
LONGEST_WAIT_S = 60.0


@dataclass(slots=True)
class Sample:
    pages: list[Sampled] = field(default_factory=list)
    twice: list[tuple[Sampled, Sampled]] = field(default_factory=list)
    refused: int = 0  # by robots.txt
    start: str = ""  # where the start address led in the end
    ended_by: str = ""  # what kept it from looking at more


class Sampler:
    """`turns`: of the folder that it looks at the site for, if it does."""

    def __init__(
        self, site: Site, settings: Settings, clock: Clock, fetcher: Fetcher, turns: Turns | None = None
    ) -> None:
        self._turns = turns
        self._site, self._settings, self._clock, self._fetcher = site, settings, clock, fetcher
        self._gate = Gate(AGENT, lambda _: None)
        self._extract = replace(settings.extract, scripts=True, forms=True)
        self._free_at = 0.0
        self._refusal = self._robots_failure = ""  # one sentence on why the last look brought nothing

    async def run(self, examples: Sequence[str], pages: int, tell: Callable[[int, str], None]) -> Sample:
        """The start page twice, to see what differs by itself; then what the plan chooses."""
        start, first = await self._start(self._site.seeds[0])
        second = await self.look(start) or first
        sample = Sample([first], [(first, second)], start=start)
        canonicaliser = Canonicaliser(
            CanonicalRules.from_site(replace(self._site, drop_parameters=tuple(session_parameters(sample.twice))))
        )
        plan = Plan(pages, server_of(start), canonicaliser)
        plan.learn(_clean(first, canonicaliser))
        plan.prefer(examples)
        failures = 0
        while len(sample.pages) + 1 < pages and failures < MOST_FAILURES and (url := plan.choose()) is not None:
            tell(len(sample.pages) + 1, url)
            try:
                page = await self.look(url)
            except NotNow as error:
                sample.ended_by = str(error)
                break
            if page is None:
                sample.refused += 1
                continue
            failures = failures + 1 if page.failed else 0
            sample.pages.append(page)
            plan.learn(_clean(page, canonicaliser))
            if len(sample.pages) in (5, 20):
                plan.try_redirects()
        return sample

    async def _start(self, url: str) -> tuple[str, Sampled]:
        """The first page, wherever the address given leads."""
        for _ in range(HOPS + 1):
            page = await self.look(url)
            if page is None:
                raise NothingAllowed(f"{url} may not be asked for: {self._refusal}")
            if page.failed:
                raise NotFound(f"{url} could not be read, so nothing can be learnt: {self._refusal}")
            if not page.redirect:
                return url, page
            url = page.redirect
        raise NotFound(f"{url}: more than {HOPS} redirects in a row")

    async def look(self, url: str) -> Sampled | None:
        """One page; None if robots.txt says no."""
        for _ in range(8):
            said = self._gate.check(url, self._clock.now())
            if said.ask_first:
                reply = await self._ask(said.ask_first, None)
                self._robots_failure = f"robots.txt: {reply.detail or reply.status}"
                file = robots_file(said.ask_first, reply, reply.at, None)
                self._gate.learn(replace(file, expires_at=float("inf")))
                continue
            if not said.allowed:
                self._refusal = self._robots_failure if said.unreachable else said.reason
                return None
            return self._read(url, await self._ask(url, said.crawl_delay_s))
        return None

    async def _ask(self, url: str, crawl_delay_s: float | None) -> Reply:
        await self._clock.sleep(max(0.0, min(self._free_at - self._clock.now(), LONGEST_WAIT_S)))
        if self._turns is not None:
            self._turns.begin(url)
        reply = await self._fetcher.fetch(Ask(url, own=self._site.own, limits=self._settings.limits))
        if self._turns is not None:
            self._turns.end(url, reply.received_bytes)
        now = self._clock.now()
        self._free_at = now + max(self._gap_s(url), crawl_delay_s or 0.0)
        if reply.evidence is Evidence.BUSY:
            self._free_at = now + (retry_after_s(reply.header("retry-after"), now) or LONGEST_WAIT_S)
        return reply

    def _gap_s(self, url: str) -> float:
        if self._site.gap_s is not None:
            return self._site.gap_s
        host, port = split_authority(server_of(url))
        owned = any(owns(self._site.own, host, known) for known in ((port,) if port else (80, 443)))
        return 0.0 if owned else self._settings.politeness.gap_s

    def _read(self, url: str, reply: Reply) -> Sampled:
        if reply.evidence is Evidence.REDIRECT:
            return Sampled(url, redirect=resolve(reply.header("location"), url) or "", failed=False)
        if reply.evidence is not Evidence.DOCUMENT:
            self._refusal = reply.detail or f"the server answered {reply.status}"
            return Sampled(url, failed=True)
        parsed = parse(reply.body, reply.header("content-type"), url, self._extract, reply.headers)
        links = tuple(
            Seen(one.link.url, one.link.relation, one.link.text, one.place, one.link.nofollow)
            for one in anchors_of(parsed)
        )
        text = "\n".join(block.text for block in parsed.main)
        linked = sum(len(link.text) for link in links)
        whole = sum(len(block.text) for block in parsed.blocks)
        return Sampled(url, links, parsed.title, fingerprint(text), max(0, whole - linked))


def _clean(page: Sampled, canonicaliser: Canonicaliser) -> Sampled:
    """As the plan reads it: what code leads to in so many words is a link like any other."""
    links: list[Seen] = []
    for link in page.links:
        is_code = link.relation == "script"
        written = address_in(link.url) if is_code else link.url
        address = canonicaliser.canonical(written, page.url) if written else None
        links += [link] if is_code else []
        links += [replace(link, url=address.url, relation="a")] if address is not None else []
    address = canonicaliser.canonical(page.url)
    return replace(page, url=address.url if address else page.url, links=tuple(links))


async def sample_site(
    site: Site, settings: Settings, turns: Turns, examples: Sequence[str], pages: int, tell: Callable[[int, str], None]
) -> Sample:
    """In turns, where the folder has anything to do with its server."""
    clock = SystemClock()
    fetcher = fetcher_of(settings, clock)
    try:
        mine = turns if turns.concern(site.seeds[0]) else None
        return await Sampler(site, settings, clock, fetcher, mine).run(examples, pages, tell)
    finally:
        await fetcher.close()
