"""What the answer to /robots.txt means and how long it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.scope.robots_policy import LONGEST_S, SHORTEST_S, Access, decide, expires_at

HOUR_S = 3600.0
NOW = 1_700_000_000.0
FORBID_X = b"User-agent: *\nDisallow: /x\nCrawl-delay: 7"


@pytest.mark.parametrize(
    ("status", "access"),
    [
        (200, Access.RULES),
        (204, Access.RULES),
        (301, Access.ALL),  # left over after five hops
        (400, Access.ALL),
        (401, Access.ALL),
        (403, Access.ALL),
        (404, Access.ALL),
        (410, Access.ALL),
        (429, Access.NONE),
        (500, Access.NONE),
        (503, Access.NONE),
        (599, Access.NONE),
        (100, Access.NONE),
        (304, Access.NONE),  # nobody asked conditionally
        (0, Access.NONE),
        (None, Access.NONE),
    ],
)
def test_each_status_has_one_meaning(status: int | None, access: Access) -> None:
    policy = decide(status, FORBID_X)
    assert policy.access is access
    assert policy.retry is (access is Access.NONE)
    assert policy.allowed("/x") is (access is Access.ALL)
    assert policy.allowed("/y") is (access is not Access.NONE)
    assert policy.sentence.endswith(".")


def test_nothing_is_allowed_while_nobody_knows_not_even_by_explanation() -> None:
    policy = decide(503)
    explanation = policy.explain("/y")
    assert not explanation.allowed
    assert explanation.sentence == "robots.txt could not be read (status 503): nothing is allowed until it can."
    assert policy.crawl_delay_s() is None


def test_the_rules_speak_through_the_policy() -> None:
    policy = decide(200, FORBID_X)
    assert policy.explain("/x").line_number == 2
    assert policy.crawl_delay_s() == 7.0


@pytest.mark.parametrize(
    ("headers", "held_s"),
    [
        ((), LONGEST_S),
        ((("Cache-Control", "max-age=7200"),), 7200.0),
        ((("cache-control", 'public, Max-Age="7200"'),), 7200.0),
        ((("cache-control", "max-age=31536000"),), LONGEST_S),
        ((("cache-control", "max-age=0"),), SHORTEST_S),
        ((("cache-control", "no-store"),), SHORTEST_S),
        ((("cache-control", "max-age=soon"),), LONGEST_S),
        (
            (("expires", "Tue, 14 Nov 2023 22:13:20 GMT"), ("date", "Tue, 14 Nov 2023 20:13:20 GMT")),
            7200.0,
        ),
        ((("expires", "0"), ("date", "Tue, 14 Nov 2023 20:13:20 GMT")), LONGEST_S),
    ],
)
def test_an_answer_holds_as_long_as_its_headers_say_between_an_hour_and_a_day(
    headers: tuple[tuple[str, str], ...], held_s: float
) -> None:
    assert expires_at(NOW, 200, headers) == NOW + held_s
    assert expires_at(NOW, 404, headers) == NOW + held_s


@pytest.mark.parametrize(
    ("failures", "headers", "wait_s"),
    [
        (0, (), 300.0),
        (1, (), 600.0),
        (50, (), 6 * HOUR_S),
        (0, (("Retry-After", "5"),), 300.0),
        (0, (("Retry-After", "1800"),), 1800.0),
        (0, (("Retry-After", "99999999999999999999"),), LONGEST_S),
        (0, (("Retry-After", "Tue, 14 Nov 2023 23:13:20 GMT"),), HOUR_S),
        (0, (("Retry-After", "later"),), 300.0),
    ],
)
def test_no_answer_is_asked_for_again_soon_then_less_often_and_never_before_retry_after(
    failures: int, headers: tuple[tuple[str, str], ...], wait_s: float
) -> None:
    assert expires_at(NOW, 503, headers, failures) == NOW + wait_s


@given(
    st.one_of(st.none(), st.integers(0, 999)),
    st.lists(st.tuples(st.sampled_from(["cache-control", "expires", "date", "retry-after"]), st.text())),
    st.integers(0, 10_000),
)
def test_whatever_a_server_sends_it_is_asked_again_within_a_day(
    status: int | None, headers: list[tuple[str, str]], failures: int
) -> None:
    assert NOW < expires_at(NOW, status, headers, failures) <= NOW + LONGEST_S
