"""Many values as rows and many rows as values, by the compiled part: the tables say how it makes what `rows.py` makes
one by one, which takes over where there is no such part or where it is not certain."""

from collections.abc import Callable, Collection, Sequence
from enum import IntEnum
from typing import Any, TypeVar

from recrawl.model.event import Event
from recrawl.model.page import Page
from recrawl.model.visit import Version, Visit
from recrawl.native import compiled
from recrawl.store import codes, rows
from recrawl.store.codes import Code
from recrawl.store.rows import Numbers, Row, Texts

Value = TypeVar("Value")


class How(IntEnum):
    """A field in its column. As `native/rows.c` numbers them."""

    AS_IS = 0
    UNLESS = 1  # NULL where it is what it mostly is
    CODE = 2  # a member of a closed set, by its number
    WORD = 3  # a text, by its number
    WORD_IF_ANY = 4  # the same, NULL for no text
    BITS = 5  # 64 of them, signed; NULL for 0
    URL = 6  # without its server
    SERVER = 7  # by its number; a row to read ends with its key
    DIGEST = 8  # its bytes
    MADE = 9  # by a function; NULL where there is nothing


Column = tuple[str, How, Any, Any]


def _as_is(field: str) -> Column:
    return field, How.AS_IS, None, None


def _unless(usual: object, *fields: str) -> tuple[Column, ...]:
    return tuple((field, How.UNLESS, usual, None) for field in fields)


def _code(field: str, code: Code[Any]) -> Column:
    return field, How.CODE, code.number, code.member


def _digest(field: str) -> Column:
    return field, How.DIGEST, codes.pack_digest, codes.unpack_digest


def _word(field: str, how: How = How.WORD_IF_ANY) -> Column:
    return field, how, None, None


PAGE: tuple[Column, ...] = (
    _as_is("id"),
    ("url", How.URL, codes.pack_url, codes.unpack_url),
    ("server", How.SERVER, codes.server_number, None),
    _word("site", How.WORD),
    _code("kind", codes.KIND),
    _word("category"),
    _as_is("rank"),
    *_unless(1.0, "importance"),
    *_unless(0, "depth", "hops"),
    _as_is("found_from"),
    *_unless(0.0, "found_at"),
    _as_is("due_at"),
    *_unless(0.0, "interval_s"),
    *_unless(b"", "belief"),
    _code("status", codes.STATUS),
    *_unless("", "reason", "etag", "last_modified"),
    *_unless(b"", "body_digest", "text_digest"),
    ("simhash", How.BITS, codes.signed, codes.unsigned),
    *_unless(0, "size_bytes"),
    _word("content_type"),
    *_unless(b"", "noise"),
    *_unless(0, "failures", "misses", "visits", "changes", "conditional"),
    _as_is("checked_at"),
    _as_is("changed_at"),
    *_unless("", "target"),
)
BY_FIELD = {column[0]: column for column in PAGE}
CONFIRMED = tuple(
    BY_FIELD[name] for name in ("rank", "due_at", "interval_s", "belief", "visits", "conditional", "checked_at")
)
STANDING = tuple(BY_FIELD[name] for name in ("id", "site", "kind", "status", "visits", "interval_s", "due_at"))
VISIT: tuple[Column, ...] = (
    _as_is("page"),
    _as_is("at"),
    _code("why", codes.WHY),
    _as_is("status"),
    _code("evidence", codes.EVIDENCE),
    _code("change", codes.CHANGE),
    _word("failure"),
    *_unless(0, "received_bytes", "changed_bytes"),
    _as_is("conditional"),
    *_unless(0.0, "milliseconds"),
)
VERSION: tuple[Column, ...] = (
    _as_is("page"),
    _as_is("at"),
    _digest("digest"),
    _word("warc_file"),
    _as_is("warc_offset"),
    _as_is("warc_length"),
    *_unless(0, "body_bytes", "text_bytes"),
    _as_is("share_changed"),
    _word("content_type"),
)
EVENT: tuple[Column, ...] = (
    _code("kind", codes.EVENT),
    _as_is("at"),
    *_unless("", "url"),
    _word("site", How.WORD),
    _as_is("page"),
    _digest("digest"),
    _digest("previous_digest"),
    _as_is("share_changed"),
    ("facts", How.MADE, rows.facts_text, rows.facts_of),
)
PLANS = ((Page, PAGE), (Page, CONFIRMED), (Page, STANDING), (Visit, VISIT), (Version, VERSION), (Event, EVENT))
PAGE_PLAN, CONFIRMED_PLAN, STANDING_PLAN, VISIT_PLAN, VERSION_PLAN, EVENT_PLAN = (
    compiled.rows_plan(*plan) if compiled else None for plan in PLANS
)


def page_rows(pages: Collection[Page], numbers: Numbers, *more: list[Any]) -> list[tuple[object, ...]]:
    return _rows(PAGE_PLAN, pages, numbers, rows.page_row, *more)


def confirmed_rows(pages: Collection[Page], *more: list[Any]) -> list[tuple[object, ...]]:
    return _rows(CONFIRMED_PLAN, pages, {}, rows.confirmed_row, *more)


def standing_rows(pages: Collection[Page], numbers: Numbers) -> Sequence[Row]:
    return _rows(STANDING_PLAN, pages, numbers, rows.standing_row)


def visit_rows(visits: Collection[Visit], numbers: Numbers, *more: list[Any]) -> list[tuple[object, ...]]:
    return _rows(VISIT_PLAN, visits, numbers, rows.visit_row, *more)


def version_rows(versions: Collection[Version], numbers: Numbers) -> list[tuple[object, ...]]:
    return _rows(VERSION_PLAN, versions, numbers, rows.version_row)


def event_rows(events: Collection[Event], numbers: Numbers) -> list[tuple[object, ...]]:
    """Without their cursors, which come first in the table."""
    return _rows(EVENT_PLAN, events, numbers, rows.event_row)


def pages_of(found: Sequence[Row], texts: Texts, server: str | None = None) -> list[Page]:
    """Rows that end with the server's key, but for those of one `server`."""
    key = () if server is None else (server,)
    made: list[Page] | None = compiled.values_of(PAGE_PLAN, list(found), texts, *key) if compiled else None
    return [rows.page_of((*row, *key), texts) for row in found] if made is None else made


def _rows(
    plan: object,
    values: Collection[Value],
    numbers: Numbers,
    row_of: Callable[[Value, Numbers], tuple[object, ...]],
    *more: list[Any],
) -> list[tuple[object, ...]]:
    """`more`: what follows the columns, a list for each."""
    made: list[tuple[object, ...]] | None = compiled.rows_of(plan, list(values), numbers, more) if compiled else None
    if made is not None:
        return made
    plain = [row_of(value, numbers) for value in values]
    return [row + rest for row, rest in zip(plain, zip(*more, strict=True), strict=True)] if more else plain
