"""The plot is one page that needs nothing else."""

from xml.etree import ElementTree

from recrawl.lab.race.plot import bars, curves, html
from recrawl.lab.race.scores import Score, summarised


def _score(policy: str, budget: float, seed: int, stale: float) -> Score:
    return Score(policy, budget, seed, "a <trace>", stale, stale, 0.1, 0.5, 0.2, 1.0, 100, 0.5, 9.0, stale, budget)


SCORES = [
    _score(policy, budget, seed, base / (1 + 5 * budget) + 0.001 * seed)
    for policy, base in (("value", 0.1), ("static", 0.2))
    for budget in (0.1, 1.0)
    for seed in (0, 1)
]


def test_the_page_is_self_contained_and_escapes_names() -> None:
    page = html(SCORES)
    assert "a &lt;trace&gt;" in page and "<trace>" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "<script" not in page
    assert page.index("value") < page.index("static")


def test_curves_and_bars_are_well_formed() -> None:
    rows = summarised(SCORES)
    for drawn in (curves(rows), bars(rows[:2])):
        assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert curves(rows).count("<polyline") == 2
