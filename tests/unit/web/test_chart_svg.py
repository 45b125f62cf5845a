"""Charts are well-formed SVG, escaped, without inline style, with heights that follow the numbers."""

import math
import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.web.chart import FLOOR, PLOT_HEIGHT, Bar, Mark, Point, bars, heat, line, short, timeline

NUMBERS = st.floats(0, 1e12, allow_nan=False)
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


def parsed(svg: str) -> ET.Element:
    root = ET.fromstring(svg)
    assert root.get("role") == "img" and root.get("aria-label")
    assert all(node.get("style") is None for node in root.iter())
    return root


@settings(max_examples=50)
@given(st.lists(st.tuples(WORDS, NUMBERS), max_size=30), NUMBERS)
def test_bars_of_any_numbers_and_words_are_well_formed_and_stay_inside(
    pairs: list[tuple[str, float]], level: float
) -> None:
    root = parsed(bars("bars", [Bar(name, value) for name, value in pairs], level=Mark("level", level)))
    columns = list(root.iter("rect"))
    assert len(columns) == len(pairs)
    for node in columns:
        top = float(node.get("y", "nan"))
        assert math.isfinite(top) and top >= FLOOR - PLOT_HEIGHT - 0.2


def test_a_column_twice_as_large_is_twice_as_high() -> None:
    heights = [float(node.get("height", "0")) for node in parsed(bars("b", [Bar("a", 20), Bar("b", 40)])).iter("rect")]
    assert heights[1] == 2 * heights[0] > 0


def test_a_title_of_markup_stays_text() -> None:
    root = parsed(bars("<script>", [Bar("<b>", 1, note='"><script>alert(1)</script>')]))
    assert root.get("aria-label") == "<script>" and not list(root.iter("script"))


def test_an_unknown_value_breaks_the_line() -> None:
    root = parsed(line("l", [Point(0, 0.1), Point(1, 0.2), Point(2, None), Point(3, 0.3), Point(4, 0.4)], top=1.0))
    [path] = [node.get("d", "") for node in root.iter("path") if node.get("class") == "line"]
    assert path.count("M") == 2 and path.count("L") == 2


def test_marks_stand_where_their_numbers_say() -> None:
    root = parsed(line("l", [Point(0, 0.0), Point(100, 1.0)], top=1.0, marks=[Mark("here", 0.5, 50)]))
    [spot] = list(root.iter("circle"))
    [path] = [node.get("d", "") for node in root.iter("path") if node.get("class") == "line"]
    start, end = (tuple(map(float, part.split())) for part in path[1:].split("L"))
    assert float(spot.get("cx", "0")) == (start[0] + end[0]) / 2
    assert float(spot.get("cy", "0")) == (start[1] + end[1]) / 2


def test_the_busiest_cell_has_the_deepest_shade_and_zero_has_none() -> None:
    root = parsed(heat("h", ["a", "b"], ["0", "1"], [[0, 1], [5, 10]]))
    assert [node.get("class") for node in root.iter("rect")] == ["shade0", "shade1", "shade3", "shade5"]


def test_a_timeline_has_a_dot_for_every_point_and_survives_none() -> None:
    points = [Point(1, 0, "first", "new"), Point(2, 1, "second", "same")]
    assert len(list(parsed(timeline("t", points, [(1, "x")], ["a", "b"])).iter("circle"))) == 2
    parsed(timeline("t", [], [], ["a"]))
    parsed(line("l", []))
    parsed(bars("b", []))


def test_large_numbers_are_shortened() -> None:
    assert [short(value) for value in (0, 12.5, 1500, 2_000_000)] == ["0", "12.5", "1.5k", "2M"]
