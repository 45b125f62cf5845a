"""`make bench-schedule`: what ten million pages cost on one core: memory, and time per update.

    python -m tests.bench.schedule [PAGES]

States are made once and updated in batches: of 8, which is what the engine commits at a time unless told otherwise, of
500, 5,000 and 100,000. `fold` is the belief of the page and what is learnt of its group, site and sources, `next gap`
the due time, and so the price of repricing.
"""

import resource
import sys
from time import process_time

import numpy as np

from recrawl.estimate.given import SOURCES
from recrawl.model.belief import RATES, STATE_BYTES, Context, Sightings, States, unknown
from recrawl.schedule.settings import Settings
from recrawl.schedule.value import ValuePolicy, value_policy

START = 1_704_067_200.0
DAY = 86400.0
GROUPS = 200


def _visited(pages: int, dice: np.random.Generator) -> States:
    """Pages seen within the last month, with beliefs of every shape."""
    states = unknown(pages)
    states["seen_at"] = START - dice.random(pages) * 30 * DAY
    states["watched_s"] = dice.random(pages) * 100 * DAY
    states["quiet_s"] = states["watched_s"] * dice.random(pages)
    states["gaps"] = dice.integers(1, 50, pages)
    states["changes"] = states["gaps"] // 3
    states["weights"] = dice.integers(0, 256, (pages, RATES), dtype=np.uint8)
    return states


def _seen(pages: int, dice: np.random.Generator) -> Sightings:
    return Sightings(
        np.full(pages, START), dice.random(pages) < 0.2, np.zeros(pages, dtype=np.bool_), np.full(pages, np.nan),
        np.full(pages, 20_000.0), np.full(pages, 0.2),
    )  # fmt: skip


def _around(policy: ValuePolicy, pages: int, dice: np.random.Generator) -> Context:
    group = dice.integers(0, len(policy.knowledge.groups), pages)
    return Context(group, np.zeros(pages), np.zeros((pages, SOURCES), dtype=np.int64))


def _timed_batches(policy: ValuePolicy, states: States, size: int, most: int) -> dict[str, float]:
    """Microseconds a page, over at most `most` pages. The pages stay as they are: each size finds the same work."""
    dice = np.random.default_rng(2)
    spent = {"fold": 0.0, "next gap": 0.0}
    done = 0
    for low in range(0, min(len(states), most), size):
        batch = states[low : low + size]
        seen, around = _seen(len(batch), dice), _around(policy, len(batch), dice)
        marks = [process_time()]
        after, _ = policy.folded(batch, seen, around)
        marks.append(process_time())
        gaps = policy.next_gap_s(after, np.ones(len(batch)), START, dice.random(len(batch)), around)
        marks.append(process_time())
        after["gap_s"] = gaps
        done += len(batch)
        for name, begin, end in zip(spent, marks, marks[1:], strict=False):
            spent[name] += end - begin
    return {name: 1e6 * seconds / done for name, seconds in spent.items()}


def main(pages: int = 10_000_000) -> None:
    dice = np.random.default_rng(1)
    policy = value_policy(Settings(), hour=int(START // 3600))
    policy = policy.with_groups([f"site{n % 20}|pattern{n}" for n in range(GROUPS)])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    states = unknown(pages)
    for low in range(0, pages, 500_000):
        states[low : low + 500_000] = _visited(min(500_000, pages - low), dice)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{pages:,} pages: {STATE_BYTES} bytes a page, {states.nbytes / 1e6:,.0f} MB of state")
    print(f"peak memory while they were made: {(after - before) / 1024:,.0f} MB")
    for size, most in ((8, 4_000), (500, 100_000), (5_000, 500_000), (100_000, 500_000)):
        found = _timed_batches(policy, states, size, most)
        told = ", ".join(f"{name} {micro:.2f}" for name, micro in found.items())
        print(f"batches of {size:,}: {told} µs a page; {sum(found.values()):.2f} µs in all")


if __name__ == "__main__":
    main(int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else 10_000_000)
