"""Site files that are added, changed, paused or taken away while a crawl runs."""

from collections.abc import Callable, Sequence
from dataclasses import field

from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.followed import NEVER
from recrawl.engine.wiring import Parts
from recrawl.folder.folder import Folder
from recrawl.model.failure import RecrawlError
from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.model.values import dataclass

LOOK_EVERY_S = 2.0

Make = Callable[[Site], Quarry]


@dataclass(slots=True)
class SiteWatch:
    """`check` refuses sites that may not be crawled; a file that cannot be read leaves everything as it is."""

    folder: Folder
    check: Callable[[Sequence[Site]], None]
    complain: Callable[[str], None]
    _stamp: object = None
    _look_at: float = field(default=0.0)

    def __post_init__(self) -> None:
        self._stamp = self.folder.sites_stamp()

    def changed(self, now: float) -> list[Site] | None:
        """All sites as they are written now; None: nothing changed, or it was not time to look."""
        if now < self._look_at:
            return None
        self._look_at = now + LOOK_EVERY_S
        stamp = self._looked()
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        try:
            sites = self.folder.sites()
            self.check(sites)
        except RecrawlError as error:
            self.complain(f"the site files changed and are not taken up: {error}")
            return None
        return sites

    def _looked(self) -> object:
        """What changes whenever a site file does, or what keeps them from being seen."""
        try:
            return self.folder.sites_stamp()
        except RecrawlError as error:
            return str(error)


def take_up(parts: Parts, sites: Sequence[Site], make: Make) -> list[Quarry]:
    """Let the crawl know the sites as they are now; the quarries that are new or differ. A site whose file is gone
    is left alone from now on, like one that is paused; its pages go to the site that covers them, if there is one."""
    fresh: list[Quarry] = []
    for site in sites:
        known = parts.quarries.get(site.name)
        if known is None or known.gone or known.site != site:
            fresh.append(make(site))
    names = {site.name for site in sites}
    for name, quarry in parts.quarries.items():
        quarry.followed_since = NEVER  # by other site files
        if name not in names:
            quarry.site, quarry.gone = replace(quarry.site, paused=True), True
    parts.quarries.update((quarry.site.name, quarry) for quarry in fresh)
    gone = {name for name, quarry in parts.quarries.items() if quarry.gone}
    parts.scheduler.know([quarry.site for quarry in parts.quarries.values()], gone)
    return fresh
