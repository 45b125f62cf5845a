"""Which fields are read from which page of a site."""

from collections.abc import Mapping
from dataclasses import field

from recrawl.engine.finding.discover import Quarry
from recrawl.extract.turbo_late import wrapper_of
from recrawl.extract.wrapper import Wrapper
from recrawl.model.failure import ConfigError
from recrawl.model.page import Page
from recrawl.model.site import Field, Kind, Pattern, Site
from recrawl.model.values import dataclass
from recrawl.scope.patterns_site import Script, Wanted

READY_MADE = "ready-made"  # in the place of a wrapper's digest, where the page itself knows


@dataclass(frozen=True, slots=True)
class Reader:
    """How the records of a page are read: by a wrapper, or (None) as the page offers them."""

    wrapper: Wrapper | None = None
    kind: str = ""

    @property
    def digest(self) -> str:
        return self.wrapper.digest if self.wrapper else READY_MADE


@dataclass(slots=True)
class SiteWrappers:
    """The wrappers of one site, compiled when it is made. A site without patterns has its fields on every page."""

    site: Site
    script: Script
    _readers: dict[int | None, Reader | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            places: list[int | None] = [*range(len(self.site.patterns))]
            self._readers = {place: self._compiled(place) for place in places or [None]}
        except ConfigError as error:
            raise ConfigError(f"site {self.site.name}: {error}") from error

    def reader(self, page: Page) -> Reader | None:
        """None: such pages have no records."""
        return None if page.kind is Kind.SIGNAL else self._readers.get(self._place(page))

    def _place(self, page: Page) -> int | None:
        if not self.site.patterns:
            return None
        read = self.script.kind_of(page.url)
        return read.pattern if isinstance(read, Wanted) and read.pattern is not None else -1

    def _compiled(self, place: int | None) -> Reader | None:
        pattern = None if place is None else self.site.patterns[place]
        fields = [one for one in self.site.fields if _is_on(one, pattern)]
        kind = "" if pattern is None else pattern.item_class or pattern.name
        if fields:
            return Reader(wrapper_of(fields), kind)
        has_details = pattern is None or pattern.kind is Kind.DETAIL
        return Reader(None, kind) if has_details and not self.site.fields else None


def _is_on(one: Field, pattern: Pattern | None) -> bool:
    if pattern is None:
        return not one.pattern
    return one.pattern == pattern.name if one.pattern else pattern.kind is Kind.DETAIL


def wrappers_of(quarries: Mapping[str, Quarry]) -> dict[str, SiteWrappers]:
    return {name: SiteWrappers(quarry.site, quarry.script) for name, quarry in quarries.items()}
