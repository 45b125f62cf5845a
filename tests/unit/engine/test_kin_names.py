"""The groups of pages are found alike by the compiled part, or left to Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.engine.scheduling.kin import group_name, group_names
from recrawl.model.page import Page
from recrawl.model.site import Kind
from recrawl.model.swift import replace
from recrawl.native import compiled
from recrawl.schedule import knowledge as known
from recrawl.schedule import policy
from recrawl.schedule.group_names import FIRST_S, YOUTH_S, met_at
from recrawl.schedule.value import ValuePolicy

pytestmark = pytest.mark.compiled

DAY_S = 86_400.0
PATHS = st.text(st.sampled_from("ab/./?#é"), max_size=14)
PAGES = st.builds(
    Page, st.just(1), st.builds("{}e.org{}".format, st.sampled_from(("", "http://", "https://a/")), PATHS),
    st.just("e.org"), st.sampled_from(("", "shop", "é", "never met")),
    kind=st.just(Kind.GENERAL) | st.sampled_from(Kind), category=st.sampled_from(("", "", "x")),
    found_at=st.floats(0.0, 60 * DAY_S),
)  # fmt: skip


def knowing_two_sites() -> ValuePolicy:
    first = policy("value")
    assert isinstance(first, ValuePolicy)
    return first.knowing(replace(known.with_groups(first.knowledge, ["shop|", "é|"]), met_hour=(0, 24, 240)))


POLICY = knowing_two_sites()


@given(st.lists(PAGES, max_size=6), st.floats(20 * DAY_S, 80 * DAY_S))
def test_names_are_those_of_each_page_alone(pages: list[Page], now: float) -> None:
    assert group_names(POLICY, pages, now) == [group_name(POLICY, page, now) for page in pages]


def test_plain_pages_are_named_by_the_compiled_part() -> None:
    pages = [Page(1, f"http://e.org/a/b{number}.html?q=1", "e.org", "shop") for number in range(3)]
    names = compiled.kin_names(pages, met_at(POLICY.knowledge), 0.0, FIRST_S, YOUTH_S)
    assert names == ["shop|a.html"] * 3
    assert names[0] is names[2]


def test_long_addresses_are_left_to_python() -> None:
    assert compiled.kin_names([Page(1, "http://e.org/" + "a" * 5_000, "e.org", "s")], {}, 0.0, 1.0, 1.0) == [None]
