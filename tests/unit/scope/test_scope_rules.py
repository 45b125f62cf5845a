"""Which addresses of a site are wanted."""

from dataclasses import replace
from timeit import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.failure import ConfigError
from recrawl.model.site import Kind, Site
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.globs import read_glob, read_pattern
from recrawl.scope.rules import Admission, Refusal, Rules, TrapLimits

CANONICALISER = Canonicaliser()
SITE = Site("news", ("https://example.com/start",))


def admit(site: Site, url: str, depth: int = 1, kind: Kind = Kind.GENERAL) -> Admission:
    address = CANONICALISER.canonical(url)
    assert address is not None
    admission = Rules.from_site(site, CANONICALISER).admit(address, depth, kind)
    assert admission.allowed is (admission.reason is Refusal.NONE)
    assert admission.allowed or admission.sentence.endswith(".")
    return admission


# hosts


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://example.com/x", True),
        ("http://example.com/x", True),
        ("https://www.example.com/x", True),
        ("https://blog.example.com/x", False),
        ("https://example.com:8080/x", False),
        ("https://example.org/x", False),
        ("https://notexample.com/x", False),
    ],
)
def test_a_site_is_its_seeds_host_and_its_www_twin(url: str, wanted: bool) -> None:
    assert admit(SITE, url).reason == (Refusal.NONE if wanted else Refusal.HOST)


@pytest.mark.parametrize(
    ("entry", "url", "wanted"),
    [
        ("blog.example.com", "http://blog.example.com/", True),
        ("Blog.Example.com", "http://blog.example.com:8080/", True),
        ("blog.example.com:8080", "http://blog.example.com:8080/", True),
        ("blog.example.com:8080", "http://blog.example.com/", False),
        ("blog.example.com:443", "https://blog.example.com/", True),
        ("*.example.com", "http://a.b.example.com/", True),
        ("*.other.com", "http://other.com/", False),
        ("*.other.com", "http://another.com/", False),
        ("*.bücher.example", "http://a.bücher.example/", True),
        ("*", "http://anything.example/", True),
        ("[::1]:80", "http://[::1]/", True),
    ],
)
def test_hosts_widen_a_site(entry: str, url: str, wanted: bool) -> None:
    assert admit(replace(SITE, hosts=(entry,)), url).allowed is wanted


@pytest.mark.parametrize("entry", ["", "http://example.com", "a b", "example.com/x", "a.*.com", "**"])
def test_a_host_that_is_none_is_refused_with_the_way_to_write_it(entry: str) -> None:
    with pytest.raises(ConfigError, match="is not a host; write"):
        Rules.from_site(replace(SITE, hosts=(entry,)), CANONICALISER)


def test_a_seed_that_is_no_address_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"Seed 'example\.com' of site news cannot be visited"):
        Rules.from_site(replace(SITE, seeds=("example.com",)), CANONICALISER)


# patterns and depth


def test_exclude_wins_over_include_and_over_seeds() -> None:
    site = replace(SITE, include=("/a/",), exclude=("/a/b", "/start"))
    assert admit(site, "https://example.com/a/c").allowed
    assert admit(site, "https://example.com/a/b").reason is Refusal.EXCLUDED
    assert admit(site, "https://example.com/start", depth=0).reason is Refusal.EXCLUDED
    assert admit(site, "https://example.com/b").reason is Refusal.NOT_INCLUDED


