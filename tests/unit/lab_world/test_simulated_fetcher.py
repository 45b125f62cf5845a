"""The simulated fetcher is a Fetcher: replies like the real one's, on any clock, with a log of what was asked."""

import asyncio
from itertools import pairwise

import pytest

from recrawl.engine.clock import VirtualClock, run_virtually
from recrawl.lab.faults import FaultKind, FaultPlan, FaultRule, fault_at, in_spell, refuses
from recrawl.lab.requests_log import Request, closer_than, impatient, overlapping, parse_lines, render_line
from recrawl.lab.simulated import SimulatedFetcher
from recrawl.lab.tempers import DAY_S, HOUR_S
from recrawl.lab.world import START_AT, World
from recrawl.lab.world_parts import Ending, PageSpec, ServerSpec
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence, Limits, Reply
from recrawl.ports import Fetcher

PAGES = (
    PageSpec("/page"),
    PageSpec("/moved", ended_at=START_AT, ending=Ending.MOVED, moved_to="/page"),
    PageSpec("/gone", ended_at=START_AT, ending=Ending.GONE),
)
WORLD = World(4, (ServerSpec("one", pages=PAGES, coding="gzip", delay_s=0.2), ServerSpec("two")))


def ask_once(path: str, rule: FaultRule | None = None, ask: Ask | None = None) -> tuple[Reply, SimulatedFetcher, float]:
    async def main() -> tuple[Reply, SimulatedFetcher, float]:
        clock = VirtualClock(START_AT)
        fetcher = SimulatedFetcher(WORLD, clock, FaultPlan(1, (rule,) if rule else ()))
        reply = await fetcher.fetch(ask or Ask(f"http://one.test{path}"))
        await fetcher.close()
        return reply, fetcher, clock.now() - START_AT

    return run_virtually(main)


def test_it_fits_the_port() -> None:
    assert isinstance(SimulatedFetcher(WORLD, VirtualClock()), Fetcher)


def test_a_document_comes_whole_with_raw_heads_times_and_both_bodies() -> None:
    reply, fetcher, took_s = ask_once("/page")
    assert reply.evidence is Evidence.DOCUMENT
    assert reply.raw_request.startswith(b"GET /page HTTP/1.1\r\nHost: one.test\r\n")
    assert reply.raw_head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert reply.raw_head.endswith(b"\r\n\r\n")
    assert reply.header("content-encoding") == "gzip"
    assert int(reply.header("content-length")) == len(reply.sent_body) < len(reply.body)
    assert reply.received_bytes == len(reply.raw_head) + len(reply.sent_body)
    assert reply.body.startswith(b"<!DOCTYPE html>")
    assert took_s == pytest.approx(reply.times.total_s)
    assert [request.path for request in fetcher.log] == ["/page"]


def test_a_revisit_with_the_etag_is_not_modified() -> None:
    first, _, _ = ask_once("/page")
    again, fetcher, _ = ask_once("/page", ask=Ask("http://one.test/page", etag=first.header("etag")))
    assert (again.evidence, again.status, again.body) == (Evidence.NOT_MODIFIED, 304, b"")
    assert fetcher.log[0].conditional


@pytest.mark.parametrize(
    ("path", "evidence"),
    [("/moved", Evidence.REDIRECT), ("/gone", Evidence.MISSING), ("/nowhere", Evidence.MISSING)],
)
def test_other_answers_are_classified(path: str, evidence: Evidence) -> None:
    assert ask_once(path)[0].evidence is evidence


@pytest.mark.parametrize(
    ("kind", "evidence", "failure"),
    [
        (FaultKind.NO_HOST, Evidence.FAILED, Failure.NO_HOST),
        (FaultKind.CONNECT, Evidence.FAILED, Failure.CONNECT),
        (FaultKind.CONNECT_TIMEOUT, Evidence.FAILED, Failure.CONNECT_TIMEOUT),
        (FaultKind.STALL, Evidence.FAILED, Failure.FIRST_BYTE_TIMEOUT),
        (FaultKind.RESET, Evidence.FAILED, Failure.RESET),
        (FaultKind.TRUNCATED, Evidence.FAILED, Failure.TRUNCATED),
        (FaultKind.GARBLED, Evidence.FAILED, Failure.UNDECODABLE),
        (FaultKind.GIBBERISH, Evidence.FAILED, Failure.PROTOCOL),
        (FaultKind.UNASKED_304, Evidence.FAILED, Failure.UNASKED_304),
        (FaultKind.ERROR, Evidence.BROKEN, None),
        (FaultKind.BAD_GATEWAY, Evidence.BROKEN, None),
        (FaultKind.BUSY, Evidence.BUSY, None),
        (FaultKind.TOO_MANY, Evidence.BUSY, None),
        (FaultKind.SLOW, Evidence.DOCUMENT, None),
    ],
)
def test_every_fault_becomes_a_reply(kind: FaultKind, evidence: Evidence, failure: Failure | None) -> None:
    reply, fetcher, _ = ask_once("/page", FaultRule(kind, retry_after_s=90, delay_s=3.0))
    assert (reply.evidence, reply.failure) == (evidence, failure)
    assert (reply.body == b"") is (evidence is Evidence.FAILED)
    assert bool(reply.detail) is (failure is not None)
    assert fetcher.log[0].fault == kind
    retries = (FaultKind.BUSY, FaultKind.TOO_MANY, FaultKind.ERROR, FaultKind.BAD_GATEWAY)
    assert reply.header("retry-after") == ("90" if kind in retries else "")


