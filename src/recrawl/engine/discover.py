"""Links → scope → sieve → pages to visit. The second of the two loops."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from recrawl.frontier.sieve import Sieve
from recrawl.model.address import Address
from recrawl.model.page import Link, Page, Rank
from recrawl.model.site import Site
from recrawl.scope.aliases import twin
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.rules import Refusal, Rules

FORGIVING = frozenset({Refusal.DEPTH})  # reasons that another way to the same address may overcome


@dataclass(slots=True)
class Quarry:
    """Where the addresses of one site come from and pass through."""

    site: Site
    rules: Rules
    canonicaliser: Canonicaliser
    main_name: Callable[[Address], Address] = lambda address: address  # the alias table
    widened: frozenset[str] = frozenset()  # servers that a seed redirected to: they belong to the site
    sieve: Sieve = field(default_factory=Sieve)
    dropped: Counter[str] = field(default_factory=Counter)

    def seeds(self, now: float) -> list[Page]:
        return [
            self._page(address, None, Rank.URGENT, now)
            for seed in self.site.seeds
            if (address := self._address(seed)) is not None
        ]

    def discover(self, page: Page, links: Iterable[Link], now: float) -> list[Page]:
        """Addresses met for the first time, in the order of the document."""
        found: list[Page] = []
        for link in links:
            if link.nofollow:
                self.dropped["nofollow"] += 1
                continue
            address = self._address(link.url)
            if address is None:
                continue
            if address.id in self.sieve:
                continue
            if self._admitted(address, page.depth + 1):
                found.append(self._page(address, page, Rank.GENERAL, now))
        return found

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
        if not self._admitted(address, page.depth):
            return []
        fresh = self._page(address, page, Rank.URGENT, now)
        return [_with_hops(fresh, page)]

    def widen(self, server: str) -> None:
        """A user who names a site means where it has gone, too."""
        if not self.rules.hosts.has(server):
            hosts = replace(self.rules.hosts, servers=self.rules.hosts.servers | {server, twin(server)})
            self.rules = replace(self.rules, hosts=hosts)
            self.widened |= {server}

    def _address(self, url: str) -> Address | None:
        address = self.canonicaliser.canonical(url)
        if address is None:
            self.dropped["not_http"] += 1
            return None
        return self.main_name(address)

    def _admitted(self, address: Address, depth: int) -> bool:
        admission = self.rules.admit(address, depth)
        if admission.allowed or admission.reason not in FORGIVING:
            self.sieve.remember((address.id,))
        if not admission.allowed:
            self.dropped[admission.reason] += 1
        return admission.allowed

    def _page(self, address: Address, parent: Page | None, rank: int, now: float) -> Page:
        return Page(
            id=address.id,
            url=address.url,
            server=address.server,
            site=self.site.name,
            rank=rank,
            importance=1.0,
            depth=0 if parent is None else parent.depth + 1,
            found_from=None if parent is None else parent.id,
            found_at=now,
            due_at=now,
        )


def _with_hops(fresh: Page, page: Page) -> Page:
    return replace(fresh, depth=page.depth, hops=page.hops + 1)


def hosts_memo(site: str) -> str:
    """Under this name the store remembers which servers a site's seeds redirected to."""
    return f"hosts:{site}"
