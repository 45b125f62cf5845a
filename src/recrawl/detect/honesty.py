"""How far a server's word is taken: validators and Last-Modified."""

import re
from datetime import UTC, datetime
from functools import lru_cache

from recrawl.detect.noise import read_page
from recrawl.model.late import late
from recrawl.model.mail_date import read_mail_date
from recrawl.model.page import Page, Status
from recrawl.model.swift import replace
from recrawl.model.visit import Reply

CONDITIONAL_IN_A_ROW = 8  # plus 0..4 by page, so that pages visited together are not all fetched whole together
ANEW = 100  # conditional visits in a row: so many as there never are
DISTRUST_VISITS = 20
JUST_NOW_S = 2.0
UNCOPIED = (Status.NEW, Status.GONE)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
USUAL_DATE = late(
    "[A-Z][a-z]{2}, [0-3][0-9] [A-Z][a-z]{2} [0-9]{4} (?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9] GMT", re.ASCII
)


def ask_conditionally(page: Page) -> bool:
    """Whether to send the validators. Not without a copy that a 304 could confirm; not every tenth time or so
    (law 10); not while they are distrusted, which `Page.noise` remembers."""
    if not (page.etag or page.last_modified) or not page.body_digest or page.status in UNCOPIED:
        return False
    if page.conditional >= CONDITIONAL_IN_A_ROW + page.id % 5:
        return False
    return not page.noise or read_page(page.noise).distrust == 0


def read_anew(page: Page) -> Page:
    """At its next visit it is asked for whole, and read though not a byte differs: where it leads means more now."""
    return replace(page, conditional=ANEW)


def is_read_anew(page: Page) -> bool:
    return page.conditional >= ANEW


def validators_lied(page: Page, reply: Reply) -> bool:
    """Asked of an answer whose content changed: it still carries the validator of the old content, so a
    conditional request would have been told "not modified"."""
    etag, last_modified = reply.header("etag"), reply.header("last-modified")
    if page.etag:
        return etag == page.etag
    return bool(page.last_modified) and not etag and last_modified == page.last_modified


def last_modified_ago_s(reply: Reply, page: Page) -> float | None:
    """How long before this visit the page changed, by its Last-Modified, measured with the server's own clock; None
    if that is no evidence: absent, in the future, "now" (made for every answer), always the same age, or from before
    the visit that saw the earlier content."""
    modified_at = http_date(reply.header("last-modified"))
    if modified_at is None:
        return None
    ago_s = (http_date(reply.header("date")) or reply.at) - modified_at
    if ago_s < JUST_NOW_S or (page.checked_at is not None and reply.at - ago_s <= page.checked_at):
        return None
    return None if page.checked_at is not None and _rolls(page, page.checked_at, ago_s) else ago_s


@lru_cache(maxsize=256)  # the answers of one second share a date
def http_date(text: str) -> float | None:
    if not text:
        return None
    if not USUAL_DATE.fullmatch(text):
        return _odd_date(text)
    midnight_at = _midnight_at(text[:17])
    if midnight_at is None:
        return None
    return midnight_at + int(text[17:19]) * 3600 + int(text[20:22]) * 60 + int(text[23:25])


@lru_cache(maxsize=1024)  # a few days hold most dates
def _midnight_at(day: str) -> float | None:
    month, year = day[8:11], int(day[12:16])
    try:
        if month in MONTHS and year >= 1000:  # of a year of two digits it takes a guess
            return datetime(year, MONTHS.index(month) + 1, int(day[5:7]), tzinfo=UTC).timestamp()
    except ValueError:
        return None
    return _odd_date(day + "00:00:00 GMT")


@lru_cache(maxsize=1024)
def _odd_date(text: str) -> float | None:
    try:
        moment = read_mail_date(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _rolls(page: Page, checked_at: float, ago_s: float) -> bool:
    """The previous answer claimed the same age: the server reckons it from the moment of asking."""
    earlier_at = http_date(page.last_modified)
    return earlier_at is not None and abs(checked_at - earlier_at - ago_s) < JUST_NOW_S
