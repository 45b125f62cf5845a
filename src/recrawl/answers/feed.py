"""The change feed with documents in it: what a search engine or a language model's store is kept in step with."""

from recrawl.answers.facts import change_object
from recrawl.answers.indexing import Read
from recrawl.index.entry import title_of
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import NotFound, RecrawlError
from recrawl.ports import Store

WITH_TEXT = (EventKind.ADDED, EventKind.UPDATED)


def need_cursor(store: Store, cursor: int) -> int:
    """The same cursor, if there is one. Where a folder was put back from an older copy, whoever is ahead of it would
    hear nothing until it has caught up, and never of what came meanwhile."""
    if cursor > 0 and not store.events(cursor - 1, limit=1):
        raise NotFound(
            f"there is no cursor {cursor} yet: is this another folder, or one put back from an older copy? "
            "Begin with a time (2h, 2026-11-01), or with 0"
        )
    return cursor


def change_with_text(event: Event, store: Store, read: Read) -> dict[str, object]:
    """The change with title, language and main text of the version it speaks of. They are None for a tombstone, and
    where the copy cannot be read; of a page that changed again since it is still that version."""
    told = change_object(event) | {"title": None, "language": None, "text": None}
    pages = store.pages([event.page]) if event.page is not None and event.kind in WITH_TEXT else []
    version = next((one for page in pages for one in store.versions(page.id, 1, event.at)), None)
    if version is None:
        return told
    try:
        document = read(pages[0], version)
    except RecrawlError:
        return told
    return told | {"title": title_of(document), "language": document.language, "text": document.text}
