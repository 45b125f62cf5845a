"""The compiled part takes the same runs for the main content as Python does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract.main import judged_runs, main_runs
from recrawl.extract.text import Run

pytestmark = pytest.mark.compiled

SIZES = (1, 5, 20, 27, 28, 29, 34, 35, 36, 69, 70, 71, 150, 420)
regions = st.sampled_from(((0,), (0, 4), (0, 8), (0, 8, 4, 16), (0, 2), (0, 2, 8), (0, 1, 4, 8), tuple(range(32))))


@st.composite
def all_runs(draw: st.DrawFn) -> list[Run]:
    choice = st.sampled_from(draw(regions))
    sizes = draw(st.lists(st.sampled_from(SIZES), max_size=25))
    return [
        Run(
            place=draw(st.integers(0, 3)),
            text=(draw(st.sampled_from(("a", "é", "東", "a東", "😀"))) * size)[:size],
            level=draw(st.sampled_from((0, 0, 0, 1, 8))),
            link_chars=draw(st.sampled_from((0, 0, size, size // 2, int(size * 0.4), int(size * 0.4) + 1))),
            region=draw(choice),
            tag="p",
        )
        for size in sizes
    ]


@given(all_runs())
def test_the_main_content_is_what_python_finds(runs: list[Run]) -> None:
    assert list(main_runs(runs)) == list(judged_runs(runs))


def test_other_values_than_runs_are_refused() -> None:
    for wrong in (["text"], [("text",)], [(0, 1, 0, 0, 0, "p")]):
        with pytest.raises((TypeError, ValueError)):
            main_runs(wrong)  # type: ignore[arg-type]
