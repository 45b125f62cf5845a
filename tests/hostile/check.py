"""All cases at once, as the test suite has it: one crawl (and another, with `--again`), one JSON line an outcome.

python -m tests.hostile.check PLACE [--again] [--hasty] [--kind trap]... [--defaults] [--every N] [--but NAME]...

With `--defaults` the crawl has no settings but a contact: 128 connections, and traps are found when the defaults say.
It must run in a network namespace of its own (`tests.hostile.namespace.alone`).
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from recrawl.lab.hostile.table import cases
from tests.hostile.judge import judge
from tests.hostile.namespace import LISTENING
from tests.hostile.trial import CONTACT, HASTY, PATIENT, SETTINGS, arena, crawl


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("place", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--hasty", action="store_true")
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--defaults", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--but", action="append", default=[])
    chosen = parser.parse_args()
    named = [case.name for case in cases() if not chosen.kind or case.kind in chosen.kind]
    only = [name for name in named if name not in chosen.but][:: chosen.every]
    limits = "" if chosen.defaults else HASTY if chosen.hasty else PATIENT
    settings = CONTACT if chosen.defaults else SETTINGS
    chosen.place.mkdir(parents=True, exist_ok=True)
    with arena(chosen.place, only, LISTENING, limits, settings) as found:
        costs = [crawl(found, within_s=1500.0 if chosen.defaults else 240.0)]
        first_crawl = found.lines()
        if chosen.again:
            costs.append(crawl(found, "--all"))
        for outcome in judge(found, LISTENING, first_crawl):
            print(json.dumps(asdict(outcome)))
        for cost in costs:
            print(json.dumps(asdict(cost)))


if __name__ == "__main__":
    main()
