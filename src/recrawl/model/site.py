"""What a user wants: one site, as written in its site file."""

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """S2's page kinds. `SIGNAL` pages (sitemap, feed) speak about other pages."""

    GENERAL = "general"
    LIST = "list"
    DETAIL = "detail"
    SIGNAL = "signal"


@dataclass(frozen=True, slots=True)
class Site:
    """A wish. `own` lists authorities, hosts or networks that belong to the user: there alone private
    addresses are allowed, the gap is 0 unless set, and `parallel` may be raised."""

    name: str
    seeds: tuple[str, ...]
    own: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    gap_s: float | None = None
    parallel: int = 1
    importance: float = 1.0
    ignore: tuple[str, ...] = ()
    drop_parameters: tuple[str, ...] = ()
    sort_query: bool = False
    requests_per_day: float | None = None
    paused: bool = False
    extra: dict[str, object] = field(default_factory=dict)
