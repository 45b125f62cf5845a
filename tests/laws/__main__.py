"""`python -m tests.laws --seeds 300`: as many stories, all laws asked of each. `--seed 17` tells one again."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from multiprocessing import Pool

from tests.laws.told import Outcome, outcome_of

SHOWN = 5


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tests.laws", description=__doc__)
    words.add_argument("--seeds", type=int, default=300)
    words.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    words.add_argument("--seed", type=int, help="tell this one again, with what happened in it")
    words.add_argument("--processes", type=int, default=2)
    chosen = words.parse_args()
    started = time.perf_counter()
    seeds = [chosen.seed] if chosen.seed is not None else range(chosen.first, chosen.first + chosen.seeds)
    if chosen.processes > 1 and len(seeds) > 1:
        with Pool(chosen.processes) as pool:
            return _report(pool.imap_unordered(outcome_of, seeds, chunksize=4), started, False)
    return _report(map(outcome_of, seeds), started, chosen.seed is not None)


def _report(outcomes: Iterable[Outcome], started: float, whole: bool) -> int:
    sums: Counter[str] = Counter()
    bad = 0
    for one in outcomes:
        sums.update(one.counts)
        sums["seeds"] += 1
        if one.broken:
            bad += 1
            print(f"seed {one.seed}: {len(one.broken)} violations; again: {one.replay}")
            for line in one.broken if whole else one.broken[:SHOWN]:
                print(f"  {line}")
        if whole:
            print(one.tale)
    days = sums.pop("seconds", 0) / 86_400
    counts = ", ".join(f"{count:,} {name}" for name, count in sums.items())
    print(f"{days:,.0f} simulated days ({days / 30.4:.1f} months), {counts}; {time.perf_counter() - started:.0f} s")
    print(f"{bad} seeds broke a law" if bad else "all laws hold")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
