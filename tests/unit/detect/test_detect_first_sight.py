"""A first visit leaves the text unread; the next comparison makes up for it and judges as if it had been read."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.digest import body_digest
from recrawl.detect.verdict import (
    NeedsPrevious,
    first_sight,
    is_unread,
    plainly_differs,
    quick,
    recalled,
    thorough,
)
from recrawl.model.document import Block, Document, Media
from recrawl.model.page import Link, Page, Status
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply

URL = "http://example.com/page"
WORDS = ("spring", "tide", "12:04:31", "harbour", "7 visitors", "moor", "price 40 EUR")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)


def answer(words: list[str], at: float) -> tuple[Reply, Document]:
    blocks = tuple(Block(place, text) for place, text in enumerate(words))
    body = "\n".join(words).encode()
    reply = Reply(Ask(URL), at, Evidence.DOCUMENT, 200, body=body, sent_body=body)
    return reply, Document(Media.HTML, title="A page", blocks=blocks, main=blocks)


def after(page: Page, verdict: Verdict, at: float) -> Page:
    return replace(
        page,
        status=Status.LIVE,
        body_digest=verdict.body_digest,
        text_digest=verdict.text_digest,
        simhash=verdict.simhash,
        noise=verdict.noise,
        checked_at=at,
        changed_at=at,
    )


def judged(verdict: Verdict | NeedsPrevious) -> Verdict | NeedsPrevious:
    """Without the simhash of a page that did not change: of an unread one it is not known."""
    same = isinstance(verdict, Verdict) and verdict.change is not Change.CHANGED
    return replace(verdict, simhash=0) if same else verdict


@given(texts, texts)
def test_the_next_verdict_is_the_same_whether_the_first_text_was_read_or_not(old: list[str], new: list[str]) -> None:
    page = Page(1, URL, "example.com", "s")
    first, first_document = answer(old, 1000.0)
    eager, deferred = quick(page, first, first_document), first_sight(page, first)
    assert isinstance(eager, Verdict)
    assert (deferred.change, deferred.body_digest) == (Change.NEW, body_digest(first.body))
    read, unread = after(page, eager, 1000.0), after(page, deferred, 1000.0)
    assert is_unread(unread) and not is_unread(read)
    made_up = recalled(unread, first_document)
    assert replace(made_up, simhash=read.simhash) == read
    second, second_document = answer(new, 90_000.0)
    assert judged(quick(made_up, second, second_document)) == judged(quick(read, second, second_document))
    assert judged(thorough(made_up, second, second_document, first_document)) == judged(
        thorough(read, second, second_document, first_document)
    )


def test_a_text_that_cannot_be_read_any_more_leaves_the_page_as_it_is() -> None:
    page = Page(1, URL, "example.com", "s", status=Status.LIVE, body_digest=b"x" * 32)
    assert recalled(page, None) is page
    assert recalled(page, Document(Media.HTML)) is page


@given(texts, texts)
def test_what_plainly_differs_needs_no_digest_of_the_text_it_had(old: list[str], new: list[str]) -> None:
    first, first_document = answer(old, 1000.0)
    unread = after(Page(1, URL, "example.com", "s"), first_sight(Page(1, URL, "example.com", "s"), first), 1000.0)
    second, second_document = answer(new, 90_000.0)
    made_up = recalled(unread, first_document)
    differs = plainly_differs(unread, second_document, first_document)
    assert differs == isinstance(quick(made_up, second, second_document), NeedsPrevious)
    if differs:
        verdict = thorough(unread, second, second_document, first_document)
        expected = thorough(made_up, second, second_document, first_document)
        assert verdict == expected or expected.change is not Change.CHANGED


def test_nothing_plainly_differs_from_what_cannot_be_read_nor_where_the_answer_is_odd() -> None:
    page = Page(1, URL, "example.com", "s", status=Status.LIVE, body_digest=b"x" * 32)
    _, before = answer(["spring tide"], 1000.0)
    _, lost = answer(["Page not found"], 2000.0)
    _, garbled = answer(["\ufffd" * 20], 2000.0)
    assert plainly_differs(page, answer(["neap tide"], 2000.0)[1], before)
    for document, previous in ((before, None), (before, Document(Media.HTML)), (lost, before), (garbled, before)):
        assert not plainly_differs(page, document, previous)
    assert not plainly_differs(page, Document(Media.HTML, title="A page"), before)


@given(texts, texts, st.lists(st.sampled_from(WORDS), max_size=3))
def test_a_change_of_an_unread_page_is_judged_alike_whether_its_new_text_is_left_unread_or_not(
    old: list[str], new: list[str], captions: list[str]
) -> None:
    first, was = answer(old, 1000.0)
    second, now = answer(new, 2000.0)
    links = tuple(Link(f"{URL}/{number}", "a", caption) for number, caption in enumerate(captions))
    was, now = replace(was, links=links), replace(now, links=links)
    page = after(Page(1, URL, "example.com", "s"), first_sight(Page(1, URL, "example.com", "s"), first), 1000.0)
    if plainly_differs(page, now, was):
        left, read = (thorough(page, second, now, was, leave_unread=leave) for leave in (True, False))
        assert replace(left, text_digest=read.text_digest) == read
        assert left.change is not Change.CHANGED or not left.text_digest
