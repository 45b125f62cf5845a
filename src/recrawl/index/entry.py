"""From a document to its entry of the index."""

from collections.abc import Iterable, Iterator, Mapping

from recrawl.model.document import Block, Document
from recrawl.model.page import Page
from recrawl.model.record import Record
from recrawl.model.search import Entry
from recrawl.model.visit import Version

EMPHASISED = 8  # `Block.level` of text emphasised throughout
HEADINGS = range(1, 7)
LINKS = frozenset({"a", "area"})
TITLE_CHARS = 1000
ANCHOR_CHARS = 20_000


def entry_of(page: Page, version: Version, document: Document, records: str = "") -> Entry:
    """Headings count wherever they stand, running text only in the main part. `records`: extracted values as text."""
    return Entry(
        page=page.id,
        at=version.at,
        url=page.url,
        site=page.site,
        kind=page.kind,
        category=page.category,
        language=document.language.lower(),
        changed_at=version.at,
        title=title_of(document)[:TITLE_CHARS],
        headings=_lines(document.blocks, HEADINGS),
        emphasis=_lines(document.main, (EMPHASISED,)),
        anchors=_anchors(document)[:ANCHOR_CHARS],
        text=document.text,
        records=records,
    )


def title_of(document: Document) -> str:
    """The title, or the first heading; '' where there is neither."""
    headings = (block.text for block in document.blocks if block.level in HEADINGS)
    return document.title or next(headings, "")


def text_of_records(records: Iterable[Record]) -> str:
    """The values of records, a line each, whatever they are nested in."""
    return "\n".join(value for record in records for value in _values(record.data))


def _values(data: object) -> Iterator[str]:
    if isinstance(data, Mapping):
        for one in data.values():
            yield from _values(one)
    elif isinstance(data, str):
        yield data
    elif isinstance(data, Iterable):
        for one in data:
            yield from _values(one)
    elif data is not None and not isinstance(data, bool):
        yield str(data)


def _lines(blocks: Iterable[Block], levels: Iterable[int]) -> str:
    wanted = frozenset(levels)
    return "\n".join(block.text for block in blocks if block.level in wanted)


def _anchors(document: Document) -> str:
    texts = (link.text for link in document.links if link.relation in LINKS and link.text)
    return "\n".join(dict.fromkeys(texts))
