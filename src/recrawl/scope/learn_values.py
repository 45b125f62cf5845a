"""What learning works with: pages of a sample as they were seen, and what is believed of groups of addresses."""

from dataclasses import field
from enum import StrEnum

from recrawl.model.values import dataclass

_PAGE_WORDS = "page p pg pn pageno page_no pagenum pageindex paged offset start from_row seite pagina"
PAGE_WORDS = frozenset(_PAGE_WORDS.split())


def is_page_key(name: str) -> bool:
    """Whether a parameter or segment of this name turns pages."""
    return name.lower().strip("[]") in PAGE_WORDS


@dataclass(frozen=True, slots=True)
class Seen:
    """One link of a sampled page. `url` is canonical; of a script it is the code. `place` names where it stands."""

    url: str
    relation: str = "a"
    text: str = ""
    place: int = 0
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Sampled:
    """One page of the sample. `redirect`: it led there instead. `text_chars`: of running text outside links."""

    url: str
    links: tuple[Seen, ...] = ()
    title: str = ""
    text: int = 0  # fingerprint of its main text
    text_chars: int = 0
    redirect: str = ""
    failed: bool = False

    @property
    def is_page(self) -> bool:
        return not self.failed and not self.redirect


@dataclass(frozen=True, slots=True)
class Shape:
    """A group of addresses as a pattern without names: `{int}`, `{slug}` … stand where members differ."""

    server: str
    segments: tuple[str, ...]
    query: tuple[tuple[str, str], ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.query)

    @property
    def variables(self) -> int:
        return sum("{" in part for part in (*self.segments, *(value for _, value in self.query)))

    def __str__(self) -> str:
        query = "&".join(f"{name}={value}" if value else name for name, value in self.query)
        return "/" + "/".join(self.segments) + (f"?{query}" if query else "")


class Role(StrEnum):
    LIST = "list"
    DETAIL = "detail"
    CALENDAR = "calendar"
    VARIANT = "variant"  # the same pages once more: sort orders, print versions
    OTHER = "other"


@dataclass(slots=True, eq=False)
class Group:
    """All that is known of the addresses of one shape."""

    shape: Shape
    members: set[str] = field(default_factory=set)
    pages: list[Sampled] = field(default_factory=list)  # of the sample
    role: Role = Role.OTHER
    because: str = ""
    unsure: str = ""
    shows_details: bool = False  # its pages have blocks of details, whatever its role

    @property
    def is_known(self) -> bool:
        """Whether a page of it was looked at and proved to be something else."""
        return any(page.is_page for page in self.pages) and not self.shows_details
