"""Values as rows and rows as values: inverse pairs, in the order of the columns of `tables.py`."""

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from recrawl.model.address import fingerprint
from recrawl.model.event import Event
from recrawl.model.notice import Notice
from recrawl.model.page import Page
from recrawl.model.record import Record, canonical_json
from recrawl.model.server import RobotsFile, Server
from recrawl.model.verdict import Change
from recrawl.model.visit import Version, Visit
from recrawl.store import codes

Row = Sequence[Any]
Numbers = Mapping[str, int]
Texts = Mapping[int | None, str]

NO_WORD = 0


def page_row(page: Page, numbers: Numbers) -> tuple[object, ...]:
    return (
        page.id,
        codes.pack_url(page.url, page.server),
        codes.server_number(page.server),
        numbers[page.site],
        codes.KIND.number[page.kind],
        numbers[page.category] or None,
        page.rank,
        None if page.importance == 1.0 else page.importance,
        page.depth or None,
        page.hops or None,
        page.found_from,
        page.found_at or None,
        page.due_at,
        page.interval_s or None,
        page.belief or None,
        codes.STATUS.number[page.status],
        page.reason or None,
        page.etag or None,
        page.last_modified or None,
        page.body_digest or None,
        page.text_digest or None,
        codes.signed(page.simhash) or None,
        page.size_bytes or None,
        numbers[page.content_type] or None,
        page.noise or None,
        page.failures or None,
        page.misses or None,
        page.visits or None,
        page.changes or None,
        page.conditional or None,
        page.checked_at,
        page.changed_at,
        page.target or None,
    )


def confirmed_row(page: Page, numbers: Numbers) -> tuple[object, ...]:
    """What a visit changes that finds everything as it was."""
    return (
        page.rank,
        page.due_at,
        page.interval_s or None,
        page.belief or None,
        page.visits or None,
        page.conditional or None,
        page.checked_at,
    )


def standing_row(page: Page, numbers: Numbers) -> tuple[object, ...]:
    """What the counts are about, as `standings` tells it."""
    return (
        page.id,
        numbers[page.site],
        codes.KIND.number[page.kind],
        codes.STATUS.number[page.status],
        page.visits or None,
        page.interval_s or None,
        page.due_at,
    )


def page_of(row: Row, texts: Texts) -> Page:
    """The row ends with the server's key, which the page's own columns lack."""
    return Page(
        row[0],
        codes.unpack_url(row[1], row[33]),
        row[33],
        texts[row[3]],
        codes.KIND.member[row[4]],
        texts[row[5]],
        row[6],
        1.0 if row[7] is None else row[7],
        row[8] or 0,
        row[9] or 0,
        row[10],
        row[11] or 0.0,
        row[12],
        row[13] or 0.0,
        row[14] or b"",
        codes.STATUS.member[row[15]],
        row[16] or "",
        row[17] or "",
        row[18] or "",
        row[19] or b"",
        row[20] or b"",
        codes.unsigned(row[21] or 0),
        row[22] or 0,
        texts[row[23]],
        row[24] or b"",
        row[25] or 0,
        row[26] or 0,
        row[27] or 0,
        row[28] or 0,
        row[29] or 0,
        row[30],
        row[31],
        row[32] or "",
    )


def page_words(found: Sequence[Row]) -> set[int | None]:
    """The numbers of words in rows of pages."""
    return set(chain.from_iterable(map(itemgetter(3, 5, 23), found)))


def server_row(server: Server, partition: int, site: int) -> tuple[object, ...]:
    return (
        fingerprint(server.key),
        server.key,
        partition,
        site,
        server.next_due_at,
        server.alias_of or None,
        server.gap_s,
        server.crawl_delay_s,
        server.load_per_s,
        server.price,
        server.response_s,
        server.free_at,
        server.failures,
        server.failing_since,
        server.requests,
        server.overloaded,
    )


def server_of(row: Row) -> Server:
    return Server(
        key=row[1],
        partition=row[2],
        next_due_at=row[4],
        alias_of=row[5] or "",
        gap_s=row[6],
        crawl_delay_s=row[7],
        load_per_s=row[8],
        price=row[9],
        response_s=row[10],
        free_at=row[11],
        failures=row[12],
        failing_since=row[13],
        requests=row[14],
        overloaded=bool(row[15]),
    )


