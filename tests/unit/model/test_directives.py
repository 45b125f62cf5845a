"""What a page says about itself to robots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.directives import from_headers, from_meta, is_expired, may_follow, may_index, may_keep

JUNE_2010 = 1277478000.0  # 2010-06-25 15:00 UTC


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], set()),
        ([""], set()),
        (["noindex"], {"noindex"}),
        (["NoIndex, NOFOLLOW"], {"noindex", "nofollow"}),
        (["noindex", "noarchive"], {"noindex", "noarchive"}),
        (["none"], {"noindex", "nofollow"}),
        (["nocache"], {"noarchive"}),
        (["all, index, follow"], set()),
        (["index, noindex"], {"noindex"}),
        (["googlebot: noindex, nofollow"], set()),
        (["recrawl: noindex, nofollow"], {"noindex", "nofollow"}),
        (["ReCrawl : noindex"], {"noindex"}),
        (["*: noindex"], {"noindex"}),
        (["googlebot: noindex", "nofollow"], {"nofollow"}),
        (["nofollow, googlebot: noindex, recrawl: noarchive"], {"nofollow", "noarchive"}),
        (["max-snippet: -1, max-image-preview:large"], {"max-snippet:-1", "max-image-preview:large"}),
        (["recrawl: max-snippet:20"], {"max-snippet:20"}),
        (["unavailable_after: 25 Jun 2010 15:00:00 GMT"], {"unavailable_after:25 jun 2010 15:00:00 gmt"}),
        (
            ["unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex"],
            {"unavailable_after:fri, 25 jun 2010 15:00:00 gmt", "noindex"},
        ),
        (["otherbot: unavailable_after: 25 Jun 2010 15:00:00 GMT"], set()),
        (["noindex nofollow"], {"noindex", "nofollow"}),
        (["noimageindex,,notranslate,"], {"noimageindex", "notranslate"}),
    ],
)
def test_headers_speak_to_everybody_or_to_the_robot_they_name(values: list[str], expected: set[str]) -> None:
    assert from_headers(values) == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([("robots", "noindex,nofollow")], {"noindex", "nofollow"}),
        ([("ROBOTS", " None ")], {"noindex", "nofollow"}),
        ([("recrawl", "noarchive"), ("robots", "nofollow")], {"noarchive", "nofollow"}),
        ([("googlebot", "noindex"), ("description", "noindex")], set()),
        ([("robots", "max-snippet:-1, follow")], {"max-snippet:-1"}),
    ],
)
def test_meta_elements_speak_by_their_name(tags: list[tuple[str, str]], expected: set[str]) -> None:
    assert from_meta(tags) == expected


def test_another_robot_hears_what_is_said_to_it() -> None:
    assert from_headers(["otherbot: noindex"], agent="OtherBot") == {"noindex"}


@pytest.mark.parametrize(
    "date",
    [
        "25 Jun 2010 15:00:00 GMT",
        "Friday, 25-Jun-10 15:00:00 GMT",
        "Fri, 25 Jun 2010 15:00:00 GMT",
        "2010-06-25T15:00:00Z",
        "2010-06-25T17:00:00+02:00",
        "2010-06-25 15:00:00",
        "25 Jun 2010 07:00:00 PST",
    ],
)
def test_a_page_expires_at_its_date_in_every_format(date: str) -> None:
    directives = from_headers([f"unavailable_after: {date}"])
    assert not is_expired(directives, JUNE_2010)
    assert is_expired(directives, JUNE_2010 + 1)
    assert may_index(directives, JUNE_2010) and not may_index(directives, JUNE_2010 + 1)
    assert may_keep(directives, JUNE_2010) and not may_keep(directives, JUNE_2010 + 1)


def test_a_date_nobody_can_read_says_nothing() -> None:
    assert not is_expired(from_headers(["unavailable_after: next week"]), 4e9)


def test_each_word_forbids_one_thing() -> None:
    forbidden = from_headers(["noindex"]), from_headers(["nofollow"]), from_headers(["noarchive"])
    assert [may_index(one, 0) for one in forbidden] == [False, True, True]
    assert [may_follow(one) for one in forbidden] == [True, False, True]
    assert [may_keep(one, 0) for one in forbidden] == [True, True, False]


@given(st.lists(st.text()))
def test_no_header_can_break_it(values: list[str]) -> None:
    directives = from_headers(values)
    assert all(word == word.strip() and word for word in directives)
    assert is_expired(directives, 0.0) in (True, False)
