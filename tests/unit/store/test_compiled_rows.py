"""Rows and pages that the compiled part makes are those that Python makes."""

import sqlite3
from contextlib import closing
from dataclasses import fields, replace
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.event import Event, EventKind
from recrawl.model.page import Page, Rank, Status
from recrawl.model.site import Kind
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Version, Visit, Why
from recrawl.native import compiled
from recrawl.store import codes, columns, counts, rows
from recrawl.store.columns import (
    CONFIRMED,
    CONFIRMED_PLAN,
    EVENT_PLAN,
    PAGE,
    PAGE_PLAN,
    STANDING_PLAN,
    VERSION_PLAN,
    VISIT,
    VISIT_PLAN,
)
from recrawl.store.sqlite_driver import bindable
from recrawl.store.tables import CONFIRMED as CONFIRMED_COLUMNS
from recrawl.store.tables import FIELDS
from recrawl.store.tables import PAGE as PAGE_TABLE
from recrawl.store.tables import VISIT as VISIT_TABLE

WORDS = ("", "one", "ü", "text/html")
NUMBERS = {word: number for number, word in enumerate(WORDS)}
TEXTS: dict[int | None, str] = {number: word for word, number in NUMBERS.items()} | {None: ""}

words = st.sampled_from(WORDS)
servers = st.sampled_from(("a.example", "a.example:80", "bücher.example", ""))
urls = st.builds(
    "{}{}{}".format,
    st.sampled_from(("https://", "http://", "HTTPS://", "ftp://", "/", "h/", "")),
    servers,
    st.sampled_from(("", "/", "/x?y", "/ü", "?q", "h/")),
)
texts = st.one_of(words, st.text(max_size=5))
blobs = st.binary(max_size=5)
amounts = st.one_of(st.integers(0, 3), st.integers(-(1 << 63), (1 << 63) - 1))
moments = st.one_of(st.sampled_from((0.0, -0.0, 1.0)), st.floats(allow_nan=False))
maybe_moments = st.one_of(st.none(), moments)

pages = st.builds(
    Page,
    id=amounts,
    url=urls,
    server=servers,
    site=words,
    kind=st.sampled_from(Kind),
    category=words,
    rank=st.sampled_from(Rank.ALL),
    importance=moments,
    depth=amounts,
    hops=amounts,
    found_from=st.one_of(st.none(), amounts),
    found_at=moments,
    due_at=maybe_moments,
    interval_s=moments,
    belief=blobs,
    status=st.sampled_from(Status),
    reason=texts,
    etag=texts,
    last_modified=texts,
    body_digest=blobs,
    text_digest=blobs,
    simhash=st.one_of(st.just(0), st.integers(0, (1 << 64) - 1)),
    size_bytes=amounts,
    content_type=words,
    noise=blobs,
    failures=amounts,
    misses=amounts,
    visits=amounts,
    changes=amounts,
    conditional=amounts,
    checked_at=maybe_moments,
    changed_at=maybe_moments,
    target=texts,
)
visits = st.builds(
    Visit,
    page=amounts,
    at=moments,
    why=st.sampled_from(Why),
    status=amounts,
    evidence=st.sampled_from(Evidence),
    change=st.one_of(st.sampled_from(Change), st.sampled_from(Change).map(str)),
    failure=words,
    received_bytes=amounts,
    changed_bytes=amounts,
    conditional=st.booleans(),
    milliseconds=moments,
)
digests = st.one_of(
    st.sampled_from(("", f"sha256:{'0f' * 32}", f"sha256:{'0F' * 32}", f"sha256:{'0f' * 31}g0", "sha256:", "x" * 31)),
    st.binary(min_size=32, max_size=32).map(lambda digest: f"sha256:{digest.hex()}"),
    st.text(max_size=40),
)
versions = st.builds(
    Version, amounts, moments, digests, words, amounts, amounts, amounts, amounts, maybe_moments, content_type=words
)
events = st.builds(
    Event,
    kind=st.sampled_from(EventKind),
    at=moments,
    url=texts,
    site=words,
    page=st.one_of(st.none(), amounts),
    digest=digests,
    previous_digest=digests,
    share_changed=maybe_moments,
    facts=st.sampled_from(({}, {"target": "ü"}, {"list": ["a"]})),
)


