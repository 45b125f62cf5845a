"""Site files outside a folder: a TOML site file or a crawl script, and the scope it describes."""

from dataclasses import replace

from recrawl.config import Settings
from recrawl.engine.quarries import canonicaliser_of
from recrawl.model.failure import UsageError
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.scope.patterns_site import Script
from recrawl.scope.rules import Rules


@dataclass(frozen=True, slots=True)
class Scope:
    """`base`: the address that relative links start from."""

    site: Site
    script: Script
    rules: Rules
    base: str


def scope_of(site: Site, settings: Settings, base: str = "") -> Scope:
    """The rules also know the page looked at, so that a script without seeds can be tried on it."""
    canonicaliser = canonicaliser_of(settings, site)
    start = base or base_of(site)
    if not site.seeds and not site.hosts:
        site = replace(site, seeds=(start,))
    return Scope(site, Script(site, canonicaliser), Rules.from_site(site, canonicaliser), start)


def base_of(site: Site) -> str:
    host = next(iter(site.hosts), "").removeprefix("*.")
    return next(iter(site.seeds), "") or (f"http://{host}/" if host else "http://localhost/")


def site_for(sites: tuple[Site, ...], base: str, settings: Settings) -> Site:
    """Of several sites in one file, the one that the page belongs to."""
    if len(sites) == 1:
        return sites[0]
    for site in sites:
        canonicaliser = canonicaliser_of(settings, site)
        address = canonicaliser.canonical(base)
        if address is not None and Rules.from_site(site, canonicaliser).hosts.has(address.server):
            return site
    names = ", ".join(site.name for site in sites)
    raise UsageError(
        f"the file holds several sites ({names}) and the page belongs to none: name its address with --url"
    )
