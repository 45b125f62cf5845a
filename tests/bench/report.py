"""From costs to a table: medians over the rounds, and how many times recrawl's each is."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.measure import Cost

OURS = "recrawl"


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    note: str
    first: list[Cost]
    again: list[Cost]

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "note": self.note,
            "first": _numbers(self.first),
            "again": _numbers(self.again),
        }


def _numbers(costs: list[Cost]) -> dict[str, float]:
    return {
        "pages": costs[-1].pages,
        "cpu_s_per_1000_pages": round(median(cost.cpu_ms_a_page for cost in costs), 4),
        "pages_per_s": round(median(cost.pages_per_s for cost in costs), 1),
        "peak_mb": round(max(cost.peak_bytes for cost in costs) / 1e6, 1),
    }


def table(results: list[Result]) -> str:
    """Markdown, as `docs/performance.md` holds it."""
    lines = [
        "| program | round | pages | CPU s per 1,000 pages | times recrawl's | pages/s | peak MB |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for which in ("first", "again"):
        ours = next((result.facts[which] for result in results if result.name == OURS), None)
        lines += [_line(result.name, which, result.facts[which], ours) for result in results]
    return "\n".join(lines)


def _line(name: str, which: str, numbers: dict[str, float], ours: dict[str, float] | None) -> str:
    cpu = numbers["cpu_s_per_1000_pages"]
    ratio = f"{cpu / ours['cpu_s_per_1000_pages']:.1f}" if ours else ""
    round_name = "first crawl" if which == "first" else "revisit"
    cells = (name, round_name, f"{numbers['pages']:.0f}", f"{cpu:.3f}", ratio)
    return f"| {' | '.join(cells)} | {numbers['pages_per_s']:.0f} | {numbers['peak_mb']:.0f} |"


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open() as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()
