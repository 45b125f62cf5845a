"""Answers read by ourselves: the same as libcurl reads, however they come in pieces."""

from itertools import pairwise
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.fetch.answers import LENGTH, USUAL, answers
from tests.unit.fetch.fetching import NOW, a_fetcher, get, run
from tests.unit.fetch.rough_server import PAGE, rough_server

from recrawl.fetch.evidence import answered
from recrawl.fetch.exchange import PAUSE
from recrawl.fetch.head import head_of
from recrawl.fetch.incoming import Incoming, is_kept_after
from recrawl.fetch.line import measured, told
from recrawl.fetch.request import odd_raw_request, raw_request
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence, Reply, Times

MOST = 1 << 20


class Heard:
    """What comes out of it."""

    def __init__(self, *pieces: bytes, most_body_bytes: int = MOST, pauses: int = 0) -> None:
        self.lines: list[bytes] = []
        self.body = b""
        self._pauses = pauses
        self.incoming = Incoming(self._on_line, self._on_body, MOST, most_body_bytes)
        for piece in pieces:
            self.incoming.feed(piece)
            while self.incoming.is_paused:
                self.incoming.go_on()

    def _on_line(self, line: bytes) -> None:
        self.lines.append(line)

    def _on_body(self, piece: bytes) -> int | None:
        if self._pauses:
            self._pauses -= 1
            return PAUSE
        self.body += piece
        return None

    @property
    def all(self) -> tuple[object, ...]:
        one = self.incoming
        return self.lines, self.body, one.is_over, one.is_kept, one.wrong and one.wrong[0]


@given(answers, st.lists(st.integers(0, 120), max_size=6), st.integers(0, 3))
def test_however_it_is_cut_the_same_comes_out(answer: bytes, cuts: list[int], pauses: int) -> None:
    """Only an answer that is over knows that there is something behind it, in the same piece or not."""
    places = sorted({0, *(cut for cut in cuts if cut < len(answer)), len(answer)})
    pieces = [answer[a:b] for a, b in pairwise(places)]
    whole, cut = Heard(answer), Heard(*pieces, pauses=pauses)
    for one in (whole, cut):
        if not one.incoming.is_over:
            one.incoming.ended()
    assert whole.all[:3] == cut.all[:3]
    assert whole.all[4] == cut.all[4]


def outcome(reply: Reply) -> tuple[object, ...]:
    """What it proves; where nothing, whatever it was that went wrong first."""
    if reply.evidence is Evidence.FAILED:
        return (reply.evidence,)
    return reply.evidence, reply.status, reply.headers, reply.sent_body, reply.body


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(answers, st.sampled_from(["", '"v1"'])), min_size=8, max_size=8))
def test_a_line_hears_what_libcurl_hears(asked: list[tuple[bytes, str]]) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for answer, etag in asked:
                target = f"/first-word?{quote_from_bytes(answer)}"
                assert (await get(fetcher, server, "/page")).body == PAGE
                assert fetcher._lines is not None and fetcher._lines.all
                ours = await get(fetcher, server, target, etag=etag)
                theirs = await get(fetcher, server, target, etag=etag, fresh=True)
                assert outcome(ours) == outcome(theirs), answer
                assert ours.raw_request == theirs.raw_request == server.last.head

    run(story())


@given(answers, st.integers(0, 6))
def test_what_is_measured_is_what_the_reader_makes_of_it(answer: bytes, most_body_bytes: int) -> None:
    size = measured(answer, MOST, 200, most_body_bytes)
    if not size:
        return
    heard = Heard(answer[:size], most_body_bytes=most_body_bytes)
    if size > len(answer):
        assert not heard.incoming.is_over
        return
    assert heard.incoming.is_over and heard.incoming.is_kept and heard.incoming.wrong is None
    assert len(b"".join(heard.lines)) + len(heard.body) == size
    assert not Heard(answer[: size - 1], most_body_bytes=most_body_bytes).incoming.is_over


