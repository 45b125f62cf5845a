"""What a judged visit leaves behind: its row of history, its copy, its event."""

from collections.abc import Sequence

from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.ledger import Copy
from recrawl.model.capture import Capture
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import Failure
from recrawl.model.page import Page, Status
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Version, Visit
from recrawl.ports import Store

LIMITS = frozenset(
    {
        Failure.CONNECT_TIMEOUT,
        Failure.FIRST_BYTE_TIMEOUT,
        Failure.TOTAL_TIMEOUT,
        Failure.TOO_SLOW,
        Failure.HEADERS_TOO_LARGE,
        Failure.BODY_TOO_LARGE,
        Failure.BOMB,
    }
)
KIND_OF = {Change.NEW: EventKind.ADDED, Change.CHANGED: EventKind.UPDATED}


def visit_row(one: Arrival) -> Visit:
    reply, verdict = one.reply, one.verdict
    return Visit(
        page=one.page.id,
        at=reply.at,
        why=one.why,
        status=reply.status,
        evidence=reply.evidence,
        change=verdict.change,
        failure=reply.failure or "",
        received_bytes=reply.received_bytes,
        changed_bytes=verdict.changed_bytes,
        conditional=reply.ask.conditional,
        milliseconds=round(reply.times.total_s * 1000, 3),
    )


def digest_text(digest: bytes) -> str:
    return f"sha256:{digest.hex()}" if digest else ""


def copy_of(one: Arrival, record_unchanged: bool) -> Copy | None:
    """The archive's share: a whole response for a new version, a revisit record for an unchanged one."""
    reply, verdict, page = one.reply, one.verdict, one.page
    if not one.keep or reply.evidence not in (Evidence.DOCUMENT, Evidence.NOT_MODIFIED, Evidence.REDIRECT):
        return None
    facts = (("why", one.why), ("verdict", verdict.change), ("reason", verdict.reason))
    if verdict.change in (Change.NEW, Change.CHANGED):
        capture = Capture(page.url, reply.at, reply, digest_text(verdict.body_digest), facts=facts)
        share = None if verdict.change is Change.NEW else verdict.share
        return Copy(capture, page.id, verdict.text_bytes, share)
    same_bytes = reply.evidence is Evidence.NOT_MODIFIED or verdict.body_digest == page.body_digest
    if record_unchanged and verdict.change is Change.SAME and same_bytes and page.changed_at is not None:
        digest = digest_text(page.body_digest)
        capture = Capture(page.url, reply.at, reply, digest, page.changed_at, digest, facts)
        return Copy(capture, page.id, is_version=False)
    if verdict.change is Change.MOVED and page.target != verdict.target:
        return Copy(Capture(page.url, reply.at, reply, "", facts=facts), page.id, is_version=False)
    return None


def limit_event(one: Arrival) -> Event | None:
    """A limit that bit, told once a page and streak."""
    limit, says = _bitten(one)
    if not limit or one.page.failures:
        return None
    return limit_hit(limit, says, one.reply.at, one.page.url, one.page.site)


def limit_hit(limit: str, says: str, at: float, url: str, site: str) -> Event:
    return Event(EventKind.LIMIT_HIT, at, url, site, facts={"limit": limit, "says": says})


def _bitten(one: Arrival) -> tuple[str, str]:
    """Which limit, and what it has to say; ('', '') if none. A page read in part says so when it is new or changed."""
    if one.reply.failure in LIMITS:
        return str(one.reply.failure), one.reply.detail
    if one.verdict.limit:
        said_before = one.signal is not None and one.verdict.change is Change.SAME
        return ("", "") if said_before else (one.verdict.limit, one.verdict.reason)
    cut = one.document.cut if one.document and one.verdict.change in KIND_OF else ""
    return ("extract", cut) if cut else ("", "")


def outgrown(store: Store, one: Arrival, most: int) -> Sequence[Version]:
    """The oldest versions of a page that has so many without the one just found."""
    if not most or one.page.changes + 1 < most:
        return ()
    return store.versions(one.page.id)[most - 1 :]


def event_of(one: Arrival, after: Page) -> Event | None:
    """The line of the change feed, if the visit proved a change."""
    verdict, page = one.verdict, one.page
    kind = KIND_OF.get(verdict.change)
    if page.status in (Status.GONE, Status.MOVED) and after.status is Status.LIVE:
        kind = EventKind.ADDED
    elif verdict.change is Change.MOVED and page.target != verdict.target:
        kind = EventKind.MOVED
    elif verdict.change is Change.GONE and page.status is not Status.GONE and page.checked_at is not None:
        kind = EventKind.REMOVED
    if kind is None:
        return None
    previous = one.previous.digest if one.previous else digest_text(page.body_digest)
    return Event(
        kind=kind,
        at=one.reply.at,
        url=page.url,
        site=page.site,
        page=page.id,
        digest="" if kind in (EventKind.REMOVED, EventKind.MOVED) else digest_text(verdict.body_digest),
        previous_digest=previous,
        share_changed=verdict.share if kind is EventKind.UPDATED else None,
        facts={"target": verdict.target} if verdict.target else {},
    )
