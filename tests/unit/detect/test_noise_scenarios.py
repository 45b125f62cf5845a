"""Pages of every temper, visited as the engine visits them."""

import pytest
from tests.unit.detect.living_pages import (
    ASIDE,
    DAY,
    HEADING,
    ITEM,
    NOON,
    PARAGRAPH,
    PRICE,
    Script,
    Walk,
    clock,
    prose,
    token,
    words,
)

from recrawl.detect.noise import MOST_ENTRIES, read_page
from recrawl.model.document import Block
from recrawl.model.verdict import Change

NEW, SAME, CHANGED, UNKNOWN = Change.NEW, Change.SAME, Change.CHANGED, Change.UNKNOWN


def static(at: float, asked: int) -> list[Block]:
    return prose()


def hidden_token(at: float, asked: int) -> list[Block]:
    return prose()


def clock_beside(at: float, asked: int) -> list[Block]:
    return [*prose(), Block(ASIDE, f"It is {clock(at)}.")]


def clock_among_paragraphs(at: float, asked: int) -> list[Block]:
    return [*prose(), Block(PARAGRAPH, f"Served at {clock(at)}")]


def counter(at: float, asked: int) -> list[Block]:
    return [*prose(), Block(PARAGRAPH, f"This page has had {asked + 40_000:,} visitors.")]


def token_in_text(at: float, asked: int) -> list[Block]:
    return [*prose(), Block(PARAGRAPH, f"Request {token(asked)}")]


def clock_and_token(at: float, asked: int) -> list[Block]:
    return [Block(PARAGRAPH, f"Now {clock(at)}, form {token(asked)}"), *prose()]


def advert(at: float, asked: int) -> list[Block]:
    return [*prose(), Block(ASIDE, words(asked))]


def advert_among_paragraphs(at: float, asked: int) -> list[Block]:
    first, *rest = prose()
    return [first, Block(PARAGRAPH, words(asked)), *rest]


def related_items(at: float, asked: int) -> list[Block]:
    return [*prose(), *(Block(ASIDE, words(asked * 7 + item)) for item in range(3))]


def shuffled(at: float, asked: int) -> list[Block]:
    items = [words(item) for item in range(9)]
    return [*prose(), *(Block(ITEM, text) for text in items[asked % 9 :: -1] + items[asked % 9 + 1 :])]


NOISY: list[Script] = [
    hidden_token,
    clock_beside,
    clock_among_paragraphs,
    counter,
    token_in_text,
    clock_and_token,
    advert,
    advert_among_paragraphs,
    related_items,
    shuffled,
]


@pytest.mark.parametrize("script", [static, *NOISY], ids=lambda script: script.__name__)
def test_with_second_looks_a_noisy_page_is_never_reported_as_changed(script: Script) -> None:
    assert Walk().changes(script, visits=12) == [NEW] + [SAME] * 11


@pytest.mark.parametrize("script", NOISY, ids=lambda script: script.__name__)
def test_a_noisy_page_costs_one_second_look_and_not_one_a_visit(script: Script) -> None:
    walk = Walk()
    walk.changes(script, visits=30)
    assert walk.looks <= 2


@pytest.mark.parametrize("script", [clock_beside, clock_among_paragraphs, counter, token_in_text, clock_and_token])
def test_without_second_looks_what_looks_self_changing_is_silent_after_three_visits(script: Script) -> None:
    changes = Walk(second_looks=False).changes(script, visits=12)
    assert changes[0] is NEW
    assert changes[3:] == [SAME] * 9


def with_news(script: Script, at: float) -> Script:
    """The same page with one more paragraph."""
    return lambda now, asked: (
        [*script(now, asked), Block(HEADING, "A storm took the mast.")] if now >= at else script(now, asked)
    )


@pytest.mark.parametrize("script", NOISY, ids=lambda script: script.__name__)
def test_a_real_change_on_a_noisy_page_is_reported_once(script: Script) -> None:
    changes = Walk().changes(with_news(script, NOON + 5 * DAY), visits=9)
    assert changes == [NEW, SAME, SAME, SAME, SAME, CHANGED, SAME, SAME, SAME]


def edited(script: Script, at: float) -> Script:
    """The same page with one word of its first sentence changed."""

    def page(now: float, asked: int) -> list[Block]:
        blocks = script(now, asked)
        return [Block(b.place, b.text.replace("lighthouse", "harbour")) for b in blocks] if now >= at else blocks

    return page


@pytest.mark.parametrize("script", NOISY, ids=lambda script: script.__name__)
def test_a_changed_word_beside_the_noise_in_the_same_place_is_reported(script: Script) -> None:
    changes = Walk().changes(edited(script, NOON + 5 * DAY), visits=9)
    assert changes == [NEW, SAME, SAME, SAME, SAME, CHANGED, SAME, SAME, SAME]


def daily_price(at: float, asked: int) -> list[Block]:
    return [*prose(), Block(PRICE, f"Today's price: {100 + int(at // DAY) * 7 % 90}.50 EUR")]


def test_a_price_that_changes_every_day_is_reported_every_day() -> None:
    walk = Walk()
    assert walk.changes(daily_price, visits=40) == [NEW] + [CHANGED] * 39
    assert walk.looks <= 4


def test_a_price_is_reported_every_day_without_second_looks_too() -> None:
    assert Walk(second_looks=False).changes(daily_price, visits=20) == [NEW] + [CHANGED] * 19