def test_timeouts_take_as_long_as_the_limits_of_the_ask() -> None:
    ask = Ask("http://one.test/page", limits=Limits(connect_s=4.0, first_byte_s=7.0))
    assert ask_once("", FaultRule(FaultKind.CONNECT_TIMEOUT), ask)[2] == pytest.approx(4.0)
    assert ask_once("", FaultRule(FaultKind.STALL), ask)[2] == pytest.approx(7.0)
    reply, _, took_s = ask_once("", FaultRule(FaultKind.SLOW, delay_s=60.0), ask)
    assert reply.failure is Failure.FIRST_BYTE_TIMEOUT
    assert took_s == pytest.approx(7.0)


def test_a_body_beyond_the_limit_is_a_failure() -> None:
    reply, _, _ = ask_once("", None, Ask("http://one.test/page", limits=Limits(body_bytes=100)))
    assert (reply.failure, reply.body, reply.sent_body) == (Failure.BODY_TOO_LARGE, b"", b"")


def test_an_unknown_server_has_no_host() -> None:
    assert ask_once("", ask=Ask("http://elsewhere.test/"))[0].failure is Failure.NO_HOST


def test_the_log_shows_requests_at_once_too_close_and_too_early() -> None:
    async def main() -> list[Request]:
        clock = VirtualClock(START_AT)
        fetcher = SimulatedFetcher(WORLD, clock, FaultPlan(1, (FaultRule(FaultKind.BUSY, "two", retry_after_s=60),)))
        await asyncio.gather(*(fetcher.fetch(Ask(f"http://one.test/{path}")) for path in ("page", "gone")))
        for _ in range(2):
            await fetcher.fetch(Ask("http://two.test/"))
            await clock.sleep(10)
        return fetcher.log

    log = run_virtually(main)
    assert [pair[0].server for pair in overlapping(log)] == ["one.test"]
    assert {pair[0].server for pair in closer_than(log, 5.0)} == {"one.test"}
    assert {pair[0].server for pair in closer_than(log, 15.0)} == {"one.test", "two.test"}
    assert [pair[0].server for pair in impatient(log)] == ["two.test"]
    assert parse_lines("".join(map(render_line, log))) == log


def test_spells_come_once_in_every_stretch_and_last_no_longer_than_said() -> None:
    rule = FaultRule(FaultKind.ERROR, every_s=DAY_S, lasts_s=2 * HOUR_S)
    for day in range(40):
        minutes = [START_AT + day * DAY_S + minute * 60 for minute in range(24 * 60)]
        sick = [in_spell(rule, 17, at) for at in minutes]
        assert 55 <= sum(sick) <= 120
        assert sum(before != after for before, after in pairwise(sick)) <= 2


def test_a_share_of_the_requests_is_hit_and_the_same_ones_every_time() -> None:
    plan = FaultPlan(3, (FaultRule(FaultKind.RESET, share=0.25),))
    asked = [("/page", START_AT + second) for second in range(2000)]
    hit = [fault_at(plan, "one", path, at) is not None for path, at in asked]
    assert 400 < sum(hit) < 600
    assert hit == [fault_at(plan, "one", path, at) is not None for path, at in asked]


def test_rules_keep_to_their_server_path_and_time() -> None:
    until = FaultPlan(1, (FaultRule(FaultKind.ERROR, "one", "/robots.txt", until_at=START_AT + 60),))
    assert fault_at(until, "one", "/robots.txt", START_AT + 59) is not None
    assert fault_at(until, "one", "/robots.txt", START_AT + 60) is None
    assert fault_at(until, "one", "/page", START_AT) is None
    assert fault_at(until, "two", "/robots.txt", START_AT) is None
    spared = FaultPlan(1, (FaultRule(FaultKind.CONNECT, "one", spares_robots=True),))
    assert fault_at(spared, "one", "/robots.txt", START_AT) is None
    assert not refuses(spared, "one", START_AT)
    refusing = FaultPlan(1, (FaultRule(FaultKind.CONNECT, "one", until_at=START_AT + 60),))
    assert [refuses(refusing, name, START_AT) for name in ("one", "two")] == [True, False]
    assert not refuses(refusing, "one", START_AT + 60)
