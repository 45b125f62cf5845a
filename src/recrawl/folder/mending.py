"""What a kill or a power cut left of the archive, mended: torn tails are cut, and versions that lay in them taken back.

The order is what makes it safe to do again: the store forgets what is lost, and only then is a file cut. A page that
lost its newest version is as it was before, without validators, due at once; the change feed says so (`lost`) and tells
what the next visit finds. After a kill nothing is lost: what the store knows was written before it knew.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import groupby
from operator import attrgetter

from recrawl.archive.repair import Repair, Torn, repair, torn
from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.batch import Batch
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Page, Rank, Status
from recrawl.model.swift import replace
from recrawl.model.visit import Version
from recrawl.ports import Store

AT_ONCE = 500  # pages in one transaction


def mended(folder: Folder, settings: Settings, now: float) -> list[Repair]:
    """Take back what is torn or gone, then cut and finish what nobody writes any more. By whoever holds the folder."""
    thorough = not settings.archive.sync
    if lost := torn(folder.archive, thorough):
        with closing(open_store(folder, settings)) as store:  # closed, what it forgot is on the disk
            take_back(store, lost, now)
    return repair(folder.archive, sync=settings.archive.sync, thorough=thorough)


def take_back(store: Store, files: Sequence[Torn], now: float) -> int:
    """Forget versions whose record lay in what is torn or gone; how many."""
    lost = [version for one in files for version in store.versions_in(one.file, one.kept_bytes)]
    lost.sort(key=attrgetter("page", "at"))
    by_page = [list(versions) for _, versions in groupby(lost, key=attrgetter("page"))]
    for start in range(0, len(by_page), AT_ONCE):
        _forget(store, {versions[0].page: versions for versions in by_page[start : start + AT_ONCE]}, now)
    return len(lost)


def _forget(store: Store, by_page: Mapping[int, Sequence[Version]], now: float) -> None:
    befores = {page.id: page for page in store.pages(list(by_page))}
    pages, events = list[Page](), list[Event]()
    for number, page in befores.items():
        gone = {version.at for version in by_page[number]}
        left = [version for version in store.versions(number) if version.at not in gone]
        newest = by_page[number][-1]
        if left and left[0].at > newest.at:
            continue  # only older ones are lost: what is known of the page is still true
        pages.append(as_it_was(page, left[0] if left else None))
        events.append(_told(page, newest, left, len(gone), now))
    lost = tuple(version for versions in by_page.values() for version in versions)
    store.save(Batch(pages=tuple(pages), lost=lost, events=tuple(events)))
    if pages:
        store.make_due(now, ids=[page.id for page in pages], rank=Rank.NOTICED)


def as_it_was(page: Page, version: Version | None) -> Page:
    """A page whose newest version is this one; None: nothing is kept of it. Without validators, so that the next answer
    is a whole one."""
    status = Status.NEW if page.status is Status.LIVE and version is None else page.status
    return replace(
        page,
        status=status,
        etag="",
        last_modified="",
        body_digest=bytes.fromhex(version.digest.removeprefix("sha256:")) if version else b"",
        text_digest=b"",
        simhash=0,
        size_bytes=version.body_bytes if version else 0,
        conditional=0,
        changed_at=version.at if version else None,
    )


def _told(page: Page, newest: Version, left: Sequence[Version], count: int, now: float) -> Event:
    facts: dict[str, object] = {"versions": count, "left": len(left), "version_at": newest.at}
    before = left[0].digest if left else ""
    return Event(EventKind.LOST, now, page.url, page.site, page.id, newest.digest, before, facts=facts)
