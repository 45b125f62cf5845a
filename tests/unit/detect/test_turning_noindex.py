"""A page that asks not to be found: news, though not one word of it changed."""

from dataclasses import replace

import pytest

from recrawl.detect.verdict import compare, first_sight
from recrawl.extract.document import read
from recrawl.model.document import Document
from recrawl.model.page import Page, Status
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply

URL = "https://harbour.example/ferry"
WORDS = "<p>The ferry leaves the harbour at nine in the morning, and in summer once more at five.</p>" * 3
PLAIN = f"<html><head><title>Ferry</title></head><body>{WORDS}</body></html>"
HIDDEN = PLAIN.replace("<title>", '<meta name="robots" content="noindex"><title>')
NOINDEX = (("x-robots-tag", "noindex"),)

Headers = tuple[tuple[str, str], ...]


def _reply(body: str, at: float, headers: Headers = ()) -> Reply:
    named = (("content-type", "text/html; charset=utf-8"), *headers)
    return Reply(Ask(URL), at, Evidence.DOCUMENT, 200, named, body=body.encode())


def _document(reply: Reply) -> Document:
    return read(reply.body, reply.header("content-type"), URL, headers=reply.headers)


def _kept(reply: Reply, verdict: Verdict) -> Page:
    known = Page(1, URL, "harbour.example", "harbour", status=Status.LIVE, visits=1, checked_at=reply.at)
    return replace(known, body_digest=verdict.body_digest, text_digest=verdict.text_digest, simhash=verdict.simhash)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((PLAIN, ()), (HIDDEN, ())),
        ((HIDDEN, ()), (PLAIN, ())),
        ((PLAIN, ()), (PLAIN, NOINDEX)),
        ((PLAIN, NOINDEX), (PLAIN.replace("<p>", "<p >"), ())),
    ],
)
def test_turning_noindex_and_back_is_a_change(first: tuple[str, Headers], second: tuple[str, Headers]) -> None:
    before, after = _reply(first[0], 100.0, first[1]), _reply(second[0], 200.0, second[1])
    new = compare(Page(1, URL, "harbour.example", "harbour"), before, _document(before), None)
    verdict = compare(_kept(before, new), after, _document(after), _document(before))
    assert (new.change, verdict.change) == (Change.NEW, Change.CHANGED)
    assert verdict.text_bytes == new.text_bytes


def test_staying_hidden_is_no_change_whatever_the_document(  # its bytes do not decide alone any more
) -> None:
    for body in (PLAIN, "%PDF-1.7 nothing to read"):
        reply = _reply(body, 100.0, NOINDEX)
        document = _document(reply)
        new = compare(Page(1, URL, "harbour.example", "harbour"), reply, document, None)
        again = compare(_kept(reply, new), replace(reply, at=200.0), document, document)
        assert (new.change, again.change) == (Change.NEW, Change.SAME)
    unread = _reply("binary", 100.0, NOINDEX)
    page = _kept(unread, first_sight(Page(1, URL, "harbour.example", "harbour"), unread))
    assert compare(page, replace(unread, at=200.0), None, None).change is Change.SAME
