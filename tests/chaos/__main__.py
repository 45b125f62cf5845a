"""`python -m tests.chaos sqlite|postgres|power|clocks|load|hour`: see the package."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.clocks import jump_often
from tests.chaos.cluster import kill_workers
from tests.chaos.ground import ground
from tests.chaos.hour import simulated_hour
from tests.chaos.kills import kill_often
from tests.chaos.load import full_speed
from tests.chaos.power import cut_often

WORK = {"sqlite": kill_often, "power": cut_often, "clocks": jump_often}


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tests.chaos")
    kinds = words.add_subparsers(dest="kind", required=True)
    for name in (*WORK, "postgres"):
        kind = kinds.add_parser(name)
        kind.add_argument("--kills", "--cuts", "--jumps", dest="times", type=int, default=200)
        kind.add_argument("--seed", type=int, default=1)
    kinds.add_parser("load").add_argument("--minutes", type=float, default=10.0)
    kinds.add_parser("hour")
    chosen = words.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="recrawl-chaos-") as place:
        if chosen.kind == "load":
            return full_speed(Path(place), chosen.minutes)
        if chosen.kind == "hour":
            return simulated_hour(Path(place))
        if chosen.kind == "postgres":
            wrong = kill_workers(Path(place), chosen.times, chosen.seed, lambda text: print(text, flush=True))
        else:
            with ground(Path(place), chosen.seed) as field:
                wrong = WORK[chosen.kind](field, chosen.times, lambda text: print(text, flush=True))
    print("\n".join(wrong[:20]))
    verdict = f"{len(wrong)} violations" if wrong else "0 lost, 0 told twice, 0 dangling, 0 impolite"
    again = f"; again: python -m tests.chaos {chosen.kind} --kills {chosen.times} --seed {chosen.seed}" if wrong else ""
    print(f"{chosen.times} times, seed {chosen.seed}: {verdict}{again}; {time.perf_counter() - started:.0f} s")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
