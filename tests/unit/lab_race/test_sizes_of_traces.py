"""A page's size in a race is what a crawler would have seen at its first visit."""

from recrawl.lab.race.history import APPEARED, CHANGED, DAY_S
from recrawl.lab.race.traces import FIRST_MONDAY_S, WEEKS, Trace, sampled

WEEK_S = 7 * DAY_S
BEGIN_S = FIRST_MONDAY_S + 2000 * WEEK_S


def test_sizes_are_those_at_the_start_of_the_window_or_when_the_page_appears() -> None:
    before_s, inside_s = BEGIN_S - 20 * WEEK_S, BEGIN_S + 10 * WEEK_S
    trace = Trace(
        "docs", (0, 1, 2), ("/a.md", "/b.md", "/c.md"), (True, True, False), (100.0, 200.0, 0.0),
        (
            (1, before_s, CHANGED, 250.0),
            (0, inside_s, CHANGED, 900.0),
            (2, inside_s, APPEARED, 300.0),
            (2, inside_s + DAY_S, CHANGED, 800.0),
            (0, BEGIN_S + WEEKS * WEEK_S - DAY_S, CHANGED, 999.0),
        ),
    )  # fmt: skip
    assert sampled([trace], 0).size_bytes.tolist() == [100.0, 250.0, 300.0]
