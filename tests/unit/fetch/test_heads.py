"""A plain head is read by the compiled part as Python would have read it; every other one by Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.head import head_of, odd_head_of
from recrawl.fetch.head_lines import PlainHeadLines, new_head_lines
from recrawl.native import compiled

LINES = (
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 404\r\n", b"HTTP/1.1 100 Continue\r\n", b"HTTP/2 200 \r\n", b"HTTP/1.1 2000\r\n",
    b"HTTP/1.1  200 OK\r\n", b"HTTP/1.1 \xb2\xb2\xb2\r\n", b"HTTP/1.1 304 Not Modified\n", b"Server: x\r\n",
    b'ETag : "a" \r\n', b"X-Robots-Tag:noindex\n", b" folded\r\n", b"no colon\r\n", b": nothing\r\n", b"A:\r\n",
    b"N\xe4me: v\xe4lue\r\n", b"A:b:c\r\n", b"content-type:\ttext/html\t\r\n", b"X" * 80 + b": long\r\n", b"\r\n",
    b"\n", b"",
)  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=8))
def test_any_lines_are_read_alike(lines: list[bytes]) -> None:
    for read in (lines, [LINES[0], *lines, b"\r\n"]):
        assert head_of(read) == odd_head_of(read)


@given(st.lists(st.binary(max_size=20), max_size=6))
def test_any_bytes_are_read_alike(lines: list[bytes]) -> None:
    for read in (lines, [LINES[0], *lines, b"\r\n"]):
        assert head_of(read) == odd_head_of(read)


@pytest.mark.compiled
def test_a_usual_head_is_plain() -> None:
    lines = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html\r\n", b"X-Own: 1\r\n", b"\r\n"]
    assert compiled.head(lines) == (200, (("content-type", "text/html"), ("x-own", "1")), b"".join(lines))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "lines", [[], (b"HTTP/1.1 200 OK\r\n", b"\r\n"), [b"HTTP/1.1 200 OK\r\n", "a: b", b"\r\n"], None]
)
def test_what_is_no_list_of_lines_is_left_alone(lines: object) -> None:
    assert compiled.head(lines) is None


@given(st.lists(st.lists(st.binary(max_size=9), max_size=6), max_size=3), st.integers(0, 30), st.integers(0, 5))
def test_lines_are_taken_within_bounds(heads: list[list[bytes]], most_bytes: int, most_lines: int) -> None:
    plain, other = PlainHeadLines(), new_head_lines()
    for head in heads:
        plain.begin(most_bytes, most_lines)
        other.begin(most_bytes, most_lines)
        before = other.lines
        for line in head:
            assert other(line) == plain(line)
        assert (other.lines, other.size_bytes, other.is_over) == (plain.lines, plain.size_bytes, plain.is_over)
        assert other.lines is before
