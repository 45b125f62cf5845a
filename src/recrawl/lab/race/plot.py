"""The race as one self-contained HTML page: stale share against budget and per policy, drawn as SVG on the server."""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

from recrawl.lab.race.scores import COLUMNS, Score, Summary, summarised

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 420, 70, 50, 20, 190
_STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #d8dee4}
td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}.ours td{font-weight:600}
@media (prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}td,th{border-color:#30363d}}"""
_COLOURS = (
    "#0969da",
    "#cf222e",
    "#1a7f37",
    "#9a6700",
    "#8250df",
    "#bf3989",
    "#57606a",
    "#0a7ea4",
    "#bc4c00",
    "#4d2d00",
)


def html(scores: Iterable[Score], title: str = "The race of revisit policies") -> str:
    found = summarised(scores)
    traces = list(dict.fromkeys(one.trace for one in found))
    parts = [_section(trace, [one for one in found if one.trace == trace]) for trace in traces]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
        "<p>Stale share of the copy, lower is better; the same requests for every policy. "
        "~ marks policies that know no budget: one common factor on all their intervals makes them spend the same. "
        "Weighted: by importance; cold: of the first eight weeks; gap: the longest that a page waited.</p>"
        f"{''.join(parts)}</body></html>"
    )


def _section(trace: str, rows: Sequence[Summary]) -> str:
    budgets = sorted({one.budget for one in rows})
    chart = curves(rows) if len(budgets) > 1 else bars(rows)
    tables = "".join(_table(budget, [one for one in rows if one.budget == budget]) for budget in budgets)
    return f"<h2>{escape(trace)}</h2>{chart}{tables}"


def _table(budget: float, rows: Sequence[Summary]) -> str:
    head = "<tr><th>policy" + "".join(f"<th>{escape(name)}" for name, _ in COLUMNS) + "</tr>"
    lines = [
        f"<tr{' class=ours' if one.policy == 'value' else ''}><td>{escape(one.policy)}{' ~' if one.scaled else ''}"
        + "".join(f"<td>{shown(one)}" for _, shown in COLUMNS)
        + "</tr>"
        for one in sorted(rows, key=lambda row: row.stale)
    ]
    return f"<h3>{budget:.4g} visits per page and day</h3><table>{head}{''.join(lines)}</table>"


def curves(rows: Sequence[Summary]) -> str:
    """Stale share against budget, both logarithmic, one line a policy with its spread over seeds."""
    positive = [one for one in rows if one.stale > 0]
    if not positive:
        return ""
    budgets = sorted({one.budget for one in positive})
    low_x, high_x = math.log(budgets[0]), math.log(budgets[-1])
    low_y = math.log(min(one.stale for one in positive) * 0.9)
    high_y = math.log(max(one.stale for one in positive) * 1.1)

    def x(value: float) -> float:
        return LEFT + (math.log(value) - low_x) / max(high_x - low_x, 1e-9) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return TOP + (high_y - math.log(max(value, 1e-9))) / max(high_y - low_y, 1e-9) * (HEIGHT - TOP - BOTTOM)

    policies = sorted({one.policy for one in positive}, key=lambda name: (name != "value", name))
    ends = sorted((y(_at(positive, name, budgets[-1])), name) for name in policies)
    labels = _apart(ends)
    drawn = [_axes(budgets, x, y, math.exp(low_y), math.exp(high_y))]
    for number, name in enumerate(policies):
        own = sorted((one for one in positive if one.policy == name), key=lambda one: one.budget)
        colour, width = _COLOURS[number % len(_COLOURS)], 3 if name == "value" else 1.5
        path = " ".join(f"{x(one.budget):.1f},{y(one.stale):.1f}" for one in own)
        drawn.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        drawn += [
            f'<line x1="{x(one.budget):.1f}" x2="{x(one.budget):.1f}" y1="{y(one.stale - one.stale_spread):.1f}" '
            f'y2="{y(one.stale + one.stale_spread):.1f}" stroke="{colour}"/>'
            for one in own
            if 0 < one.stale_spread < one.stale
        ]
        drawn.append(
            f'<text x="{WIDTH - RIGHT + 8}" y="{labels[name]:.1f}" fill="{colour}" font-size="12">{escape(name)}</text>'
        )
    return _svg("".join(drawn), HEIGHT)


def _at(rows: Sequence[Summary], name: str, budget: float) -> float:
    return min((abs(math.log(one.budget / budget)), one.stale) for one in rows if one.policy == name)[1]


def _apart(ends: Sequence[tuple[float, str]]) -> dict[str, float]:
    """Labels at the line ends, at least 13 units from one another."""
    placed: dict[str, float] = {}
    last = -1e9
    for height, name in ends:
        last = max(height + 4, last + 13)
        placed[name] = last
    return placed


def _axes(
    budgets: Sequence[float], x: Callable[[float], float], y: Callable[[float], float], low: float, high: float
) -> str:
    marks = [step * 10.0**power for power in range(-5, 1) for step in (1, 2, 5)]
    lines = [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(mark):.1f}" y2="{y(mark):.1f}" stroke="#d8dee4"/>'
        f'<text x="{LEFT - 8}" y="{y(mark) + 4:.1f}" text-anchor="end" font-size="12" '
        f'fill="#57606a">{100 * mark:g} %</text>'
        for mark in marks
        if low <= mark <= high
    ]
    lines += [
        f'<text x="{x(budget):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle" font-size="12" fill="#57606a">'
        f"1/{1 / budget:.3g} d</text>"
        for budget in budgets
    ]
    return "".join(lines)


def bars(rows: Sequence[Summary]) -> str:
    """Stale share of each policy at one budget."""
    ordered = sorted(rows, key=lambda one: one.stale)
    most = max((one.stale + one.stale_spread for one in ordered), default=1.0) or 1.0
    drawn = []
    for number, one in enumerate(ordered):
        top, length = 10 + number * 24, one.stale / most * (WIDTH - 260)
        colour = _COLOURS[0] if one.policy == "value" else "#8c959f"
        drawn.append(
            f'<text x="150" y="{top + 14}" text-anchor="end" font-size="13" '
            f'fill="currentColor">{escape(one.policy)}</text>'
            f'<rect x="160" y="{top}" width="{length:.1f}" height="18" fill="{colour}"/>'
            f'<text x="{168 + length:.1f}" y="{top + 14}" font-size="12" '
            f'fill="currentColor">{100 * one.stale:.2f} %</text>'
        )
    return _svg("".join(drawn), 20 + 24 * len(ordered))


def _svg(inside: str, height: int) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">{inside}</svg>'
