"""The sentence behind a page's next visit."""

from dataclasses import replace

from recrawl.answers.facts import because, hastened_by
from recrawl.engine.asking.gate import Gate
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page
from recrawl.model.server import RobotsFile

PAGE = Page(7, "http://a.example/7", "a.example", "a", due_at=100.0)
NOTICE = Notice(7, "http://a.example/7", 100.0, Source.SITEMAP, NoticeKind.UPDATED)
BELIEF = {"formula": "never seen to change"}


def test_a_page_that_was_announced_is_due_because_of_that() -> None:
    assert because(BELIEF, None, hastened_by(PAGE, [NOTICE])).startswith("announced by sitemap at 1970-01-01T00:01:40")


def test_a_notice_that_was_looked_at_or_left_aside_is_no_reason() -> None:
    looked_at, left_aside = replace(NOTICE, proved=True), replace(NOTICE, at=90.0)
    assert hastened_by(PAGE, [looked_at, left_aside]) is None
    assert because(BELIEF, None) == "never seen to change"


def test_an_allowed_page_is_told_what_robots_txt_says_of_it() -> None:
    file = RobotsFile("http://a.example/robots.txt", 0.0, 200, b"User-agent: *\nDisallow: /desk/", 10.0)
    allowed = Gate("recrawl", lambda _: file).check("http://a.example/7", 0.0)
    assert (allowed.allowed, allowed.reason) == (True, "No line of robots.txt speaks of it, so it is allowed.")
