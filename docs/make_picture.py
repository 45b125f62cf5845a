"""Draws the README's picture: how fresh the copy is for how many requests, by policy.

recrawl lab race --traces DIR --seeds 1 --json --policies static,nutch,stormcrawler,lambdacrawl,value > race.jsonl
python docs/make_picture.py race.jsonl          writes docs/pictures/freshness.svg
"""

import json
import math
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
NAMES = {
    "value": "recrawl",
    "lambdacrawl": "LambdaCrawl",
    "static": "all pages alike",
    "stormcrawler": "StormCrawler's rule",
    "nutch": "Nutch's rule",
    "poisson": "S1",
    "cho": "Cho",
}
COLOURS = {
    "value": "#d6336c",
    "lambdacrawl": "#1c7ed6",
    "static": "#868e96",
    "stormcrawler": "#2f9e44",
    "nutch": "#e8590c",
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 780, 400, 70, 190, 40, 56
BUDGETS = {1 / 30: "once a month", 1 / 7: "once a week", 1.0: "once a day"}
LEAST = 0.84  # the lowest freshness shown

Point = tuple[float, float]


def curves(lines: list[str]) -> dict[str, list[Point]]:
    """policy → (visits per page and day, mean freshness), over all seeds."""
    found: dict[tuple[str, float], list[float]] = defaultdict(list)
    for line in lines:
        score = json.loads(line)
        found[score["policy"], score["budget"]].append(1.0 - score["stale"])
    policies = dict.fromkeys(policy for policy, _ in found)
    return {
        policy: sorted((budget, sum(fresh) / len(fresh)) for (name, budget), fresh in found.items() if name == policy)
        for policy in policies
    }


def across(budget: float) -> float:
    low, high = math.log(min(BUDGETS)), math.log(max(BUDGETS))
    return LEFT + (math.log(budget) - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def down(fresh: float) -> float:
    return TOP + (1.0 - max(fresh, LEAST)) / (1.0 - LEAST) * (HEIGHT - TOP - BOTTOM)


def svg(found: dict[str, list[Point]]) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" '
        'font-size="13" role="img" aria-label="Freshness against requests for several revisit policies">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="22" fill="#222" font-weight="600">How fresh the copy is, by visits per page</text>',
    ]
    for step in range(5):
        fresh = LEAST + step * (1.0 - LEAST) / 4
        y = down(fresh)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#444">{fresh:.0%}</text>')
    for budget, name in BUDGETS.items():
        parts.append(f'<text x="{across(budget):.1f}" y="{HEIGHT - 30}" text-anchor="middle" fill="#444">{name}</text>')
    parts += [_curve(policy, points) for policy, points in found.items()]
    parts += _legend(found)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _curve(policy: str, points: list[Point]) -> str:
    colour, wide = COLOURS.get(policy, "#555"), 3.5 if policy == "value" else 1.8
    line = " ".join(f"{across(budget):.1f},{down(fresh):.1f}" for budget, fresh in points)
    dots = "".join(
        f'<circle cx="{across(budget):.1f}" cy="{down(fresh):.1f}" r="{wide + 0.5}" fill="{colour}">'
        f"<title>{NAMES.get(policy, policy)}: {fresh:.1%}</title></circle>"
        for budget, fresh in points
    )
    return f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="{wide}"/>{dots}'


def _legend(found: dict[str, list[Point]]) -> list[str]:
    """Best first, by the freshness at the smallest budget."""
    rows = sorted(found, key=lambda policy: -found[policy][0][1])
    x = WIDTH - RIGHT + 16
    return [
        f'<line x1="{x}" x2="{x + 20}" y1="{60 + 22 * row}" y2="{60 + 22 * row}" '
        f'stroke="{COLOURS.get(policy, "#555")}" stroke-width="{3.5 if policy == "value" else 1.8}"/>'
        f'<text x="{x + 26}" y="{64 + 22 * row}" fill="#222">{NAMES.get(policy, policy)}</text>'
        for row, policy in enumerate(rows)
    ]


def main() -> int:
    text = Path(sys.argv[1]).read_text("utf-8")
    (HERE / "pictures" / "freshness.svg").write_text(svg(curves(text.splitlines())), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
