"""Pages of recrawl's own exports, put back as they were: page, versions, visits, belief."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from recrawl.exchange.import_sites import SiteBook
from recrawl.formats.page_state import PageState
from recrawl.model.batch import Batch
from recrawl.model.capture import Capture, Place
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Page, Status
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Reply, Version, Visit
from recrawl.ports import Archive, Store

LAST = {Status.GONE: (EventKind.REMOVED, Change.GONE), Status.MOVED: (EventKind.MOVED, Change.MOVED)}


class Restorer:
    def __init__(self, store: Store, archive: Archive, book: SiteBook, counts: Counter[str]) -> None:
        self._store, self._archive, self._book, self._counts = store, archive, book, counts

    def put_back(self, state: PageState, following: Iterator[Reply | None]) -> None:
        """`following` brings the versions' responses in order. A page that is known already stays as it is."""
        replies = [reply for _, reply in zip(state.versions, following, strict=False)]
        address = self._book.address(state.page.url)
        site = self._book.site_for(address) if address else None
        if address is None or site is None or address.url != state.page.url:
            self._counts["no_address"] += 1
            return
        if self._store.known([state.page.id]):
            self._counts["known"] += 1
            return
        page = replace(state.page, site=site, server=address.server, found_from=None)
        versions = self._kept(state.versions, replies)
        events = _events(page, versions, state.visits)
        batch = Batch(pages=(page,), versions=tuple(versions), visits=state.visits, events=tuple(events))
        self._store.save(batch)
        self._counts["pages"] += 1
        self._counts["versions"] += len(versions)

    def _kept(self, versions: Sequence[Version], replies: Sequence[Reply | None]) -> list[Version]:
        """Only bytes that are what the version says they are."""
        whole = [
            (version, replace(reply, at=version.at))
            for version, reply in zip(versions, replies, strict=False)
            if reply is not None
            and reply.evidence is Evidence.DOCUMENT
            and version.digest == f"sha256:{sha256(reply.body).hexdigest()}"
        ]
        self._counts["damaged"] += len(versions) - len(whole)
        captures = [Capture(reply.ask.url, version.at, reply, version.digest) for version, reply in whole]
        places = self._archive.append(captures)
        return [_placed(version, place) for (version, _), place in zip(whole, places, strict=True)]


def _placed(version: Version, place: Place) -> Version:
    return replace(version, warc_file=place.file, warc_offset=place.offset, warc_length=place.length)


def _events(page: Page, versions: Sequence[Version], visits: Sequence[Visit]) -> list[Event]:
    """The page's history told again, so that feed and index know it."""
    told: list[Event] = []
    for number, version in enumerate(versions):
        kind = EventKind.UPDATED if number else EventKind.ADDED
        before = versions[number - 1].digest if number else ""
        share = version.share_changed if number else None
        told.append(Event(kind, version.at, page.url, page.site, page.id, version.digest, before, share))
    if page.status in LAST and versions:
        kind, change = LAST[page.status]
        seen = [visit.at for visit in visits if visit.at > versions[-1].at and visit.change == change]
        at = min(seen, default=max(page.checked_at or 0.0, versions[-1].at))
        facts: dict[str, object] = {"target": page.target} if page.target else {}
        told.append(Event(kind, at, page.url, page.site, page.id, "", versions[-1].digest, facts=facts))
    return told
