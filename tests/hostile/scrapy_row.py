"""The same case asked of Scrapy, with a cap on its time and memory."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from recrawl.lab.hostile.case import Case
from tests.hostile.namespace import LISTENING
from tests.hostile.trial import Arena, Cost, measured
from tests.peers import environment

PACKAGES = ("scrapy>=2.13", "crawlee[parsel]>=1.0")  # the environment that the bench has
WITHIN_S = 60.0
MOST_BYTES = 3 << 30
PEAK_MB = 400
SPIDER = Path(__file__).with_name("scrapy_spider.py")


def ask_scrapy(found: Arena, case: Case, timeout_s: float) -> tuple[Cost, tuple[str, ...]]:
    """What it cost, and what was wrong with it by the same measure as ours."""
    python, output = environment("bench", PACKAGES) / "python", found.folder.parent / "scrapy.txt"
    output.touch()
    before = found.lines()
    words = [str(python), str(SPIDER), str(output), found.seed(case.name), str(timeout_s)]
    cost = measured(words, found.folder, WITHIN_S, MOST_BYTES)
    came = [one for one in found.requests()[before:] if one.status == 0]
    faults = tuple(_faults(case, found, cost, set(output.read_text().split()), Counter(one.path for one in came)))
    inside = {one.server.rpartition(":")[0] for one in came} & set(LISTENING)
    return cost, (*faults, *(f"{host} asked" for host in sorted(inside)))


def _faults(case: Case, found: Arena, cost: Cost, kept: set[str], asked: Counter[str]) -> Iterator[str]:
    origin, expect = found.seed(case.name).rstrip("/"), case.expect
    if cost.code == -9:
        yield f"not over after {WITHIN_S:.0f} s"
    elif cost.code:
        yield f"ended with {cost.code}"
    if cost.peak_mb > PEAK_MB:
        yield f"{cost.peak_mb:.0f} MB"
    yield from (f"{path} not read" for path in expect.kept if origin + path not in kept)
    yield from (f"{path} taken" for path in expect.lost if origin + path in kept)
    yield from (f"{path} asked for" for path in expect.never if any(_meets(one, path) for one in asked))
    if sum(asked.values()) > expect.requests:
        yield f"{sum(asked.values())} requests"


def _meets(path: str, wanted: str) -> bool:
    return path == wanted or (wanted.endswith("*") and path.startswith(wanted[:-1]))
