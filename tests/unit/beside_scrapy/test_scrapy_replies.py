"""Scrapy's answers as recrawl's, and back."""

import gzip

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from twisted.internet import error
from twisted.web.client import ResponseFailed

from recrawl.model.capture import Payload
from recrawl.model.failure import Failure
from recrawl.model.page import Page, Status
from recrawl.model.visit import Ask, Evidence
from recrawl.scrapy.replies import failure_reply, reply_of, response_from, response_to

URL = "http://one.test/a?b=c"
ASK = Ask(URL)
HTML = "<title>Größe</title>".encode()


def answered(status: int = 200, body: bytes = HTML, ask: Ask = ASK, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(URL, status=status, headers=named, body=body)


def test_an_answer_is_decoded_and_keeps_its_bytes_as_sent() -> None:
    packed = gzip.compress(HTML)
    request = Request(URL, headers={"User-Agent": "mine"}, meta={"download_latency": 0.5})
    reply = reply_of(request, answered(body=packed, Content_Encoding="gzip", ETag='"1"'), ASK, 100.0)
    assert (reply.evidence, reply.body, reply.sent_body) == (Evidence.DOCUMENT, HTML, packed)
    assert (reply.header("etag"), reply.at, reply.times.first_byte_s) == ('"1"', 99.5, 0.5)
    assert reply.raw_request.startswith(b"GET /a?b=c HTTP/1.1\r\nHost: one.test\r\n") and b"mine" in reply.raw_request
    assert reply.raw_head.startswith(b"HTTP/1.1 200 OK\r\n") and reply.received_bytes > len(packed)


@pytest.mark.parametrize(
    ("status", "ask", "evidence"),
    [
        (304, Ask(URL, etag='"1"'), Evidence.NOT_MODIFIED),
        (304, ASK, Evidence.FAILED),
        (404, ASK, Evidence.MISSING),
        (429, ASK, Evidence.BUSY),
        (500, ASK, Evidence.BROKEN),
        (403, ASK, Evidence.REFUSED),
    ],
)
def test_a_status_proves_what_it_proves_elsewhere(status: int, ask: Ask, evidence: Evidence) -> None:
    assert reply_of(Request(URL), answered(status, b""), ask, 1.0).evidence is evidence


def test_an_answer_that_was_cut_short_is_no_document() -> None:
    cut = answered().replace(flags=["dataloss"])
    assert reply_of(Request(URL), cut, ASK, 1.0).failure is Failure.TRUNCATED


@pytest.mark.parametrize(
    ("met", "failure"),
    [
        (error.DNSLookupError("x"), Failure.NO_HOST),
        (error.ConnectionRefusedError("x"), Failure.CONNECT),
        (error.TimeoutError("x"), Failure.TOTAL_TIMEOUT),
        (error.TCPTimedOutError("x"), Failure.CONNECT_TIMEOUT),
        (error.ConnectionLost("x"), Failure.RESET),
        (ResponseFailed([]), Failure.RESET),
        (RuntimeError("x"), Failure.PROTOCOL),
    ],
)
def test_what_went_wrong_has_a_name(met: Exception, failure: Failure) -> None:
    reply = failure_reply(ASK, met, 1.0)
    assert (reply.evidence, reply.failure) == (Evidence.FAILED, failure)


def test_a_copy_comes_back_as_the_kind_of_response_it_was() -> None:
    headers = (("content-type", "text/html; charset=utf-8"), ("content-encoding", "gzip"), ("x-a", "1"), ("x-a", "2"))
    response = response_to(Request(URL), Payload(URL, 1.0, 200, headers, HTML), "kept")
    assert isinstance(response, HtmlResponse) and response.css("title::text").get() == "Größe"
    assert "content-encoding" not in response.headers and response.headers.getlist("x-a") == [b"1", b"2"]
    assert response.flags == ["kept"] and response.request is not None
    plain = response_to(Request(URL), Payload(URL, 1.0, 200, (("content-type", "application/json"),), b"{}"), "kept")
    assert isinstance(plain, TextResponse) and plain.json() == {}
    bare = response_to(Request("http://one.test/a.bin"), Payload(URL, 1.0, 200, (), b"\0\1\2"), "kept")
    assert not isinstance(bare, TextResponse) and bare.body == b"\0\1\2"


def test_a_page_that_moved_leads_on_and_one_without_a_copy_is_nothing_to_answer_with() -> None:
    page = Page(1, URL, "one.test", "docs", status=Status.MOVED, target="http://one.test/b")
    led = response_from(Request(URL), page, None)
    assert led is not None and (led.status, led.headers["Location"]) == (301, b"http://one.test/b")
    assert response_from(Request(URL), Page(1, URL, "one.test", "docs", status=Status.GONE), None) is None
