"""The reply that a small document is comes from the compiled part, and is what Python would have made of it."""

import gzip
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.ballast import SMALL_BYTES
from recrawl.fetch.decode import AT_ONCE_BYTES
from recrawl.fetch.evidence import answered
from recrawl.fetch.head import odd_head_of
from recrawl.fetch.request import raw_request
from recrawl.fetch.transfer import came_whole
from recrawl.model.visit import Ask, Evidence, Limits, Reply, Times

pytestmark = pytest.mark.compiled

ASK = Ask("http://a.test/b?c")
TIMES = Times(first_byte_s=0.25, total_s=0.5)
SENT = [b"User-Agent: x"]
PAGE = b"<title>a</title>" * 20
PACKED = gzip.compress(PAGE, mtime=0)
OK = b"HTTP/1.1 200 OK\r\n"
FIRST = (
    OK,
    b"HTTP/1.0 200\r\n",
    b"HTTP/1.1 200\n",
    b"HTTP/1.1 2000\r\n",
    b"HTTP/2 200 \r\n",
    b"HTTP/1.1 206 P\r\n",
    b"",
)
REST = (
    b"Content-Encoding: gzip\r\n",
    b"content-encoding: GZIP\r\n",
    b"Content-Encoding: br\r\n",
    b"Content-Encoding:\r\n",
    b"Content-Encoding: gzip, gzip\r\n",
    b"X-Robots-Tag: noindex\r\n",
    b" folded\r\n",
    b"no colon\r\n",
    b"\r\n",
)
BODIES = (
    b"",
    PAGE,
    PACKED,
    PACKED[:-1],
    PACKED + b"rest",
    PACKED * 2,
    PACKED[:-4] + bytes(4),
    b"\x1f\x8b",
    gzip.compress(b"", mtime=0),
    zlib.compress(PAGE),
)
GZIP = [OK, b"Content-Encoding: gzip\r\n", b"\r\n"]


def compiled_reply(came: object, body: object, ask: Ask = ASK, sent: object = SENT) -> Reply | None:
    return came_whole(ask, 7.5, "a.test", "/b?c", sent, came, TIMES, "192.0.2.1", 99, body)  # type: ignore[arg-type]


def python_reply(came: list[bytes], body: bytes, ask: Ask = ASK) -> Reply:
    status, fields, raw = odd_head_of(came)
    request = raw_request("a.test", "/b?c", SENT)
    return answered(
        ask, 7.5, status, fields, body, raw_request=request, raw_head=raw, peer="192.0.2.1", times=TIMES,
        received_bytes=99,
    )  # fmt: skip


@given(st.sampled_from(FIRST), st.lists(st.sampled_from(REST), max_size=3), st.sampled_from(BODIES))
def test_it_is_the_same_or_left_to_python(first: bytes, rest: list[bytes], body: bytes) -> None:
    for came in ([first, *rest], [first, *rest, b"\r\n"]):
        assert compiled_reply(came, body) in (None, python_reply(came, body))


@pytest.mark.parametrize(("came", "body"), [(GZIP, PACKED), ([OK, b"\r\n"], PAGE)])
def test_a_usual_one_is_plain(came: list[bytes], body: bytes) -> None:
    reply = compiled_reply(came, body)
    assert reply == python_reply(came, body)
    assert reply is not None
    assert (reply.evidence, reply.body, reply.sent_body) == (Evidence.DOCUMENT, PAGE, body)


@pytest.mark.parametrize(
    "limits", [Limits(decoded_bytes=len(PAGE) - 1), Limits(encodings=0)], ids=["too long", "coded at all"]
)
def test_what_is_beyond_the_limits_is_left_alone(limits: Limits) -> None:
    ask = replace(ASK, limits=limits)
    assert compiled_reply(GZIP, PACKED, ask) is None
    assert python_reply(GZIP, PACKED, ask).evidence is Evidence.FAILED


def test_what_counts_as_ballast_is_left_alone() -> None:
    """Whoever keeps such a reply is counted."""
    for size, is_small in ((SMALL_BYTES, True), (SMALL_BYTES + 1, False)):
        assert (compiled_reply([OK, b"\r\n"], bytes(size)) is not None) == is_small
    for size, is_small in ((AT_ONCE_BYTES - 1024, True), (AT_ONCE_BYTES, False)):  # with its packed body
        assert (compiled_reply(GZIP, gzip.compress(bytes(size))) is not None) == is_small


@pytest.mark.parametrize("sent", [None, ["a: b"], (b"a: b",)])
def test_what_are_no_lines_is_left_alone(sent: object) -> None:
    assert compiled_reply(GZIP, PACKED, sent=sent) is None
    assert compiled_reply(None, PACKED) is None
    assert compiled_reply(GZIP, None) is None
    assert compiled_reply(GZIP, bytearray(PACKED)) is None
