"""What can be found, how it is asked for, and what was found."""

from enum import StrEnum

from recrawl.model.site import Kind
from recrawl.model.values import dataclass


class Part(StrEnum):
    """Where in a document a word stands: it weighs more in some parts than in others (S4)."""

    TITLE = "title"
    HEADINGS = "headings"
    EMPHASIS = "emphasis"
    ANCHORS = "anchors"
    TEXT = "text"
    RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Entry:
    """One version of a page as the index keeps it. `until_at` None: it is the current one."""

    page: int
    at: float
    url: str
    site: str = ""
    kind: Kind = Kind.GENERAL
    category: str = ""
    language: str = ""
    changed_at: float = 0.0
    until_at: float | None = None
    title: str = ""
    headings: str = ""
    emphasis: str = ""
    anchors: str = ""
    text: str = ""
    records: str = ""

    def part(self, part: Part) -> str:
        return str(getattr(self, part.value))


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an index along the event stream. It counts only if the index still stands at `after`, so two who
    feed one index do each event once. `closed`: what was current of a page ended at a moment (history only)."""

    after: int
    cursor: int
    put: tuple[Entry, ...] = ()
    removed: tuple[int, ...] = ()
    closed: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand one after another. `open`: the last one is a beginning. `part` None: anywhere."""

    words: tuple[str, ...]
    open: bool = False
    part: Part | None = None


class Filter(StrEnum):
    SITE = "site"
    KIND = "kind"
    CATEGORY = "category"
    LANGUAGE = "lang"
    URL = "url"


@dataclass(frozen=True, slots=True)
class Sieve:
    """A condition on what a document is, not on its words. Several of one filter: any of them; each `unlike`: none."""

    filter: Filter
    value: str
    unlike: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """All `groups` must be met, a group by any of its terms (an empty one by nothing), none of `without`."""

    groups: tuple[tuple[Term, ...], ...] = ()
    without: tuple[Term, ...] = ()
    sieves: tuple[Sieve, ...] = ()
    since_at: float | None = None  # changed at or after
    before_at: float | None = None  # changed before
    as_of_at: float | None = None  # the version current then; needs an index of all versions

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(term for group in self.groups for term in group)


@dataclass(frozen=True, slots=True)
class Hit:
    """`score` rises with relevance; 0 where nothing was asked but filters."""

    entry: Entry
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """`total` counts all that was found, `hits` is one page of it."""

    hits: tuple[Hit, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class Shelf:
    """How many documents of a site stand in a category."""

    site: str
    category: str
    documents: int


@dataclass(frozen=True, slots=True)
class Extent:
    documents: int = 0
    bytes: int = 0