@given(st.lists(pages, max_size=3))
def test_pages_become_the_rows_and_rows_the_pages_that_python_makes(some: list[Page]) -> None:
    made = columns.page_rows(some, NUMBERS)
    assert made == [rows.page_row(page, NUMBERS) for page in some]
    stored = [(*row, page.server) for row, page in zip(made, some, strict=True)]
    found = columns.pages_of(stored, TEXTS)
    assert [repr(page) for page in found] == [repr(rows.page_of(row, TEXTS)) for row in stored]
    if compiled:
        assert compiled.rows_of(PAGE_PLAN, some, NUMBERS) == made
        assert compiled.rows_of(STANDING_PLAN, some, NUMBERS) == [rows.standing_row(page, NUMBERS) for page in some]
        assert compiled.rows_of(CONFIRMED_PLAN, some, {}) == [rows.confirmed_row(page, {}) for page in some]
        assert compiled.values_of(PAGE_PLAN, stored, TEXTS) == found
    for row, page in zip(made, found, strict=True):  # of a server that is known
        assert repr(columns.pages_of([row], TEXTS, page.server)) == repr([page])


@given(st.lists(visits, max_size=3))
def test_visits_become_the_rows_that_python_makes(some: list[Visit]) -> None:
    made = columns.visit_rows(some, NUMBERS)
    assert made == [rows.visit_row(visit, NUMBERS) for visit in some]
    if compiled:
        assert compiled.rows_of(VISIT_PLAN, some, NUMBERS) == made


@pytest.mark.parametrize("without", [False, True])
def test_what_follows_the_columns_of_a_row_is_told_in_lists(monkeypatch: pytest.MonkeyPatch, without: bool) -> None:
    if without:
        monkeypatch.setattr(columns, "compiled", None)
    some = [Page(number, f"https://a.example/{number}", "a.example", "one") for number in range(3)]
    made = columns.page_rows(some, NUMBERS, [None, 1.5, 2.5], [7, 8, 9])
    assert made == [
        (*rows.page_row(page, NUMBERS), at, 7 + page.id) for page, at in zip(some, (None, 1.5, 2.5), strict=True)
    ]
    with pytest.raises(ValueError, match="zip"):
        columns.page_rows(some, NUMBERS, [None, 1.5])


@given(st.lists(versions, max_size=3), st.lists(events, max_size=3))
def test_versions_and_events_become_the_rows_that_python_makes(some: list[Version], told: list[Event]) -> None:
    made, told_rows = columns.version_rows(some, NUMBERS), columns.event_rows(told, NUMBERS)
    assert made == [rows.version_row(version, NUMBERS) for version in some]
    assert told_rows == [rows.event_row(event, NUMBERS) for event in told]
    if compiled:
        assert compiled.rows_of(VERSION_PLAN, some, NUMBERS) == made
        assert compiled.rows_of(EVENT_PLAN, told, NUMBERS) == told_rows


@pytest.mark.compiled
def test_a_plain_digest_is_packed_without_python() -> None:
    called = list[str]()
    plan = compiled.rows_plan(Version, (("digest", columns.How.DIGEST, called.append, codes.unpack_digest),))
    version = Version(1, 1.0, f"sha256:{'0f' * 32}", "", 0, 0, 0, 0)
    assert compiled.rows_of(plan, [version, replace(version, digest="")], {}) == [(b"\x0f" * 32,), (None,)]
    assert not called
    odd = replace(version, digest=f"sha256:{'0F' * 32}")
    assert compiled.rows_of(plan, [odd], {}) == [(None,)] and called == [odd.digest]


@given(st.lists(st.lists(st.one_of(st.none(), st.booleans(), st.integers(), st.binary(), st.text())).map(tuple)))
def test_sqlite_is_given_nothing_that_it_asks_about(some: list[tuple[object, ...]]) -> None:
    made = bindable(some)
    back = [tuple(None if isinstance(one, float) and isnan(one) else one for one in row) for row in made]
    assert back == some and {type(one) for row in made for one in row} <= {int, float, str, bytearray}


