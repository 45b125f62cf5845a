"""Links → scope → sieve → pages to visit. The second of the two loops."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from recrawl.extract.settings import ExtractSettings
from recrawl.model.address import Address, fingerprints, server_of
from recrawl.model.met import Met, new_met
from recrawl.model.page import Link, Page, Rank
from recrawl.model.site import Kind, Site
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.scope.aliases import twin
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.globs import AddressPattern
from recrawl.scope.lists import Lists, turns_to_later
from recrawl.scope.order import place_in_line, rank_of
from recrawl.scope.patterns_site import Drop, Script, Unwanted, Wanted
from recrawl.scope.rules import Admission, Refusal, Rules
from recrawl.scope.traps import Traps

FORGIVING = frozenset({Refusal.DEPTH})  # reasons that another way to the same address may overcome
MOST_MET = 200_000  # spellings of links
MOST_SIEVED = 1_000_000  # addresses: one that was forgotten costs a question to the store, never a second visit
SHORTEST_ORIGIN = len("https://")
NO_ROOT = "\0"  # nothing begins so
MOST_LEADS = 200  # links of a page that is looked at for where it leads
LIST = Kind.LIST  # looked at with every page

Stored = Callable[[Sequence[int]], Collection[int]]  # those of these pages that the store holds


@dataclass(slots=True)
class Quarry:
    """Where the addresses of one site come from and pass through."""

    site: Site
    rules: Rules
    canonicaliser: Canonicaliser
    script: Script
    extract: ExtractSettings = field(default_factory=ExtractSettings)  # what of a document this site needs read
    main_name: Callable[[Address], Address] = lambda address: address  # the alias table
    widened: frozenset[str] = frozenset()  # servers that a seed redirected to: they belong to the site
    sieve: Met = field(default_factory=lambda: new_met(MOST_SIEVED))
    lists: Lists = field(default_factory=Lists)
    dropped: Counter[str] = field(default_factory=Counter)
    bitten: Counter[str] = field(default_factory=Counter)  # how often each limit bit
    near: frozenset[str] = frozenset()  # categories of the start pages: their lists come before others
    traps: Traps = field(default_factory=Traps)
    rendered: tuple[AddressPattern, ...] = ()

    gone: bool = False  # its site file was taken away while the crawl runs
    followed_since: float = math.inf  # the links of all pages read since then have been followed …
    followed_names: object = None  # … with `main_name` as it was when these were the names

    names: Callable[[], object] = lambda: None  # changes when `main_name` does
    stored: Stored = lambda ids: ()
    _met: Met = field(default_factory=lambda: new_met(MOST_MET))
    _names: object = None
    _is_bitten: bool = False
    _is_plain: bool = False  # a link says the same wherever it stands: neither patterns nor a limit of depth

    def follows_anew(self, page: Page, read_at: float) -> bool:
        """Whether it is looked at where a page leads that leads where its copy of that moment led."""
        is_other = not self._is_plain or page.kind is LIST or self.followed_names is not self.names()
        return is_other or read_at < self.followed_since

    def bite(self, limit: str) -> None:
        """A limit let something of this site go."""
        self.bitten[limit] += 1
        self._is_bitten = True

    def was_bitten(self) -> bool:
        """Whether one did since the last call."""
        bitten, self._is_bitten = self._is_bitten, False
        return bitten

    def __post_init__(self) -> None:
        self._is_plain = not self.script and self.rules.depth is None
        starts = [self.script.kind_of(seed) for seed in self.site.seeds]
        self.near = frozenset(one.category for one in starts if isinstance(one, Wanted) and one.kind is Kind.LIST)

    def seeds(self, now: float) -> list[Page]:
        return [
            self._page(self._start(address), None, Rank.URGENT, now)
            for seed in self.site.seeds
            if (address := self._address(seed)) is not None
        ]

    def discover(self, page: Page, links: Sequence[Link], now: float) -> list[Page]:
        """Addresses met for the first time: details, then lists near, then others; else in the document's order."""
        if not links and page.kind is not LIST:
            return []
        wanted = list(self._wanted(page, self._unmet(links)))
        ended = self._ended(page, wanted)
        unmet = [one for one in wanted if one.address.url not in self.sieve and not self._is_behind(ended, one)]
        stored = self._stored([one.address for one in unmet]) if self.traps.nears_a_limit(len(unmet)) else ()
        found = [
            self._page(one, page, rank_of(one.kind, one.category, self.near), now)
            for one in unmet
            if (not stored or one.address.id not in stored) and self._admitted(one.address, page.depth + 1, page)
        ]
        return sorted(found, key=place_in_line) if len(found) > 1 else found

    def recognise(self, pages: Sequence[tuple[Page, Sequence[Link]]]) -> int:
        """Pages seen before lead to pages that the store holds, nearly all of them. One question for many pages costs
        less than to let each address in, only for the store to say that it has it. What would be refused is left to
        `discover`, which counts it. How many it holds."""
        if not self._is_plain or self.traps.any_closed:
            return 0
        met, depths = self._spelt, dict[str, int]()
        for page, links in pages:
            depth = page.depth + 1
            for url in [link.url for link in links if not link.nofollow and link.url not in met]:
                depths[url] = min(depth, depths.get(url, depth))
        urls, ids = self._let_in(depths)
        if not urls or self.traps.nears_a_limit(len(urls)):
            return 0
        stored = self.stored(ids)
        met.remember([url for url, number in zip(urls, ids, strict=True) if number in stored])
        return len(stored)

    def _let_in(self, depths: Mapping[str, int]) -> tuple[list[str], list[int]]:
        """Those that would be let in so many links away from a seed, and the pages that they lead to. What they begin
        with is looked at once, for most of them that is enough."""
        plain, odd = list[str](), dict[str, int]()
        for origin, urls in _by_origin(depths).items():
            if not self.means(f"{origin}/"):
                rest = urls
            elif not self.rules.hosts.has(server_of(origin)):
                continue
            else:
                clean = self.canonicaliser.clean_behind(origin, urls)
                admitted = self.rules.admitted_at_a_glance(clean, depths)
                plain += admitted
                rest = list(set(urls).difference(admitted)) if len(admitted) < len(urls) else []
            for url in rest:
                address = self.canonicaliser.canonical(url)
                if address is not None and self.rules.admit(address := self.main_name(address), depths[url]).allowed:
                    odd[url] = address.id
        return [*plain, *odd], [*fingerprints(plain), *odd.values()]

    def _stored(self, addresses: Sequence[Address]) -> Collection[int]:
        """Those of them that an earlier run let in: they need no second look, and have counted."""
        stored = self.stored([one.id for one in addresses])
        self.sieve.remember([one.url for one in addresses if one.id in stored])
        return stored

    @property
    def met(self) -> Container[str]:
        """Addresses of links that need no second look, whatever document they stand in."""
        if not self._is_plain:
            return ()
        return self._met if self._names is self.names() else self._spelt

    @property
    def _spelt(self) -> Met:
        if self._names is not self.names():  # what was one server may be another now
            self._names, self._met = self.names(), new_met(MOST_MET)
        return self._met

    def knows(self, pages: Sequence[Page]) -> None:
        """The store holds these pages: links to them bring nothing new. One of the two memories is enough. That a seed
        led to another server may be news: another worker saw it."""
        for page in pages:
            if page.hops and page.depth == 0:
                self.widen(page.server)
        self.holds([page.url for page in pages])

    def holds(self, urls: list[str]) -> None:
        """The store does, pages of these addresses."""
        if self._is_plain:
            self._spelt.remember(self._meant(urls))
        else:
            self.sieve.remember(urls)

    def _meant(self, urls: Iterable[str]) -> list[str]:
        """Those to which links of that address lead. What they begin with is looked at once: most come from few
        servers."""
        found = list[str]()
        for origin, some in _by_origin(urls).items():
            clean = self.canonicaliser.clean_behind(origin, some) if self.means(f"{origin}/") else []
            odd = set(some).difference(clean) if len(clean) < len(some) else ()
            found += [*clean, *filter(self.means, odd)]
        return found

    def means(self, url: str) -> bool:
        """Whether a link to an address leads to a page of that address: what it stands for may have changed since."""
        address = self.canonicaliser.canonical(url)
        return address is not None and self.main_name(address).url == url

    def _unmet(self, links: Iterable[Link]) -> Iterable[Link]:
        if not self._is_plain:
            return links
        met = self._spelt
        fresh = [link for link in links if link.nofollow or link.url not in met]
        met.remember([link.url for link in fresh if not link.nofollow])
        return fresh

    def leads(self, page: Page, links: Sequence[Link]) -> tuple[int, int]:
        """To how many pages of the site that were never met, and to how many that were, be it by a run before this one;
        of the first links."""
        addresses = (self.canonicaliser.canonical(link.url) for link in links[:MOST_LEADS])
        others = {one for one in addresses if one and one.id != page.id and self.rules.hosts.has(one.server)}
        unmet = [one.id for one in others if one.url not in self.sieve]
        fresh = len(unmet) - len(self.stored(unmet)) if unmet else 0
        return fresh, len(others) - fresh

    def redirected(self, page: Page, target: str, longest: int, now: float) -> list[Page]:
        """The target of a redirect: a page of its own, checked anew. A seed's target belongs to the site."""
        if page.hops + 1 > longest:
            self.dropped["redirects"] += 1
            return []
        address = self._address(target)
        if address is None or address.id == page.id:
            return []
        if page.depth == 0:
            self.widen(address.server)
        read = self.script.kind_of(address.url)
        if isinstance(read, Unwanted) and page.depth > 0:
            self.dropped[read.reason] += 1
            return []
        if not self._admitted(address, page.depth, page):
            return []
        wanted = replace(self._start(address), category=page.category) if page.category else self._start(address)
        return [_with_hops(self._page(wanted, page, Rank.URGENT, now), page)]

    def announced(self, url: str, now: float) -> Page | str:
        """The page that somebody speaks of, as one link away from a seed; or the reason why it is not wanted."""
        address = self._address(url)
        if address is None:
            return "not_http"
        read = self.script.kind_of(address.url)
        if isinstance(read, Unwanted):
            return str(read.reason)
        admission = self.rules.admit(address, 1)
        if not admission.allowed:
            return str(admission.reason)
        return replace(self._page(replace(read, address=address), None, Rank.NOTICED, now), depth=1)

    def covers(self, page: Page) -> bool:
        """Would this page have been let in here, had it been met by this site first?"""
        if not self.rules.hosts.has(page.server):
            return False
        address = self.canonicaliser.canonical(page.url)
        if address is None or address.id != page.id or not self.rules.admit(address, page.depth, page.kind).allowed:
            return False
        is_plain = page.kind is Kind.SIGNAL or address.url in self.rules.seeds
        return is_plain or not isinstance(self.script.kind_of(page.url), Unwanted)

    def renders(self, url: str) -> bool:
        """Whether the site file wants a browser to show this page."""
        return any(pattern.matches(url) for pattern in self.rendered)

    def unwelcome(self, page: Page) -> str:
        """Why a page that entered before the site had its patterns is not visited any more; '' if it is."""
        may_be_closed = self.traps.any_closed and page.depth and not page.visits
        if may_be_closed and (closed := self.traps.is_closed(page.url, page.server)):
            return closed
        if page.depth == 0 or not self.script.patterns or page.kind is not Kind.GENERAL:
            return ""
        read = self.script.kind_of(page.url)
        return read.sentence if isinstance(read, Unwanted) else ""

    def _wanted(self, page: Page, links: Iterable[Link]) -> Iterator[Wanted]:
        """What the links stand for, each once."""
        met: set[int] = set()
        for link in links:
            if link.nofollow:
                self.dropped["nofollow"] += 1
                continue
            read = self._read(link, page)
            if isinstance(read, Unwanted):
                self._count(link, read)
                continue
            address = self.main_name(read.address)
            if (number := address.id) not in met:
                met.add(number)
                yield read if address is read.address else replace(read, address=address)

    def _read(self, link: Link, page: Page) -> Wanted | Unwanted:
        if self.script:
            return self.script.read(link, page.url, page.category)
        address = self.canonicaliser.canonical(link.url)
        return Unwanted(Drop.NOT_HTTP) if address is None else Wanted(address)

    def _count(self, link: Link, read: Unwanted) -> None:
        """Each unwanted address counts once."""
        spelling = read.address.url if read.address else link.url
        if spelling not in self.sieve:
            self.sieve.remember((spelling,))
            self.dropped[read.reason] += 1

    def _ended(self, page: Page, wanted: list[Wanted]) -> Wanted | None:
        """The list page itself, if it shows nothing that other pages of its list have not shown."""
        if page.kind is not Kind.LIST or not self.script.patterns:
            return None
        here = self.script.kind_of(page.url)
        if isinstance(here, Unwanted) or here.pattern is None:
            return None
        key = (here.pattern, here.category)
        shown = (one.address.id for one in wanted if (one.pattern, one.category) != key)
        return None if self.lists.brings_new(key, page.id, shown) else here

    def _is_behind(self, ended: Wanted | None, one: Wanted) -> bool:
        if ended is None or one.pattern != ended.pattern or not turns_to_later(ended.values, one.values):
            return False
        self.dropped[Drop.NOTHING_NEW] += 1
        return True

    def _start(self, address: Address) -> Wanted:
        read = self.script.kind_of(address.url)
        return replace(read, address=address) if isinstance(read, Wanted) else Wanted(address)

    def widen(self, server: str) -> None:
        """A user who names a site means where it has gone, too."""
        if not self.rules.hosts.has(server):
            self.followed_since = math.inf  # links that led there were let go
            hosts = replace(self.rules.hosts, servers=self.rules.hosts.servers | {server, twin(server)})
            self.rules = replace(self.rules, hosts=hosts)
            self.widened |= {server}

    def _address(self, url: str) -> Address | None:
        address = self.canonicaliser.canonical(url)
        if address is None:
            self.dropped["not_http"] += 1
            return None
        return self.main_name(address)

    def _admitted(self, address: Address, depth: int, page: Page) -> bool:
        admission = self.rules.admit(address, depth)
        if admission.allowed and self.traps.refusal(address):
            admission = Admission(False, Refusal.ALIKE)
        if admission.allowed or admission.reason not in FORGIVING:
            self.sieve.remember((address.url,))
        if not admission.allowed:
            self.dropped[admission.reason] += 1
            return False
        self.traps.let_in(address, page)
        return True

    def _page(self, wanted: Wanted, parent: Page | None, rank: int, now: float) -> Page:
        address = wanted.address
        return Page(
            id=address.id,
            url=address.url,
            server=address.server,
            site=self.site.name,
            kind=wanted.kind,
            category=wanted.category,
            rank=rank,
            importance=wanted.importance,
            depth=0 if parent is None else parent.depth + 1,
            found_from=None if parent is None else parent.id,
            found_at=float(int(now)),  # whole seconds take half the bytes in the store
            due_at=float(int(now)),
        )


def _with_hops(fresh: Page, page: Page) -> Page:
    return replace(fresh, depth=page.depth, hops=page.hops + 1)


def _by_origin(urls: Iterable[str]) -> dict[str, list[str]]:
    """Most links of a page lead to where the one before led."""
    found: dict[str, list[str]] = {}
    root, of_root = NO_ROOT, list[str]()
    for url in urls:
        if not url.startswith(root):
            end = url.find("/", SHORTEST_ORIGIN)
            root = url[: end + 1] or NO_ROOT
            of_root = found.setdefault(root[:-1], [])
        of_root.append(url)
    return found
