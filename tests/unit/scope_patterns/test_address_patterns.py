"""Patterns: what they match, what they capture, and that neither number nor malice makes them slow."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.patterns import seconds_a_link

from recrawl.model.failure import ConfigError, FormatError
from recrawl.scope.patterns import Patterns


def captured(pattern: str, url: str) -> dict[str, str] | None:
    found = Patterns([pattern]).match(url)
    return None if found is None else found.values


@pytest.mark.parametrize(
    ("pattern", "url", "values"),
    [
        ("/item/{id:int}", "http://a.example/item/7", {"id": "7"}),
        ("/item/{id:int}", "https://b.example/item/7", {"id": "7"}),
        ("/item/{id:int}", "http://a.example/item/7a", None),
        ("/item/{id:int}", "http://a.example/item/", None),
        ("/item/{id:int}", "http://a.example/item/7/", None),
        ("/item/{id:int}", "http://a.example/item/7?x=1", None),
        ("/{slug}", "http://a.example/x", {"slug": "x"}),
        ("/{slug}", "http://a.example/", None),
        ("/{slug}", "http://a.example/x/y", None),
        ("/", "http://a.example/", {}),
        ("/a/{rest:path}", "http://a.example/a/b/c", {"rest": "b/c"}),
        ("/a/{rest:path}/end.html", "http://a.example/a/b/c/end.html", {"rest": "b/c"}),
        ("/a/{rest:path}/end.html", "http://a.example/a/end.html", None),
        ("/p{id:int}.html", "http://a.example/p12.html", {"id": "12"}),
        ("/{slug}-{id:int}.html", "http://a.example/a-b-12.html", {"slug": "a-b", "id": "12"}),
        ("/{year:int}/{month:int}/{slug}", "http://a.example/2026/11/x", {"year": "2026", "month": "11", "slug": "x"}),
        ("/on/{day:date}", "http://a.example/on/2026-11-15", {"day": "2026-11-15"}),
        ("/on/{day:date}", "http://a.example/on/today", None),
        ("/k/{key:hex}", "http://a.example/k/0aF9-12", {"key": "0aF9-12"}),
        ("/l?page={page:int}", "http://a.example/l?page=3", {"page": "3"}),
        ("/l?page={page:int}", "http://a.example/l?page=", None),
        ("/l?page={page:int}", "http://a.example/l", None),
        ("/l?page={page:int}", "http://a.example/l?page=3&sort=a", None),
        ("/l?page={page:int}&*", "http://a.example/l?sort=a&page=3", {"page": "3"}),
        ("/l?a={a}&b={b}", "http://a.example/l?b=2&a=1", {"a": "1", "b": "2"}),
        ("/l?kind=x&id={id}", "http://a.example/l?kind=y&id=1", None),
        ("/l?kind=x&id={id}", "http://a.example/l?kind=x&id=1", {"id": "1"}),
        ("/l?id={id}&{rest:path}", "http://a.example/l?id=1&x=2&y=3", {"id": "1", "rest": "x=2&y=3"}),
        ("/l?flag", "http://a.example/l?flag", {}),
        ("/l?id={id}", "http://a.example/l?id=1&id=2", None),
        ("/go?u={target:url}", "http://a.example/go?u=%2Fx%3Fy%3D1", {"target": "/x?y=1"}),
        ("http://www.web.com/l?c={0}&page={1}", "http://www.web.com/l?c=7&page=2", {"0": "7", "1": "2"}),
        ("http://www.web.com/l?c={0}", "http://web.com/l?c=7", None),
        ("HTTP://WWW.Web.com:80/x", "http://www.web.com/x", {}),
        ("https://{shop}.example.com/x", "https://blue.example.com/x", {"shop": "blue"}),
        ("/분류/{id}", "http://a.example/%EB%B6%84%EB%A5%98/7", {"id": "7"}),
        (r"re:/item/(?P<id>\d+)$", "http://a.example/item/12", {"id": "12"}),
        (r"re:/item/(\d+)/(\w+)", "http://a.example/item/12/x", {"0": "12", "1": "x"}),
    ],
)
def test_a_pattern_matches_what_it_says_and_nothing_else(pattern: str, url: str, values: dict[str, str] | None) -> None:
    assert captured(pattern, url) == values


def test_the_first_pattern_written_wins() -> None:
    both = Patterns(["/a/{x}", "/{y}/b", "/a/b", r"re:/a/b"])
    found = both.match("http://h.example/a/b")
    assert found is not None and found.index == 0
    turned = Patterns([r"re:/a/b", "/a/b", "/{y}/b"]).match("http://h.example/a/b")
    assert turned is not None and turned.index == 0


@pytest.mark.parametrize(
    "wrong", ["item/{id}", "", "/a#b", "/a?x={a}&x={b}", "http:///x", "/l?{a}={b}", "/{a", "/{a:b c}"]
)
def test_what_is_no_pattern_is_refused(wrong: str) -> None:
    with pytest.raises(FormatError):
        Patterns([wrong])


@pytest.mark.parametrize("wrong", [r"re:(a)\1", r"re:(?=a)b", "re:(", "re:a**"])
def test_expressions_that_cannot_run_in_linear_time_are_refused(wrong: str) -> None:
    with pytest.raises(ConfigError):
        Patterns([wrong])


def test_hostile_expressions_and_addresses_take_no_time() -> None:
    hostile = Patterns([r"re:(a|aa)+$", r"re:(a+)+b", "/{a}-{b}-{c}-{d}-{e}x"])
    began = time.perf_counter()
    hostile.match("http://a.example/" + "a" * 8000 + "!")
    hostile.match("http://a.example/" + "-" * 8000)
    assert time.perf_counter() - began < 5 * max(0.001, _time_of_plain())


def _time_of_plain() -> float:
    """What a plain expression needs for as much text, many times over: the measure for "no time" on any machine."""
    plain, text = re.compile("a+b"), "a" * 8000
    began = time.perf_counter()
    for _ in range(20):
        plain.match(text)
        text.encode().decode()
    return (time.perf_counter() - began) * 20


def test_ten_thousand_patterns_cost_a_link_little_more_than_ten() -> None:
    costs = seconds_a_link((10, 10_000), rounds=5, most_links=4000)
    assert costs[10_000] < 2 * costs[10]


segment = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}", fullmatch=True)


@given(
    st.lists(st.tuples(segment, st.booleans()), min_size=1, max_size=5),
    st.lists(st.tuples(segment, segment), max_size=3),
)
def test_a_pattern_made_of_an_address_matches_it(path: list[tuple[str, bool]], query: list[tuple[str, str]]) -> None:
    pairs = dict(query)
    url = "http://a.example/" + "/".join(text for text, _ in path)
    written = "/" + "/".join(f"{{v{place}}}" if free else text for place, (text, free) in enumerate(path))
    if pairs:
        url += "?" + "&".join(f"{name}={value}" for name, value in pairs.items())
        written += "?" + "&".join(f"{name}={{q{place}}}" for place, name in enumerate(reversed(pairs)))
    values = {f"v{place}": text for place, (text, free) in enumerate(path) if free}
    values |= {f"q{place}": pairs[name] for place, name in enumerate(reversed(pairs))}
    assert captured(written, url) == values


bit = st.sampled_from(["a", "b", "{x}", "{x:int}", "a{x}", "a{x:int}b", "", "1"])
tail = st.sampled_from(["", "?p=1", "?p={p}", "?p={p:int}&*", "?q=1&p={p}", "/{rest:path}", "/{rest:path}?p=1"])
host = st.sampled_from(["", "http://h.example", "http://{h}.example"])
written = st.builds(
    lambda head, parts, end: head + "/" + "/".join(part.replace("x", f"x{at}") for at, part in enumerate(parts)) + end,
    host,
    st.lists(bit, min_size=1, max_size=3),
    tail,
)
asked = st.builds(
    lambda parts, query: "http://h.example/" + "/".join(parts) + query,
    st.lists(st.sampled_from(["a", "b", "1", "a1", "a1b", "12", ""]), min_size=1, max_size=4),
    st.sampled_from(["", "?p=1", "?p=2", "?q=1&p=3", "?p=x", "?p=1&z=2"]),
)


@given(st.lists(written, min_size=1, max_size=8), asked)
def test_many_patterns_answer_as_one_after_the_other_would(many: list[str], url: str) -> None:
    together = Patterns(many).match(url)
    alone = [(index, found.values) for index, one in enumerate(many) if (found := Patterns([one]).match(url))]
    assert (None if together is None else (together.index, together.values)) == (alone[0] if alone else None)
