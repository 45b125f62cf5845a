"""All cases at once, as the test suite has it: one crawl (and another, with `--again`), one JSON line an outcome.

python -m tests.hostile.check PLACE [--again] [--hasty] [--kind trap]...
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from recrawl.lab.hostile import cases
from tests.hostile.judge import judge
from tests.hostile.namespace import LISTENING
from tests.hostile.trial import HASTY, PATIENT, arena, crawl


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("place", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--hasty", action="store_true")
    parser.add_argument("--kind", action="append", default=[])
    chosen = parser.parse_args()
    only = [case.name for case in cases() if case.kind in chosen.kind]
    with arena(chosen.place, only, LISTENING, HASTY if chosen.hasty else PATIENT) as found:
        costs = [crawl(found)]
        first_crawl = found.lines()
        if chosen.again:
            costs.append(crawl(found, "--all"))
        for outcome in judge(found, LISTENING, first_crawl):
            print(json.dumps(asdict(outcome)))
        for cost in costs:
            print(json.dumps(asdict(cost)))


if __name__ == "__main__":
    main()
