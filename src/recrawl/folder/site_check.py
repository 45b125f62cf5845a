"""Can a crawl be made of a site? What its file says is read when it runs; better to hear of a fault before."""

from recrawl.extract.records import wrapper_of
from recrawl.extract.selector import fault_of
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
    for selector in site.ignore:
        if fault := fault_of(selector):
            raise ConfigError(f"ignore of {site.name}: {fault}")
    return site
