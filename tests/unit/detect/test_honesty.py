from dataclasses import replace
from email.utils import formatdate

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.detect.living_pages import NOON, answer

from recrawl.detect.honesty import ask_conditionally, http_date, last_modified_ago_s, validators_lied
from recrawl.detect.noise import PageNoise, write_page
from recrawl.model.page import Page, Status
from recrawl.model.visit import Reply

PAGE = Page(
    id=10,
    url="http://site.example/page",
    server="site.example",
    site="site",
    status=Status.LIVE,
    etag='"a"',
    body_digest=b"x" * 32,
    checked_at=NOON - 3600,
)


def modified(at: float, **headers: str) -> Reply:
    return answer(b"x", headers=(("last-modified", formatdate(at, usegmt=True)), *headers.items()))


def test_a_copy_with_validators_is_asked_for_conditionally() -> None:
    assert ask_conditionally(PAGE)
    assert ask_conditionally(replace(PAGE, etag="", last_modified=formatdate(NOON, usegmt=True)))


def test_nothing_is_asked_conditionally_without_validators_or_without_a_copy() -> None:
    assert not ask_conditionally(replace(PAGE, etag=""))
    assert not ask_conditionally(replace(PAGE, body_digest=b""))
    assert not ask_conditionally(replace(PAGE, status=Status.GONE))


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_about_every_tenth_revisit_is_unconditional(number: int) -> None:
    page = replace(PAGE, id=number)
    in_a_row = next(count for count in range(100) if not ask_conditionally(replace(page, conditional=count)))
    assert 8 <= in_a_row <= 12


def test_distrusted_validators_are_not_sent() -> None:
    assert not ask_conditionally(replace(PAGE, noise=write_page(PageNoise(distrust=1))))


def test_validators_lied_if_they_outlived_the_content() -> None:
    assert validators_lied(PAGE, answer(b"x", headers=(("etag", '"a"'),)))
    assert not validators_lied(PAGE, answer(b"x", headers=(("etag", '"b"'),)))
    assert not validators_lied(PAGE, answer(b"x"))
    dated = replace(PAGE, etag="", last_modified=formatdate(NOON, usegmt=True))
    assert validators_lied(dated, modified(NOON))
    assert not validators_lied(dated, modified(NOON + 9))
    assert not validators_lied(replace(PAGE, etag=""), answer(b"x"))


def test_a_last_modified_between_the_two_visits_tells_the_age_of_the_change() -> None:
    assert last_modified_ago_s(modified(NOON - 600), PAGE) == 600


def test_the_age_is_measured_with_the_clock_of_the_server() -> None:
    reply = modified(NOON + 9000, date=formatdate(NOON + 9600, usegmt=True))
    assert last_modified_ago_s(reply, PAGE) == 600


def test_a_last_modified_that_cannot_be_true_is_no_evidence() -> None:
    assert last_modified_ago_s(modified(NOON + 60), PAGE) is None  # in the future
    assert last_modified_ago_s(modified(NOON), PAGE) is None  # made for this answer
    assert last_modified_ago_s(modified(NOON - 7200), PAGE) is None  # before the last visit
    assert last_modified_ago_s(answer(b"x"), PAGE) is None
    assert last_modified_ago_s(answer(b"x", headers=(("last-modified", "yesterday"),)), PAGE) is None


def test_a_last_modified_that_is_always_equally_old_is_no_evidence() -> None:
    rolling = replace(PAGE, last_modified=formatdate(NOON - 3600 - 600, usegmt=True))
    assert last_modified_ago_s(modified(NOON - 600), rolling) is None


@given(st.text())
def test_no_text_breaks_the_reading_of_dates(text: str) -> None:
    assert http_date(text) is None or isinstance(http_date(text), float)