@pytest.mark.compiled
def test_most_answers_are_measured_at_once() -> None:
    head = USUAL + b"Content-Type: text/html\r\n" + LENGTH + b"Connection: keep-alive\r\n\r\n"
    assert measured(head, MOST, 200, 5) == len(head) + 5
    assert measured(head + b"hello", MOST, 200, 5) == len(head) + 5
    bare = b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'
    assert measured(bare, MOST, 200, 5) == len(bare)
    for odd in (head[:-1], b"", USUAL, USUAL + b"\r\n", USUAL + LENGTH + LENGTH + b"\r\n", head.replace(b"\r", b"")):
        assert measured(odd, MOST, 200, 5) == 0
    assert measured(head, len(head), 5, 5) and not measured(head, len(head) - 1, 5, 5)
    assert not measured(head, MOST, 4, 5)
    assert not measured(head, MOST, 5, 4)


@given(answers, st.sampled_from(["", '"v1"']))
def test_what_is_told_is_what_python_makes_of_it(answer: bytes, etag: str) -> None:
    size, ask, times = measured(answer, MOST, 200, MOST), Ask("http://a.test/b", etag), Times(0, 0, 0, 1, 2)
    if not 0 < size <= len(answer):
        return
    lines = [f"If-None-Match: {etag}".encode()] if etag else []
    request = raw_request("a.test", "/b", lines)
    reply = told(ask, NOW, request, answer[:size], times, "192.0.2.1")
    if reply is None:
        return
    heard = Heard(answer[:size])
    status, fields, raw = head_of(heard.lines)
    assert reply == answered(
        ask, NOW, status, fields, heard.body, raw_request=request, raw_head=raw, peer="192.0.2.1", times=times,
        received_bytes=size,
    )  # fmt: skip


@given(
    st.sampled_from(["a.test", "a.test:8080", "ü.test"]),
    st.text("/ab?ü", min_size=1, max_size=5),
    st.lists(st.sampled_from([b"A: b", b"", b"If-None-Match: x"]), max_size=3),
    st.sampled_from(["GET", "POST", ""]),
)
def test_a_request_is_the_same_or_left_to_python(authority: str, target: str, lines: list[bytes], method: str) -> None:
    def written(write: object) -> object:
        try:
            return write(authority, target, lines, method)  # type: ignore[operator]
        except UnicodeEncodeError:
            return None

    assert written(raw_request) == written(odd_raw_request)


def test_a_body_may_end_with_the_connection_and_nothing_else_may() -> None:
    for answer, failure in (
        (USUAL + b"\r\nsome", None),
        (USUAL, Failure.RESET),
        (USUAL + LENGTH + b"\r\nsome", Failure.TRUNCATED),
        (USUAL + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", Failure.TRUNCATED),
    ):
        heard = Heard(answer)
        assert not heard.incoming.is_over
        heard.incoming.ended()
        assert heard.incoming.is_over and not heard.incoming.is_kept
        assert (heard.incoming.wrong and heard.incoming.wrong[0]) == failure


@pytest.mark.parametrize(
    ("head", "is_kept"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", True),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: Keep-Alive\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", False),
        (b"", False),
    ],
)
def test_who_says_where_the_answer_ends_and_not_that_it_is_the_last_may_be_asked_again(
    head: bytes, is_kept: bool
) -> None:
    assert is_kept_after(head.splitlines(keepends=True)) == is_kept


def test_a_line_of_any_length_in_crumbs_is_given_up_at_the_limit() -> None:
    incoming = Incoming(lambda _: None, lambda _: None, 4096, MOST)
    incoming.feed(USUAL)
    for _ in range(5000):
        incoming.feed(b"x")
    assert incoming.wrong is not None and incoming.wrong[0] is Failure.HEADERS_TOO_LARGE


def test_a_body_that_nobody_wants_more_of_ends_there() -> None:
    taken: list[bytes] = []
    incoming = Incoming(lambda _: None, lambda piece: taken.append(piece) or -1, MOST, MOST)
    incoming.feed(USUAL + b"Content-Length: 10\r\n\r\nhello")
    assert incoming.is_over and not incoming.is_kept and incoming.wrong is None
    assert taken == [b"hello"]
