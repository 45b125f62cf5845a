"""The reply that a plain 304 is comes from the compiled part, and is what Python would have made of it."""

import socket
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.evidence import answered
from recrawl.fetch.head import odd_head_of
from recrawl.fetch.request import raw_request
from recrawl.model.visit import Ask, Evidence, Reply, Times
from recrawl.native import compiled

pytestmark = pytest.mark.compiled

ASK = Ask("http://a.test/b?c", etag='"1"')
TIMES = Times(first_byte_s=0.25, total_s=0.5)
SENT = (b"User-Agent: x", b'If-None-Match: "1"', b"If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT", b"", b"Note: If-")
FIRST = (
    b"HTTP/1.1 304 Not Modified\r\n", b"HTTP/1.0 304\r\n", b"HTTP/1.1 304\n", b"HTTP/1.1 3040\r\n", b"HTTP/2 304 \r\n",
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 103 Early Hints\r\n", b"HTTP/1.1 304", b"",
)  # fmt: skip
REST = (
    b'ETag: "2"\r\n',
    b"Date : now\r\n",
    b" folded\r\n",
    b"no colon\r\n",
    b"X-Robots-Tag: noindex\r\n",
    b"\r\n",
    b"\n",
)


def compiled_reply(sent: object, came: object, authority: object = "a.test", target: object = "/b?c") -> Reply | None:
    reply: Reply | None = compiled.not_modified(ASK, 7.5, authority, target, sent, came, TIMES, "192.0.2.1", 99)
    return reply


def python_reply(sent: list[bytes], came: list[bytes]) -> Reply:
    status, fields, raw = odd_head_of(came)
    request = raw_request("a.test", "/b?c", sent)
    return answered(
        ASK, 7.5, status, fields, raw_request=request, raw_head=raw, peer="192.0.2.1", times=TIMES, received_bytes=99
    )


@given(st.lists(st.sampled_from(SENT), max_size=4), st.sampled_from(FIRST), st.lists(st.sampled_from(REST), max_size=4))
def test_it_is_the_same_or_left_to_python(sent: list[bytes], first: bytes, rest: list[bytes]) -> None:
    for came in ([first, *rest], [first, *rest, b"\r\n"]):
        assert compiled_reply(sent, came) in (None, python_reply(sent, came))


def test_a_usual_one_is_plain() -> None:
    sent, came = [b"User-Agent: x", b'If-None-Match: "1"'], [FIRST[0], b'ETag: "2"\r\n', b"\r\n"]
    reply = compiled_reply(sent, came)
    assert reply == python_reply(sent, came)
    assert reply is not None
    assert (reply.evidence, reply.status, reply.header("etag")) == (Evidence.NOT_MODIFIED, 304, '"2"')


@pytest.mark.parametrize("sent", [[], [b"User-Agent: x"], [b"Note: If-"], None, ["If-None-Match: 1"], (b"If-A: b",)])
def test_without_a_condition_that_went_out_it_is_left_alone(sent: object) -> None:
    assert compiled_reply(sent, [FIRST[0], b"\r\n"]) is None


@pytest.mark.parametrize(
    ("authority", "target"), [("ä.test", "/"), ("a.test", "/ä"), (b"a.test", "/"), ("a.test", None)]
)
def test_what_is_no_ascii_is_left_alone(authority: object, target: object) -> None:
    assert compiled_reply([b"If-A: b"], [FIRST[0], b"\r\n"], authority, target) is None


@pytest.mark.parametrize(
    "came", [None, [], [None, b"\r\n"], ["HTTP/1.1 304 Not Modified\r\n", b"\r\n"], (FIRST[0], b"\r\n")]
)
def test_what_are_no_lines_is_left_alone(came: object) -> None:
    assert compiled_reply([b"If-A: b"], came) is None


def off_the_wire(sent: bytes, request: bytes = b"GET / HTTP/1.1\r\nIf-None-Match: 1\r\n\r\n", most: int = 99) -> object:
    """What comes of an answer that a server sends."""
    near, far = socket.socketpair()
    with near, far:
        near.send(sent)
        return compiled.answered(far.fileno(), ASK, 7.5, request, monotonic() - 5.0, "192.0.2.1", most, 4)


def test_a_plain_one_comes_off_the_wire_as_the_reply_that_it_is() -> None:
    sent = b'HTTP/1.1 304 Not Modified\r\nETag: "2"\r\nServer: a\r\n\r\n'
    reply = off_the_wire(sent)
    assert isinstance(reply, Reply)
    assert (reply.ask, reply.at, reply.status, reply.evidence) == (ASK, 7.5, 304, Evidence.NOT_MODIFIED)
    assert (reply.headers, reply.raw_head) == ((("etag", '"2"'), ("server", "a")), sent)
    assert (reply.peer, reply.received_bytes, reply.body) == ("192.0.2.1", len(sent), b"")
    assert reply.times.first_byte_s == reply.times.total_s >= 5.0


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 304 Not Modified\r\nServer: a\r\n",  # more will come
        b"HTTP/1.1 304 Not Modified\r\n\r\nHTTP/1.1 200 OK\r\n",  # more has come
        b"HTTP/1.1 304 Not Modified\r\nA: b\r\nC: d\r\nE: f\r\n\r\n",  # too many lines
        b"HTTP/1.1 304 Not Modified\r\nA: " + b"b" * 99 + b"\r\n\r\n",  # too long
        b"HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 304",
    ],
)
def test_anything_else_comes_as_it_was_sent(sent: bytes) -> None:
    assert off_the_wire(sent) == sent


def test_a_304_that_was_not_asked_for_is_left_to_python() -> None:
    sent = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    assert off_the_wire(sent, b"GET / HTTP/1.1\r\n\r\n") == sent


def test_lines_that_a_server_always_says_are_one_field_and_others_are_their_own() -> None:
    def headers(third: bytes) -> tuple[tuple[str, str], ...]:
        reply = off_the_wire(b"HTTP/1.1 304 Not Modified\r\nServer: a\r\n" + third + b"\r\n\r\n")
        assert isinstance(reply, Reply)
        return reply.headers

    first, again, other, shorter = headers(b"Age: 12"), headers(b"Age: 12"), headers(b"Age: 13"), headers(b"Age: 1")
    assert [fields[1][1] for fields in (first, again, other, shorter)] == ["12", "12", "13", "1"]
    assert first[0] is again[0] is other[0] is shorter[0]
    assert first[1] is again[1] is not other[1]