def visit_row(visit: Visit, numbers: Numbers) -> tuple[object, ...]:
    return (
        visit.page,
        visit.at,
        codes.WHY.number[visit.why],
        visit.status,
        codes.EVIDENCE.number[visit.evidence],
        codes.CHANGE.number[Change(visit.change)],
        numbers[visit.failure] or None,
        visit.received_bytes or None,
        visit.changed_bytes or None,
        visit.conditional,
        visit.milliseconds or None,
    )


def visit_of(row: Row, texts: Texts) -> Visit:
    return Visit(
        page=row[0],
        at=row[1],
        why=codes.WHY.member[row[2]],
        status=row[3],
        evidence=codes.EVIDENCE.member[row[4]],
        change=codes.CHANGE.member[row[5]],
        failure=texts[row[6]],
        received_bytes=row[7] or 0,
        changed_bytes=row[8] or 0,
        conditional=bool(row[9]),
        milliseconds=row[10] or 0.0,
    )


def version_row(version: Version, numbers: Numbers) -> tuple[object, ...]:
    return (
        version.page,
        version.at,
        codes.pack_digest(version.digest),
        numbers[version.warc_file] or None,
        version.warc_offset,
        version.warc_length,
        version.body_bytes or None,
        version.text_bytes or None,
        version.share_changed,
        numbers[version.content_type] or None,
    )


def version_of(row: Row, texts: Texts) -> Version:
    return Version(
        page=row[0],
        at=row[1],
        digest=codes.unpack_digest(row[2]),
        warc_file=texts[row[3]],
        warc_offset=row[4],
        warc_length=row[5],
        body_bytes=row[6] or 0,
        text_bytes=row[7] or 0,
        share_changed=row[8],
        content_type=texts[row[9]],
    )


def event_row(event: Event, numbers: Numbers) -> tuple[object, ...]:
    """Without its cursor, which comes first in the table."""
    return (
        codes.EVENT.number[event.kind],
        event.at,
        event.url or None,
        numbers[event.site],
        event.page,
        codes.pack_digest(event.digest),
        codes.pack_digest(event.previous_digest),
        event.share_changed,
        facts_text(event.facts),
    )


def facts_text(facts: dict[str, object]) -> str | None:
    return json.dumps(facts, separators=(",", ":")) if facts else None


def facts_of(text: str | None) -> dict[str, object]:
    return json.loads(text) if text else {}


def event_of(row: Row, texts: Texts) -> Event:
    return Event(
        cursor=row[0],
        kind=codes.EVENT.member[row[1]],
        at=row[2],
        url=row[3] or "",
        site=texts[row[4]],
        page=row[5],
        digest=codes.unpack_digest(row[6]),
        previous_digest=codes.unpack_digest(row[7]),
        share_changed=row[8],
        facts=facts_of(row[9]),
    )


def robots_row(file: RobotsFile) -> tuple[object, ...]:
    return file.origin, file.fetched_at, file.status, file.body or None, file.expires_at


def robots_of(row: Row) -> RobotsFile:
    return RobotsFile(row[0], row[1], row[2], row[3] or b"", row[4])


def notice_row(notice: Notice) -> tuple[object, ...]:
    source, kind = codes.SOURCE.number[notice.source], codes.NOTICE_KIND.number[notice.kind]
    return notice.page, notice.at, source, kind, notice.url, notice.proved


def notice_of(row: Row) -> Notice:
    proved = None if row[5] is None else bool(row[5])
    return Notice(row[0], row[4], row[1], codes.SOURCE.member[row[2]], codes.NOTICE_KIND.member[row[3]], proved)


def record_row(record: Record, numbers: Numbers) -> tuple[object, ...]:
    return (
        record.page,
        record.at,
        record.place,
        numbers[record.kind] or None,
        codes.RECORD_SOURCE.number[record.source],
        None if record.broken else json.dumps(record.data, ensure_ascii=False, separators=(",", ":")),
        canonical_json(record.missing) if record.broken else None,
        numbers[record.wrapper] or None,
        None if record.broken else codes.pack_digest(record.digest),
    )


def record_of(row: Row, texts: Texts) -> Record:
    return Record(
        page=row[0],
        at=row[1],
        place=row[2],
        kind=texts[row[3]],
        source=codes.RECORD_SOURCE.member[row[4]],
        data=json.loads(row[5]) if row[5] else {},
        missing=tuple(json.loads(row[6])) if row[6] else (),
        wrapper=texts[row[7]],
    )
