"""To which site an imported address belongs; where there is none, one is made that asks for these addresses alone."""

import re
from collections import Counter
from dataclasses import replace

from recrawl.config import Settings
from recrawl.engine.quarries import canonicaliser_of
from recrawl.folder.folder import Folder
from recrawl.model.address import Address
from recrawl.model.ownership import split_authority
from recrawl.model.site import Site
from recrawl.model.site_name import name_of_server, plain_name
from recrawl.scope.rules import Rules

HOST_FIRST = re.compile(r"[\w-]+(\.[\w-]+)+(:\d+)?(/|$)")  # an address as people write it, without its scheme


class SiteBook:
    """`name`: the one site all addresses go to; '' sorts them by host. `follow`: new sites follow links, too.
    `own`: their servers are the user's."""

    def __init__(
        self, folder: Folder, settings: Settings, name: str, follow: bool, own: bool, counts: Counter[str]
    ) -> None:
        self._folder, self._name, self._follow, self._own, self._counts = folder, name, follow, own, counts
        self._canonicaliser = canonicaliser_of(settings, None)
        self._known = {site.name: site for site in folder.sites()}
        self._rules = {
            site.name: Rules.from_site(site, canonicaliser_of(settings, site)) for site in self._known.values()
        }
        self._made: dict[str, Site] = {}
        self._by_server: dict[str, str] = {}

    def address(self, url: str) -> Address | None:
        bare = "://" not in url and HOST_FIRST.match(url)
        return self._canonicaliser.canonical(f"https://{url}" if bare else url)

    def site_for(self, address: Address) -> str | None:
        """None: the site of that name does not want it."""
        if self._name in self._known:
            return self._admitted(address, self._name)
        for name, rules in self._rules.items():
            if not self._name and rules.hosts.has(address.server):
                return self._admitted(address, name)
        return self._make(address)

    def save(self) -> list[Site]:
        """Write the site files of the sites that were made."""
        for site in self._made.values():
            self._folder.put_site(site)
        return list(self._made.values())

    def _admitted(self, address: Address, name: str) -> str | None:
        if self._rules[name].admit(address).allowed:
            return name
        self._counts["unwanted"] += 1
        return None

    def _make(self, address: Address) -> str:
        name = plain_name(self._name) or self._by_server.get(address.server) or self._fresh_name(address.server)
        self._by_server[address.server] = name
        site = self._made.get(name)
        if site is None:
            depth = None if self._follow else 0
            site = Site(name=name, seeds=(address.url,), depth=depth)
        if address.server not in site.hosts:
            site = replace(site, hosts=(*site.hosts, address.server))
            if self._own:
                site = replace(site, own=(*site.own, _authority(address)))
        self._made[name] = site
        return name

    def _fresh_name(self, server: str) -> str:
        plain = name_of_server(server)
        taken = self._known.keys() | self._made.keys()
        return next(
            name for number in range(1, 1 << 30) if (name := f"{plain}-{number}" if number > 1 else plain) not in taken
        )


def _authority(address: Address) -> str:
    host, port = split_authority(address.server)
    default = 443 if address.url.startswith("https:") else 80
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port or default}"
