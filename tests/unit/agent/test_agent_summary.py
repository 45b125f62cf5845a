"""S4's state machine against a model that keeps two trees and compares them."""

from itertools import product

import pytest

from recrawl.agent.summary import RESULTS, S4_STEPS, reduce_events, summarise
from recrawl.formats.his import Entry
from recrawl.model.notice import NoticeKind

A, U, D = NoticeKind.ADDED, NoticeKind.UPDATED, NoticeKind.DELETED
LONGEST = 8


def by_comparing_trees(events: tuple[NoticeKind, ...]) -> NoticeKind | None:
    """What the tree before and the tree after say, with no memory of the way between. Every writing is a new text."""
    before: dict[str, int] = {} if events[0] is A else {"document": 0}
    after = dict(before)
    for number, event in enumerate(events, 1):
        if event is D:
            after.pop("document", None)
        else:
            after["document"] = number
    if before == after:
        return None
    if not before:
        return A
    return U if after else D


STRINGS = [events for length in range(1, LONGEST + 1) for events in product((A, U, D), repeat=length)]


def test_every_event_string_up_to_length_eight_says_what_the_trees_say() -> None:
    wrong = ["".join(events) for events in STRINGS if reduce_events(events) is not by_comparing_trees(events)]
    assert len(STRINGS) == sum(3**length for length in range(1, LONGEST + 1))
    assert wrong == []


def _possible(events: tuple[NoticeKind, ...]) -> bool:
    there = events[0] is not A
    for event in events:
        if there is (event is A):
            return False
        there = event is not D
    return True


def test_the_strings_that_a_tree_can_produce_need_only_s4s_own_transitions() -> None:
    possible = [events for events in STRINGS if _possible(events)]
    assert len(possible) > 200
    for events in possible:
        state = 0
        for event in events:
            state = S4_STEPS[state, event]
        assert RESULTS[state] is by_comparing_trees(events)


@pytest.mark.parametrize(
    ("events", "result"),
    [
        ("A", A), ("AU", A), ("AD", None), ("ADA", A),
        ("U", U), ("UDA", U), ("UU", U), ("UD", D),
        ("D", D), ("DA", U), ("DAD", D),
        ("DAU", U),  # the erratum: the paper's table says nothing here
    ],
)  # fmt: skip
def test_s4s_table_with_its_erratum_corrected(events: str, result: NoticeKind | None) -> None:
    assert reduce_events(NoticeKind(letter) for letter in events) is result


def test_a_summary_has_one_entry_a_document_with_its_last_size_and_date() -> None:
    told = summarise(
        [
            Entry(U, "/b", 1, 10),
            Entry(A, "/a", 2, 20),
            Entry(U, "/b", 3, 30),
            Entry(A, "/c", 1, 1),
            Entry(D, "/c", 0, 2),
        ]
    )
    assert told == [Entry(U, "/b", 3, 30), Entry(A, "/a", 2, 20)]