@pytest.mark.parametrize("value", [None, False, True, 7, 1.5, "text", b"", b"bytes"])
def test_what_sqlite_is_given_it_keeps_as_it_was(value: object) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (it)")
        connection.executemany("INSERT INTO kept VALUES (?)", bindable([(value,)]))
        assert connection.execute("SELECT it FROM kept").fetchall() == [(value,)]


@given(st.lists(pages, max_size=9))
def test_pages_that_stand_alike_are_counted_alike(some: list[Page]) -> None:
    stands = list(columns.standing_rows(some, NUMBERS))
    assert dict(counts.alike(stands)) == dict(counts.plainly_alike(stands))


@pytest.mark.compiled
def test_what_is_too_different_to_be_counted_at_once_is_left_to_python() -> None:
    stands = [(1, site, 0, 1, 1, 2.0, 3.0) for site in range(200)]
    assert compiled.alike(stands, 1e9) is None and len(counts.alike(stands)) == 200
    assert compiled.alike([(1, 1, 0, 1, "x", 2.0, 3.0)], 1e9) is None
    huge = [(1, 1 << 70, 0, 1, 1, 2.0, 3.0), (1, 1 << 71, 0, 1, 1, 2.0, 3.0)]
    assert compiled.alike(huge, 1e9) is None
    assert compiled.alike([*huge, (1, 1, 0, 1, "x", 2.0, 3.0)], 1e9) is None


def test_every_field_has_its_column() -> None:
    assert tuple(column[0] for column in PAGE) == tuple(field.name for field in fields(Page)) == FIELDS
    assert PAGE_TABLE.columns.keys() == [*FIELDS, "visited_at"]
    assert (*(column[0] for column in CONFIRMED), "visited_at") == CONFIRMED_COLUMNS
    assert [column[0] for column in VISIT] == [field.name for field in fields(Visit)] == VISIT_TABLE.columns.keys()


def test_words_and_codes_that_nobody_knows_are_complained_about() -> None:
    page = Page(1, "https://a.example/", "a.example", "one")
    (row,) = columns.page_rows([page], NUMBERS)
    with pytest.raises(KeyError):
        columns.page_rows([replace(page, site="unheard of")], NUMBERS)
    with pytest.raises(KeyError):
        columns.pages_of([(*row[:4], 99, *row[5:], "a.example")], TEXTS)
    with pytest.raises(IndexError):
        columns.pages_of([row], TEXTS)


@pytest.mark.compiled
def test_what_is_not_plain_is_left_to_python() -> None:
    page = Page(1, "https://a.example/", "a.example", "one")
    assert compiled.rows_of(PAGE_PLAN, [page, "no page"], NUMBERS) is None
    assert compiled.rows_of(PAGE_PLAN, [replace(page, category="unheard of")], NUMBERS) is None
    assert compiled.rows_of(PAGE_PLAN, [page], NUMBERS, ([],)) is None
    with pytest.raises(TypeError):
        compiled.rows_of(PAGE_PLAN, [page], NUMBERS, ((1,),))
    assert compiled.values_of(PAGE_PLAN, [("too", "short")], TEXTS) is None
    assert compiled.values_of(PAGE_PLAN, [["no", "tuple"]], TEXTS) is None
    assert compiled.bindable([["no", "tuple"]], 0.0) is None


@pytest.mark.compiled
@pytest.mark.parametrize(
    "column",
    [("id", 99, None, None), ("kind", 2, None, None), ("url", 6, None, None), ("server", 7, 1, None), ("id", 0)],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(column: tuple[object, ...]) -> None:
    with pytest.raises((ValueError, TypeError)):
        compiled.rows_plan(Page, (column,))
    with pytest.raises(AttributeError):
        compiled.rows_plan(Page, (("no field", 0, None, None),))


@pytest.mark.compiled
def test_addresses_are_not_packed_where_no_column_names_the_server() -> None:
    with pytest.raises(ValueError, match="server"):
        compiled.rows_plan(Page, tuple(column for column in PAGE if column[0] != "server"))
