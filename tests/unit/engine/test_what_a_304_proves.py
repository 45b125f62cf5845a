"""What a plain 304 proves comes from the compiled part, and is what Python would have said."""

from itertools import product
from typing import Any

import pytest

from recrawl.detect.answers import at_once
from recrawl.engine.asking.revisit import SAID_NOTHING
from recrawl.engine.settling.arrival import Arrival
from recrawl.model.directives import from_headers
from recrawl.model.page import Page, Status
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Evidence, Reply, Why
from recrawl.native import compiled

pytestmark = pytest.mark.compiled

PAGE = Page(
    1, "http://a.test/", "a.test", "s", status=Status.LIVE, body_digest=b"b", text_digest=b"t", simhash=7, noise=b"n"
)
OTHERS: list[dict[str, Any]] = [{"body_digest": b""}, {"simhash": 1 << 63}, *({"status": status} for status in Status)]
PAGES = [PAGE, *(replace(PAGE, **other) for other in OTHERS)]
ASKS = [Ask(PAGE.url, '"1"'), Ask(PAGE.url, last_modified="now"), Ask(PAGE.url, '"1"', "now"), Ask(PAGE.url)]
HEADERS = [
    (), (("etag", '"2"'), ("server", "x")), (("x-robots-tag", "noindex"),), (("x-robots-tag", ""),),
    (("x-robots-tag", "otherbot: none"), ("x-robots-tag", "nofollow")),
]  # fmt: skip


def by_python(page: Page, why: Why, reply: Reply) -> Arrival:
    verdict = at_once(page, reply)
    assert verdict is not None
    directives = from_headers(reply.all_headers("x-robots-tag")) or SAID_NOTHING
    return Arrival(page, why, reply, verdict, directives=directives)


def test_it_is_the_same_or_left_to_python() -> None:
    plain = 0
    for page, ask, headers in product(PAGES, ASKS, HEADERS):
        reply = Reply(ask, 5.0, Evidence.NOT_MODIFIED, 304, headers)
        confirmed = compiled.confirmed(page, Why.DUE, reply)
        plain += confirmed is not None
        assert confirmed in (None, by_python(page, Why.DUE, reply))
    assert plain > len(PAGES)


@pytest.mark.parametrize("evidence", [one for one in Evidence if one is not Evidence.NOT_MODIFIED])
def test_any_other_answer_is_left_to_python(evidence: Evidence) -> None:
    assert compiled.confirmed(PAGE, Why.DUE, Reply(ASKS[0], 5.0, evidence)) is None


@pytest.mark.parametrize(
    ("page", "reply"), [(None, Reply(ASKS[0], 5.0, Evidence.NOT_MODIFIED)), (PAGE, None), (PAGE, PAGE)]
)
def test_what_is_no_page_or_reply_is_left_alone(page: object, reply: object) -> None:
    assert compiled.confirmed(page, Why.DUE, reply) is None
