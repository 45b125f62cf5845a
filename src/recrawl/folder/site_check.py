"""Can a crawl be made of a site? What its file says is read when it runs; better to hear of a fault before."""

from collections.abc import Sequence

from recrawl.config import Settings
from recrawl.extract.turbo_late import fault_of, wrapper_of
from recrawl.model.failure import ConfigError
from recrawl.model.site import Site
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.globs import read_pattern
from recrawl.scope.patterns_site import Script
from recrawl.scope.rules import Rules


def checked(site: Site) -> Site:
    """The same site: its patterns, hosts, fields and selectors can be meant."""
    canonicaliser = Canonicaliser()
    Script(site, canonicaliser)
    Rules.from_site(site, canonicaliser)
    for pattern in sorted({one.pattern for one in site.fields}):
        wrapper_of([one for one in site.fields if one.pattern in ("", pattern)])
    for written in site.render:
        read_pattern(written)
    _need_selectors(site.ignore, f"ignore of {site.name}")
    return site


def check_together(settings: Settings, sites: Sequence[Site]) -> None:
    """Whether the sites can be crawled with these settings. A selector that finds nothing because it is none would
    leave everything in that it is meant to leave out."""
    settings.check_sites(sites)
    _need_selectors(settings.detect.ignore, "detect.ignore in recrawl.toml")
    for site in sites:
        _need_selectors(site.ignore, f"ignore of {site.name}")


def _need_selectors(selectors: Sequence[str], where: str) -> None:
    for selector in selectors:
        if fault := fault_of(selector):
            raise ConfigError(f"{where}: {fault}")
