"""From a site and the folder's settings to where its addresses come from and pass through."""

from collections.abc import Sequence
from functools import partial

from recrawl.config import Settings
from recrawl.engine.adoption import Orphans, adopt_all
from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.discover_memo import bitten_counts, closed_traps, dropped_counts, hosts_memo, trap_counts
from recrawl.engine.readmission import readmit_all
from recrawl.extract.settings import ExtractSettings
from recrawl.model.failure import ConfigError
from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.ports import Store
from recrawl.scope.aliases import AliasTable
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.canonical_rules import CanonicalRules
from recrawl.scope.globs import read_pattern
from recrawl.scope.patterns_site import Script
from recrawl.scope.rules import Rules
from recrawl.scope.traps import Traps


def canonicaliser_of(settings: Settings, site: Site | None) -> Canonicaliser:
    """The folder's table of what does not name a page, with the site's changes."""
    return Canonicaliser(settings.addresses if site is None else CanonicalRules.from_site(site, settings.addresses))


def quarry_of(settings: Settings, site: Site, watch: AliasWatch, store: Store, worker: str = "0") -> Quarry:
    if not site.seeds:
        raise ConfigError(f'site {site.name} has no start: write seeds = ["https://…"] at the top of its site file')
    canonicaliser = canonicaliser_of(settings, site)
    script = Script(site, canonicaliser)
    quarry = Quarry(
        site,
        Rules.from_site(site, canonicaliser, settings.traps),
        canonicaliser,
        script,
        reading_of(settings, site, script),
        lambda address: watch.table.apply(address),
        dropped=dropped_counts(store, site.name, worker),
        bitten=bitten_counts(store, site.name, worker),
        names=partial(getattr, watch, "table"),
        stored=store.known,
        traps=Traps(settings.traps),
        rendered=tuple(map(read_pattern, site.render)),
    )
    counted = trap_counts(store, site.name)
    quarry.traps.recall(counted.pop(worker, None), counted.values())
    quarry.traps.hear(closed_traps(store, site.name, settings.traps))
    for server in (store.memo(hosts_memo(site.name)) or b"").decode().split():
        quarry.widen(server)
    return quarry


def adopt_pages(settings: Settings, sites: Sequence[Site], store: Store) -> list[Orphans]:
    """Before a run, by whoever holds the store: pages of sites that are gone go to the sites that cover them."""
    if set(store.sites()) <= {site.name for site in sites}:
        return []
    watch = AliasWatch(store, AliasTable(edited=settings.aliases))
    return adopt_all(store, {site.name: quarry_of(settings, site, watch, store) for site in sites})


def readmit_pages(settings: Settings, sites: Sequence[Site], store: Store, now: float) -> list[str]:
    """Before a run, by whoever holds the store: what limits and rules let go before and do not now is wanted again.
    What people should hear of it."""
    watch = AliasWatch(store, AliasTable(edited=settings.aliases))
    told = readmit_all(store, sites, settings.traps, lambda site: quarry_of(settings, site, watch, store), now)
    return [one.sentence for one in told]


def reading_of(settings: Settings, site: Site, script: Script) -> ExtractSettings:
    """Scripts and forms are read only where the site file has a use for them; elsewhere the settings are these very
    ones, so that nobody need compare them."""
    extract = settings.extract
    scripts, forms = extract.scripts or script.needs_scripts, extract.forms or bool(site.patterns)
    is_same = (scripts, forms) == (extract.scripts, extract.forms)
    return extract if is_same else replace(extract, scripts=scripts, forms=forms)
