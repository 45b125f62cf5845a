"""Spaces without end are told by what their pages say; sites of many pages that say something are not."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from recrawl.model.address import Address, server_of
from recrawl.model.page import Page
from recrawl.scope.traps import TrapLimits, Traps, shape_of

LIMITS = TrapLimits(alike_pages=80, alike_chain=80, alike_many=300, pages_per_pattern=500, pages_per_server=700)
HOME = "https://example.com/"

Say = Callable[[int], str]


def address(url: str) -> Address:
    return Address(url, server_of(url))


def page(url: str) -> Page:
    known = address(url)
    return Page(known.id, url, known.server, "site", depth=1)


def let_in(traps: Traps, url: str, found_from: Page | None = None, *, new: bool = True) -> None:
    """And written."""
    traps.let_in(address(url), found_from)
    traps.written(address(url).id, new)


def crawl(traps: Traps, urls: Callable[[int], str], say: Say, most: int, *, in_a_chain: bool = True) -> int:
    """Each page leads to the next (or all are found on the front page); how many were visited before the end."""
    before = page(HOME)
    for number in range(most):
        here = page(urls(number))
        if traps.refusal(address(here.url)):
            return number
        let_in(traps, here.url, before)
        if traps.wants(here):
            traps.saw(here, say(number))
        before = here if in_a_chain else page(HOME)
    return most


def prose(number: int) -> str:
    """Forty words of its own for every number, of letters alone."""
    digits = "".join(chr(97 + int(digit)) for digit in str(number))
    return " ".join(f"{chr(107 + place % 10)}{chr(97 + place)}{digits}" for place in range(26))


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("https://example.com/", "example.com/"),
        ("https://example.com/cal/2026/11", "example.com/cal/0"),
        ("https://example.com/cal/2026/11/15?view=day", "example.com/cal/0?view"),
        ("https://example.com/p/7.html", "example.com/p/0.html"),
        ("https://example.com/news/some-title.html", "example.com/news/*.html"),
        ("https://example.com/list?b=2&a=1&a=3", "example.com/*?a&b"),
        ("http://example.com:8080/(S(a1b2c3))/home", "example.com:8080/(S(0))/*"),
    ],
)
def test_addresses_of_one_kind_have_one_shape(url: str, shape: str) -> None:
    assert shape_of(url) == shape


def test_a_calendar_is_closed_after_a_chain_of_pages_that_differ_in_dates_alone() -> None:
    traps = Traps(LIMITS)
    months = ("January", "May", "October")
    say = lambda number: f"{months[number % 3]} {2026 + number}. No events in this month, come again."  # noqa: E731
    visited = crawl(traps, lambda number: f"https://example.com/cal/{2026 + number}/01", say, 1000)
    assert LIMITS.alike_chain <= visited <= LIMITS.alike_chain + 10
    assert "led from one to the next" in traps.is_closed("https://example.com/cal/1999/12")
    assert traps.is_closed("https://example.com/news/1999") == ""
    assert len(traps.news()) == 1
    assert traps.news() == []


def test_pages_that_say_the_same_word_for_word_are_closed_even_where_none_leads_to_the_next() -> None:
    traps = Traps(LIMITS)
    urls = lambda number: f"https://example.com/shop?visitor={number}abc"  # noqa: E731
    visited = crawl(traps, urls, lambda _: "Welcome to our shop of good things", 1000, in_a_chain=False)
    assert LIMITS.alike_pages <= visited <= LIMITS.alike_pages + 10


def test_very_many_pages_alike_but_for_numbers_are_closed_while_ever_more_are_found() -> None:
    traps = Traps(replace(LIMITS, pages_per_pattern=10_000, pages_per_server=10_000))
    for number in range(1000):  # found long before they are visited
        let_in(traps, f"https://example.com/n/{number}")
    visited = 0
    for number in range(1000):
        here = page(f"https://example.com/n/{number}")
        if traps.is_closed(here.url):
            break
        visited += 1
        if traps.wants(here):
            traps.saw(here, f"Number {number} has followers and friends")
    assert LIMITS.alike_many <= visited <= LIMITS.alike_many + 10


def test_a_long_chain_of_pages_that_say_something_is_followed() -> None:
    traps = Traps(LIMITS)
    assert crawl(traps, lambda number: f"https://example.com/goods?page={number}", prose, 400) == 400
    assert traps.news() == []


def test_many_pages_alike_but_for_numbers_found_on_one_page_are_no_trap() -> None:
    traps = Traps(LIMITS)
    say = lambda number: f"Item {number} costs {number * 3} and is in stock"  # noqa: E731
    assert crawl(traps, lambda number: f"https://example.com/i/{number}", say, 290, in_a_chain=False) == 290


def test_a_pattern_and_a_server_have_no_more_pages_than_the_limits_allow() -> None:
    traps = Traps(LIMITS)
    assert crawl(traps, lambda number: f"https://example.com/w/{number}", prose, 2000) == LIMITS.pages_per_pattern
    crawl(traps, lambda number: f"https://example.com/v/{number}", prose, 2000)
    crawl(traps, lambda number: f"https://example.com/u/{number}", prose, 2000)
    assert "has more than 700 pages" in traps.refusal(address("https://example.com/about"))
    assert traps.refusal(address("https://other.example/about")) == ""


def test_honest_pages_are_read_for_it_rarely() -> None:
    traps = Traps()
    read = 0
    for number in range(2000):
        here = page(f"https://example.com/a/{number}")
        if traps.wants(here):
            read += 1
            traps.saw(here, prose(number))
    assert read < 60


def test_pages_of_which_none_is_like_another_are_soon_read_rarely() -> None:
    traps = Traps()
    pages = [page(f"https://example.com/a/{number}") for number in range(120)]
    read = [here for number, here in enumerate(pages) if traps.wants(here) and traps.saw(here, prose(number)) is None]
    assert len(read) < 12


def test_pages_alike_that_never_say_the_same_are_read_calmly_until_there_are_very_many() -> None:
    traps, limits = Traps(replace(LIMITS, alike_many=2000)), 2000
    say = lambda number: f"Item {number} costs {number * 3} and is in stock"  # noqa: E731
    read = []
    for number in range(limits + 400):
        here = page(f"https://example.com/i/{number}")
        if traps.wants(here):
            read.append(number)
            traps.saw(here, say(number))
    before = sum(200 <= number < limits - 1 for number in read)
    assert (limits - 200) // 16 <= before < (limits - 200) / 12
    assert sum(number >= limits for number in read) >= 400 / 4


def test_pages_that_begin_to_say_the_same_are_closed_though_they_were_read_calmly() -> None:
    traps = Traps(LIMITS)
    say = lambda number: f"Item {min(number, 150)} of all that we have in stock, and more of it. " + prose(1)  # noqa: E731
    visited = crawl(traps, lambda number: f"https://example.com/i/{number}", say, 2000, in_a_chain=False)
    assert 150 < visited < 320


def test_what_was_closed_stays_closed_in_the_next_run() -> None:
    traps = Traps(LIMITS)
    crawl(traps, lambda number: f"https://example.com/s/{number}", lambda _: "the same", 1000)
    memo = traps.memo()
    assert memo is not None
    again = Traps(LIMITS)
    again.recall(memo)
    again.hear(traps.closed())
    assert again.is_closed("https://example.com/s/5000") == traps.is_closed("https://example.com/s/5000") != ""


def lead_on(traps: Traps, pages: int, *, known: int, path: str = "w/x{}.html") -> int:
    """Pages visited before no more are let in; each leads to some never met, and to some known."""
    for number in range(pages):
        here = page(HOME + path.format(number))
        if traps.refusal(address(here.url)) or traps.is_closed(here.url, here.server):
            return number
        let_in(traps, here.url)
        traps.wants(here)
        if traps.wants_links(here):
            traps.led(here, 5, known)
    return pages


def test_pages_that_only_lead_on_and_never_back_are_closed() -> None:
    traps = Traps(TrapLimits(onward_pages=500))
    assert 500 <= lead_on(traps, 5000, known=0) <= 520
    assert "none back" in traps.news()[0]


def test_a_server_whose_pages_only_lead_on_is_closed_whatever_their_names() -> None:
    traps = Traps(TrapLimits(onward_pages=400))
    for folder in range(120):
        lead_on(traps, 20, known=0, path=f"{prose(folder).split()[0]}/x{{}}.html")
    assert "none back" in traps.is_closed(HOME + "new/x.html", "example.com")
    assert traps.refusal(address(HOME + "new/x.html"))


def many_shapes(number: int) -> str:
    """Hardly two of these addresses have a shape in common."""
    letters = "abcdefghij"
    return HOME + "/".join(letters[int(digit)] for digit in f"{number:06}") + "/"


def test_a_server_whose_pages_only_lead_on_is_closed_though_no_two_have_a_shape_in_common() -> None:
    traps = Traps(TrapLimits(onward_pages=400))
    for number in range(3000):
        here = page(many_shapes(number))
        if traps.is_closed(here.url, here.server):
            break
        traps.wants(here)
        if traps.wants_links(here):
            traps.led(here, 5, 0)
    assert 1600 <= number <= 1650


@pytest.mark.parametrize(("says", "closed"), [(lambda _: "choose your language " * 20, True), (prose, False)])
def test_a_server_that_says_the_same_under_addresses_of_any_shape_is_closed(
    says: Callable[[int], str], closed: bool
) -> None:
    traps = Traps(TrapLimits(alike_pages=100))
    for number in range(1000):
        here = page(many_shapes(number))
        if traps.wants(here):
            traps.saw(here, says(number))
    assert bool(traps.is_closed(many_shapes(5000), "example.com")) is closed
    assert [("all pages of this server" in said) for said in traps.news()] == [True] * closed


def of_any_shape(number: int) -> str:
    """Below one another, in letters alone, no two alike in shape."""
    names = ("news", "shop", "about", "team")
    return HOME + "/".join(names[number // 4**place % 4] + "abcd"[number // 4**place % 4] for place in range(6)) + "/"


LOOSE = replace(LIMITS, pages_per_server=100_000)


def test_a_server_that_shows_all_of_itself_again_below_every_page_is_closed() -> None:
    assert crawl(Traps(LOOSE), of_any_shape, lambda number: prose(number % 9), 4000) < 2000


def test_a_server_that_says_some_things_twice_is_not() -> None:
    assert crawl(Traps(LOOSE), of_any_shape, lambda number: prose(number // 2), 4000) == 4000


def test_pages_with_a_way_back_are_not_closed_and_soon_not_looked_at() -> None:
    traps = Traps(TrapLimits(onward_pages=100))
    assert lead_on(traps, 3000, known=1) == 3000
    looks = 0
    for number in range(64):
        here = page(f"{HOME}w/y{number}.html")
        traps.wants(here)
        looks += traps.wants_links(here)
    assert looks == 0


def test_pages_alike_but_for_numbers_in_their_query_are_closed_sooner() -> None:
    traps, limits = Traps(LIMITS), LIMITS
    for number in range(limits.alike_many):
        if traps.refusal(address(f"{HOME}when?d={number}")):
            break
        for more in (number, number + 100_000):
            let_in(traps, f"{HOME}when?d={more}")
        here = page(f"{HOME}when?d={number}")
        if traps.wants(here):
            traps.saw(here, f"day {number} and what happens on day {number} of all the days that there are, many more")
    assert limits.alike_many // 4 <= number < limits.alike_many // 3


def test_what_an_earlier_run_let_in_counts_once() -> None:
    traps = Traps(LIMITS)
    for number in range(300):
        let_in(traps, f"{HOME}shelf/{number}")
    memo = traps.memo(least=1)
    again = Traps(LIMITS)
    again.recall(memo)
    assert again.nears_a_limit(200) and not again.nears_a_limit(199)  # of 500
    for number in range(300):
        let_in(again, f"{HOME}shelf/{number}", new=False)
    assert again.memo(least=1) == memo
    for number in range(300, 500):
        assert again.refusal(address(f"{HOME}shelf/{number}")) == ""
        let_in(again, f"{HOME}shelf/{number}")
    assert "more than 500 pages like this one" in again.refusal(address(f"{HOME}shelf/500"))


def test_what_is_not_written_yet_counts_against_a_limit_and_is_no_sign_that_ever_more_are_found() -> None:
    """An earlier run may have let all of it in."""
    traps = Traps(replace(LIMITS, alike_many=40, pages_per_pattern=500))
    for number in range(400):
        traps.let_in(address(f"https://example.com/n/{number}"), None)
    for number in range(100):
        here = page(f"https://example.com/n/{number}")
        if traps.wants(here):
            traps.saw(here, f"day {number} and what happens on day {number} of all the days that there are, many more")
    assert not traps.is_closed("https://example.com/n/1")
    for number in range(400, 500):
        traps.let_in(address(f"https://example.com/n/{number}"), None)
    assert "more than 500" in traps.refusal(address("https://example.com/n/600"))


def counted(*memos: bytes | None) -> list[tuple[int, int]]:
    """Pages of all servers and of all groups that each of these tells of."""
    kept = [json.loads(memo or b"{}") for memo in memos]
    return [(sum(one["servers"].values()), sum(group[0] for group in one["groups"].values())) for one in kept]


def fill(traps: Traps, numbers: range) -> None:
    """With as many as are not refused."""
    for url in (f"{HOME}list/{number}" for number in numbers):
        if not traps.refusal(address(url)):
            let_in(traps, url)


def test_what_others_counted_counts_and_is_theirs_to_remember() -> None:
    limits = TrapLimits(pages_per_pattern=200)
    one, other, alone, again = (Traps(limits) for _ in range(4))
    fill(one, range(60))
    fill(other, range(60, 130))
    first, second = one.memo(least=1), other.memo(least=1)
    assert counted(first, second) == [(60, 60), (70, 70)]
    alone.recall(first, (second or b"",))
    assert alone.nears_a_limit(70) and not alone.nears_a_limit(69)
    fill(alone, range(130, 300))
    third = alone.memo(least=1)
    assert counted(third, second) == [(130, 130), (70, 70)]
    again.recall(second, (third or b"",))
    assert again.refusal(address(f"{HOME}list/999"))
    assert counted(again.memo(least=0)) == [(70, 70)]
