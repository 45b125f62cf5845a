"""Verdicts that need no reading of a document: what kind of answer was it?"""

from collections.abc import Callable
from contextlib import suppress

from recrawl.detect.digest import body_digest
from recrawl.detect.learning import after_equal_body
from recrawl.detect.noise import PageNoise, read_page, write_page
from recrawl.detect.soft404 import leads_home
from recrawl.model.directives import from_headers
from recrawl.model.late import late_module
from recrawl.model.page import Page, Status
from recrawl.model.swift import replace
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Evidence, Reply

_ADA = late_module("ada_url")
PERMANENT = frozenset({301, 308})
PARTIAL = 206
SAME, GONE = Change.SAME, Status.GONE  # looked at with every 304
CONFIRMED = "the server says not modified"
ODD_ANSWERS_BELIEVED = 3  # in a row; fewer never replace a good copy

WHY_UNKNOWN = {
    Evidence.REFUSED: "the server refused",
    Evidence.BUSY: "the server was busy",
    Evidence.BROKEN: "the server was broken",
    Evidence.FAILED: "no usable answer",
}


def at_once(page: Page, reply: Reply) -> Verdict | None:
    """The verdict if the reply alone decides; None if its document must be looked at."""
    return DECIDE[reply.evidence](page, reply)


def kept(page: Page, change: Change, reason: str, noise: PageNoise | None = None) -> Verdict:
    """A verdict that leaves what is remembered as it was."""
    return Verdict(
        change,
        body_digest=page.body_digest,
        text_digest=page.text_digest,
        simhash=page.simhash,
        noise=page.noise if noise is None else write_page(noise),
        reason=reason,
    )


def has_copy(page: Page) -> bool:
    return bool(page.body_digest) and page.status is not GONE


def odd(page: Page, what: str) -> Verdict | None:
    """An answer too odd to replace a good copy, until it has come often enough to be believed."""
    noise = read_page(page.noise)
    times = noise.odd + 1
    if not has_copy(page) or times >= ODD_ANSWERS_BELIEVED:
        return None
    reason = f"{what}: no evidence until it comes {ODD_ANSWERS_BELIEVED} times in a row (now {times})"
    return kept(page, Change.UNKNOWN, reason, replace(noise, odd=times))


def settled(noise: PageNoise) -> PageNoise:
    """After a good answer: no odd ones in a row, one visit less of distrust."""
    return replace(noise, odd=0, distrust=max(0, noise.distrust - 1)) if noise.odd or noise.distrust else noise


def _no_evidence(page: Page, reply: Reply) -> Verdict:
    facts = (str(reply.status or ""), str(reply.failure or ""), reply.detail)
    told = ", ".join(fact for fact in facts if fact)
    return kept(page, Change.UNKNOWN, f"{WHY_UNKNOWN[reply.evidence]}{': ' if told else ''}{told}")


def _not_modified(page: Page, reply: Reply) -> Verdict:
    if not reply.ask.conditional or not has_copy(page):
        return kept(page, Change.UNKNOWN, "an unasked 304 proves nothing")
    return kept(page, SAME, CONFIRMED)


def _missing(page: Page, reply: Reply) -> Verdict:
    if page.misses >= 1 or page.status is Status.GONE:
        return kept(page, Change.GONE, f"{reply.status} on consecutive visits")
    return kept(page, Change.UNKNOWN, f"{reply.status} for the first time; gone only if the next visit agrees")


def _redirect(page: Page, reply: Reply) -> Verdict:
    target = redirect_target(reply)
    if not target or target.partition("#")[0] == page.url:
        return kept(page, Change.UNKNOWN, f"{reply.status} to {'itself' if target else 'nowhere'}")
    if has_copy(page) and leads_home(page.url, target):
        verdict = kept(page, Change.UNKNOWN, f"{reply.status} to the home page is how some servers say not found")
        return replace(verdict, soft_404=True, target=target)
    how = "permanently" if reply.status in PERMANENT else "temporarily"
    return replace(kept(page, Change.MOVED, f"{reply.status}: moved {how}"), target=target)


def redirect_target(reply: Reply) -> str:
    """Where the redirect leads, resolved but not yet canonical; '' if nowhere."""
    location = reply.header("location").strip()
    with suppress(UnicodeError):
        location = location.encode("latin-1").decode("utf-8")  # headers come as latin-1, most servers mean UTF-8
    try:
        return str(_ADA.join_url(reply.ask.url, location)) if location else ""
    except ValueError:
        return ""


def _document(page: Page, reply: Reply) -> Verdict | None:
    if reply.status == PARTIAL:
        return kept(page, Change.UNKNOWN, "a part of the document, unasked")
    if not reply.body or reply.body.isspace():
        blank = odd(page, "an empty answer")
        if blank is not None:
            return blank
    return None if _asks_to_be_hidden(reply) else equal_bytes(page, reply)


def equal_bytes(page: Page, reply: Reply) -> Verdict | None:
    """The same, if not a byte differs."""
    if not page.body_digest or not has_copy(page) or body_digest(reply.body) != page.body_digest:
        return None
    learnt = after_equal_body(settled(read_page(page.noise)))
    return replace(kept(page, Change.SAME, "not a byte differs", learnt.noise), lessons=learnt.lessons)


def _asks_to_be_hidden(reply: Reply) -> bool:
    """By its head, which may be news though the body is not."""
    told = reply.all_headers("x-robots-tag")
    return bool(told) and "noindex" in from_headers(told)


DECIDE: dict[Evidence, Callable[[Page, Reply], Verdict | None]] = {
    Evidence.DOCUMENT: _document,
    Evidence.NOT_MODIFIED: _not_modified,
    Evidence.REDIRECT: _redirect,
    Evidence.MISSING: _missing,
    Evidence.REFUSED: _no_evidence,
    Evidence.BUSY: _no_evidence,
    Evidence.BROKEN: _no_evidence,
    Evidence.FAILED: _no_evidence,
}