def price_and_clock(at: float, asked: int) -> list[Block]:
    return [*prose(), Block(PRICE, f"{100 + int((at - NOON) // (3 * DAY))}.50 EUR as of {clock(at)}")]


def test_a_price_and_a_clock_in_one_sentence_are_told_apart() -> None:
    changes = Walk().changes(price_and_clock, visits=10, gap_s=DAY)
    assert changes == [NEW, SAME, SAME, CHANGED, SAME, SAME, CHANGED, SAME, SAME, CHANGED]


def minute_clock(at: float, asked: int) -> list[Block]:
    return [*prose(), Block(ASIDE, clock(at)[:-3])]


def epoch_clock(at: float, asked: int) -> list[Block]:
    """Seconds since 1970, made anew every four of them."""
    return [*prose(), Block(PARAGRAPH, f"Built {at // 4 * 4:.0f}")]


def test_seconds_since_1970_that_hold_still_at_a_second_look_are_found_out_all_the_same() -> None:
    assert Walk().changes(epoch_clock, visits=8) == [NEW, CHANGED] + [SAME] * 6


def test_a_clock_without_seconds_holds_still_at_a_second_look_and_is_found_out_all_the_same() -> None:
    assert Walk().changes(minute_clock, visits=8) == [NEW, CHANGED] + [SAME] * 6


def growing_list(at: float, asked: int) -> list[Block]:
    days = int((at - NOON) // DAY)
    return [Block(HEADING, "News"), *(Block(ITEM, words(number)) for number in range(days + 5, 0, -1))]


def test_a_list_that_grows_is_reported_whenever_it_grew() -> None:
    walk = Walk()
    assert walk.changes(growing_list, visits=10, gap_s=DAY / 2) == [NEW, SAME] + [CHANGED, SAME] * 4
    assert walk.looks <= 3


def feed_growing_while_we_look(at: float, asked: int) -> list[Block]:
    return [Block(HEADING, "News"), *(Block(ITEM, words(number)) for number in range(asked + 30, asked, -1))]


def test_a_list_that_grows_between_two_looks_is_not_taken_for_noise() -> None:
    assert Walk().changes(feed_growing_while_we_look, visits=8) == [NEW] + [CHANGED] * 7


def redesigned(at: float, asked: int) -> list[Block]:
    if at < NOON + 3 * DAY:
        return prose()
    return [Block(91, words(1)), Block(92, words(2)), *(Block(93, words(number)) for number in range(3, 20))]


def test_a_new_text_in_a_new_design_is_a_large_change_and_needs_no_second_look() -> None:
    walk = Walk()
    for number in range(3):
        walk.visit(redesigned, NOON + number * DAY)
    verdict = walk.visit(redesigned, NOON + 4 * DAY)
    assert verdict.change is CHANGED
    assert verdict.share > 0.8
    assert walk.looks == 0


def test_the_same_text_in_a_new_design_is_the_same() -> None:
    def moved(at: float, asked: int) -> list[Block]:
        return [Block(block.place + (at > NOON), block.text) for block in prose()]

    assert Walk().changes(moved, visits=3) == [NEW, SAME, SAME]


def only_a_quote(at: float, asked: int) -> list[Block]:
    return [Block(PARAGRAPH, words(asked))]


def test_a_page_that_is_all_noise_proves_nothing_and_says_so() -> None:
    walk = Walk()
    assert walk.changes(only_a_quote, visits=6) == [NEW] + [UNKNOWN] * 5
    assert "all noise" in walk.visit(only_a_quote, NOON + 20 * DAY).reason


def clock_that_stops(at: float, asked: int) -> list[Block]:
    return clock_beside(min(at, NOON + 4 * DAY), asked)


def test_a_mask_is_dropped_when_the_place_holds_still_and_changes_there_count_again() -> None:
    walk = Walk()
    assert walk.changes(clock_that_stops, visits=14) == [NEW] + [SAME] * 13

    def board(at: float, asked: int) -> list[Block]:
        return [*prose(), Block(ASIDE, f"It is {clock(NOON + 9_999_999)}.")]

    assert walk.visit(board, NOON + 20 * DAY).change is CHANGED


def test_two_thousand_pages_of_one_template_with_clocks_report_exactly_the_ten_that_changed() -> None:
    walk = Walk()
    touched = set(range(0, 2000, 200))

    def page(number: int, at: float, asked: int, later: bool) -> list[Block]:
        edition = "second" if later and number in touched else "first"
        return [Block(HEADING, words(number)), Block(PARAGRAPH, f"The {edition} edition."), *clock_and_token(at, asked)]

    def run(at: float, later: bool) -> set[int]:
        found = set()
        for number in range(2000):
            script: Script = lambda now, asked, number=number: page(number, now, asked, later)  # noqa: E731
            if walk.visit(script, at + number, f"http://site.example/{number}").change is CHANGED:
                found.add(number)
        return found

    run(NOON, later=False)
    assert run(NOON + DAY, later=False) == set()
    assert run(NOON + 2 * DAY, later=True) == touched
    assert walk.looks <= 8


def test_what_is_remembered_of_a_page_stays_small() -> None:
    walk = Walk()

    def restless(at: float, asked: int) -> list[Block]:
        return [*prose(), *(Block(100 + (asked * 31 + number) % 400, words(asked + number)) for number in range(20))]

    walk.changes(restless, visits=60)
    page = walk.pages["http://site.example/page"]
    assert len(page.noise) <= 3 + 8 * MOST_ENTRIES
    assert len(read_page(page.noise).entries) <= MOST_ENTRIES