def test_seeds_need_no_include_pattern_and_signals_neither_that_nor_a_depth() -> None:
    site = replace(SITE, include=("/a/",), depth=1)
    assert admit(site, "https://example.com/start", depth=0).allowed
    assert admit(site, "https://example.com/sitemap.xml", depth=9, kind=Kind.SIGNAL).allowed
    assert admit(site, "https://example.com/a/x", depth=1).allowed
    assert admit(site, "https://example.com/a/x", depth=2).reason is Refusal.DEPTH


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("*.pdf", "https://example.com/a/b.pdf", True),
        ("*.pdf", "https://example.com/a/b.pdf?download=1", True),
        ("*.pdf", "https://example.com/b.pdf/x", False),
        ("/docs/", "https://example.com/docs/", True),
        ("/docs/", "https://example.com/docs/a/b?c", True),
        ("/docs/", "https://example.com/docs", False),
        ("/docs/*", "https://example.com/docs/a", True),
        ("/docs/*", "https://example.com/docs/a/b", False),
        ("/docs/**", "https://example.com/docs/a/b", True),
        ("/*/comments", "https://example.com/a/comments", True),
        ("/*/comments", "https://example.com/a/b/comments", False),
        ("/**/comments", "https://example.com/a/b/comments", True),
        ("/**/a*b", "https://example.com/x/ac/ab", True),
        ("/a", "https://example.com/a?b", True),
        ("/a?b=*", "https://example.com/a?b=1", True),
        ("/a?b=*", "https://example.com/a", False),
        ("/a.c", "https://example.com/abc", False),
        ("comments/*", "https://example.com/a/comments/7", True),
        ("https://example.com/**", "https://example.com/a/b", True),
        ("https://*.example.com/x", "https://www.example.com/x", True),
        ("**", "https://example.com/", True),
        ("re:/\\d{4}/", "https://example.com/a/2024/x", True),
        ("re:^https://example\\.com/a$", "https://example.com/ab", False),
    ],
)
def test_a_pattern_matches_what_its_page_says(pattern: str, url: str, matches: bool) -> None:
    assert read_pattern(pattern).matches(url) is matches


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("re:(", "cannot be used"),
        ("re:(a)\\1", "no reference back"),
        ("re:(?P<x>a)(?P=x)", "no reference back"),
        ("re:a(?=b)", "no looking ahead"),
        ("re:(?<!a)b", "no looking ahead"),
        ("re:(a{1000}){1000}", "cannot be used"),
        ("re:" + "a" * 1001, "longer than"),
        ("", "is empty"),
    ],
)
def test_a_pattern_that_could_take_for_ever_or_cannot_be_read_is_refused(pattern: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "re:(a+)b+",
        "re:([(+*]+)x",
        "re:(?:ab)+",
        "re:(?:/\\d+){3}",
        "re:(ab{2})+",
        "re:(a|b)?c*",
        "re:\\(a+\\)+",
        "re:(?i:x)y*",
        "re:[\\]+*]+",
    ],
)
def test_an_honest_expression_is_taken(pattern: str) -> None:
    assert read_pattern(pattern).written == pattern


@pytest.mark.parametrize("pattern", ["(a|aa)+$", "(a+)+$", "(a?a)+$", "(a|b+)*Z", "(?:a*b?)*Z", "a*a*a*a*a*a*a*Z"])
def test_a_hostile_address_does_not_hold_up_an_expression(pattern: str) -> None:
    """A backtracking machine would not come back from any of them."""
    assert not read_pattern(f"re:{pattern}").matches("https://example.com/" + "a" * 50_000 + "!")


def glob_by_definition(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern.startswith("**"):
        rest = pattern.lstrip("*")
        return any(glob_by_definition(rest, text[at:]) for at in range(len(text) + 1))
    if pattern.startswith("*"):
        run = len(text.partition("/")[0])
        return any(glob_by_definition(pattern[1:], text[at:]) for at in range(run + 1))
    return text[:1] == pattern[0] and glob_by_definition(pattern[1:], text[1:])


@given(st.text("ab/*", max_size=8).map(lambda text: f"/{text}x"), st.text("ab/x", max_size=10))
def test_globs_match_by_their_definition(pattern: str, text: str) -> None:
    assert read_glob(pattern).matches_text("/" + text) is glob_by_definition(pattern, "/" + text)


@pytest.mark.parametrize("pattern", ["/" + "*-" * 12 + "x", "/" + "**-*-" * 6 + "x", "/**" + "-*" * 12 + "x"])
def test_a_hostile_address_does_not_hold_up_a_glob(pattern: str) -> None:
    def seconds(url: str) -> float:
        return min(timeit(lambda: read_glob(pattern).matches(url), number=1) for _ in range(3))

    assert seconds("https://example.com/" + "-" * 2000) < 2000 * seconds("https://example.com/" + "-" * 20)


# traps


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://example.com/" + "a" * 2048, Refusal.TOO_LONG),
        ("https://example.com/a/b/a/b/a/b/a", Refusal.REPEATED),
        ("https://example.com/a/b/a/b/a/b", Refusal.NONE),
        ("https://example.com/?u=/a/a/a/a/a/a", Refusal.NONE),
        ("https://example.com/" + "/".join(map(str, range(33))), Refusal.SEGMENTS),
        ("https://example.com/" + "/".join(map(str, range(31))), Refusal.NONE),
        ("https://example.com/?" + "&".join(f"p{n}=1" for n in range(25)), Refusal.PARAMETERS),
        ("https://example.com/?" + "&".join(f"p{n}=1" for n in range(24)), Refusal.NONE),
    ],
)
def test_an_endless_address_space_is_left_alone(url: str, reason: Refusal) -> None:
    assert admit(SITE, url).reason is reason


def test_trap_limits_can_be_set() -> None:
    rules = Rules.from_site(SITE, CANONICALISER, TrapLimits(url_characters=30))
    address = CANONICALISER.canonical("https://example.com/a-rather-long-name")
    assert address is not None
    assert rules.admit(address).reason is Refusal.TOO_LONG


def test_a_pattern_longer_than_any_address_is_refused_with_a_word_of_advice() -> None:
    with pytest.raises(ConfigError, match="more than 10,000"):
        read_pattern("*a]" * 100_000)
    with pytest.raises(ConfigError, match="more than 10,000"):
        read_pattern("re:" + "a" * 10_001)
