"""A search as people know it: words in, answers with title, snippet, and when the page was last checked and changed."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from os import W_OK, access

from recrawl.answers.indexing import Indexer, index_file, indexer, open_index
from recrawl.answers.reading import Reading
from recrawl.engine.clock import SystemClock
from recrawl.index.query import parse
from recrawl.index.snippet import Snippet, marked, snippet
from recrawl.model.failure import NotFound
from recrawl.model.page import Page
from recrawl.model.search import Extent, Found, Hit, Part, Question, Shelf, Term
from recrawl.model.values import dataclass
from recrawl.ports import SearchIndex, Store

SHOWN_PARTS = (Part.TEXT, Part.RECORDS, Part.HEADINGS, Part.ANCHORS)  # the first one with a hit is the snippet
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """One document found. `at` is the moment of its version; `checked_at` and `changed_at` are the page's."""

    page: int
    url: str
    title: Snippet
    snippet: Snippet
    site: str
    kind: str
    category: str
    language: str
    at: float
    until_at: float | None
    checked_at: float | None
    changed_at: float | None
    score: float


@dataclass(frozen=True, slots=True)
class Answers:
    """`behind`: changes that the index has not taken up yet, counted to a thousand."""

    answers: tuple[Answer, ...] = ()
    total: int = 0
    behind: int = 0


@dataclass(slots=True)
class Search:
    """Opened by `open_search`. May be asked by any thread."""

    store: Store
    index: SearchIndex
    _indexer: Indexer | None
    _clock: SystemClock

    def catch_up(self, patience_s: float | None = None, progress: Progress = lambda taken: None) -> int:
        """Take up what the crawl found since; stop after `patience_s`. How many changes."""
        if self._indexer is None:
            return 0
        end_at = None if patience_s is None else self._clock.now() + patience_s
        taken = 0
        while (end_at is None or self._clock.now() < end_at) and (more := self._indexer.step()):
            taken += more
            progress(taken)
        return taken

    def ask(
        self, text: str, limit: int = 20, offset: int = 0, as_of_at: float | None = None, patience_s: float | None = 2.0
    ) -> Answers:
        """Catch up, then answer. A FormatError says what is wrong with the question and where."""
        question = replace(parse(text, self._clock.now()), as_of_at=as_of_at)
        self.catch_up(patience_s)
        found = self.index.find(question, limit, offset)
        behind = self._indexer.behind() if self._indexer else 0
        return Answers(tuple(self._answers(found, question)), found.total, behind)

    def shelves(self) -> list[Shelf]:
        """Documents by site and category, for browsing."""
        return self.index.shelves()

    def extent(self) -> Extent:
        return self.index.extent()

    def _answers(self, found: Found, question: Question) -> Iterator[Answer]:
        pages = {page.id: page for page in self.store.pages([hit.entry.page for hit in found.hits])}
        for hit in found.hits:
            yield _answer(hit, pages.get(hit.entry.page), question)


def _answer(hit: Hit, page: Page | None, question: Question) -> Answer:
    entry = hit.entry
    return Answer(
        page=entry.page,
        url=entry.url,
        title=marked(entry.title or entry.url, question.terms),
        snippet=_shown(hit, question.terms),
        site=entry.site,
        kind=entry.kind.value,
        category=entry.category,
        language=entry.language,
        at=entry.at,
        until_at=entry.until_at,
        checked_at=page.checked_at if page else None,
        changed_at=page.changed_at if page else entry.changed_at,
        score=hit.score,
    )


def _shown(hit: Hit, terms: tuple[Term, ...]) -> Snippet:
    first = snippet(hit.entry.text, terms)
    if first.marks or not terms:
        return first
    others = (snippet(hit.entry.part(part), terms) for part in SHOWN_PARTS[1:])
    return next((one for one in others if one.marks), first)


@contextmanager
def open_search(reading: Reading, history: bool = False) -> Iterator[Search]:
    """Over the newest versions, or over all there ever were (`history`: made when first asked for)."""
    folder, settings = reading.folder, reading.settings
    with ExitStack() as stack:
        if settings.state.store or access(folder.path, W_OK):
            feeding = stack.enter_context(indexer(folder, settings, reading.store, history))
            yield Search(reading.store, feeding.index, feeding, SystemClock())
            return
        if not index_file(folder, history).exists():
            raise NotFound(f"{folder.path} has no search index and cannot be written: search once where it can")
        index = open_index(folder, settings, history, readonly=True)
        stack.callback(index.close)
        yield Search(reading.store, index, None, SystemClock())
