"""What rows hold instead of values comes back as the values."""

from enum import StrEnum

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recrawl.model.event import EventKind
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.page import Status
from recrawl.model.record import RecordSource
from recrawl.model.site import Kind
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Why
from recrawl.store import codes
from recrawl.store.texts import SIZES, in_chunks
from recrawl.store.words import REMEMBERED, Words

CODES = [
    (codes.KIND, Kind),
    (codes.STATUS, Status),
    (codes.WHY, Why),
    (codes.EVIDENCE, Evidence),
    (codes.CHANGE, Change),
    (codes.EVENT, EventKind),
    (codes.SOURCE, Source),
    (codes.RECORD_SOURCE, RecordSource),
    (codes.NOTICE_KIND, NoticeKind),
]


@pytest.mark.parametrize(("code", "members"), CODES, ids=[members.__name__ for _, members in CODES])
def test_every_member_of_a_closed_set_has_a_number_of_its_own(
    code: codes.Code[StrEnum], members: type[StrEnum]
) -> None:
    assert set(code.number) == set(members)
    assert [code.member[code.number[member]] for member in members] == list(members)


@given(st.one_of(st.text(max_size=80), st.binary(min_size=32, max_size=32).map(lambda data: "sha256:" + data.hex())))
@example("")
@example("=" * 31)
@example("+" * 31)
@example("x" * 30)
@example("sha256:" + "AB" * 32)
@example("sha256:" + " " * 64)
@example("sha256:" + "2b" * 32)
def test_a_digest_comes_back_as_it_was(digest: str) -> None:
    assert codes.unpack_digest(codes.pack_digest(digest)) == digest


def test_a_sha256_takes_32_bytes() -> None:
    assert codes.pack_digest("sha256:" + "2b" * 32) == b"\x2b" * 32


@given(st.integers(0, (1 << 64) - 1))
def test_unsigned_words_fit_into_signed_ones_and_back(word: int) -> None:
    assert -(1 << 63) <= codes.signed(word) < 1 << 63
    assert codes.unsigned(codes.signed(word)) == word


SERVER = st.sampled_from(["a.example", "a.example:8080", "[::1]:80"])
URL = st.builds(
    "{}{}{}".format, st.sampled_from(["http://", "https://", "ftp://", "h", ""]), SERVER, st.text(max_size=9)
)


@given(URL, SERVER)
@example("https://a.example", "a.example")
@example("https://a.example.evil/", "a.example")
def test_an_address_comes_back_as_it_was(url: str, server: str) -> None:
    assert codes.unpack_url(codes.pack_url(url, server), server) == url


@given(st.lists(st.integers(), max_size=1200))
def test_lists_are_cut_into_the_sizes_that_statements_have(items: list[int]) -> None:
    chunks = list(in_chunks(items))
    assert all(len(chunk) in SIZES for chunk in chunks)
    joined = [item for chunk in chunks for item in chunk]
    assert joined[: len(items)] == items and set(joined) == set(items)


def test_words_that_are_forgotten_are_learnt_again_with_the_same_numbers() -> None:
    table: dict[str, int] = {}
    asked: list[str] = []

    def learn(texts: list[str]) -> list[tuple[int, str]]:
        asked.extend(texts)
        return [(table.setdefault(text, len(table) + 1), text) for text in texts]

    def recall(numbers: list[int]) -> list[tuple[int, str]]:
        return [(number, text) for text, number in table.items() if number in numbers]

    words = Words(learn, recall)
    first = words.numbers(["a", "", "b", "a"])
    assert (first["a"], first["b"], first[""]) == (1, 2, 0) and asked == ["a", "b"]
    assert words.numbers(["a"])["a"] == 1 and asked == ["a", "b"]
    words.numbers(str(number) for number in range(REMEMBERED))
    again = words.numbers(["a", "x"])
    assert again["a"] == 1 and again["x"] == len(table) and first["b"] == 2
    assert words.texts([1, 2, None])[2] == "b" and words.texts([0, None])[None] == ""
