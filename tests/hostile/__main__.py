"""`make hostile`: the table of what became of each case, a crawl of its own for each; Scrapy's row beside it.

python -m tests.hostile [--kind trap]... [--only NAME]... [--every N] [--no-scrapy] [--out FILE]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from recrawl.lab.hostile.case import Case, Kind
from recrawl.lab.hostile.table import cases
from tests.hostile.judge import judge
from tests.hostile.namespace import LISTENING, alone
from tests.hostile.scrapy_row import PACKAGES, ask_scrapy
from tests.hostile.trial import HASTY, PATIENT, arena, crawl
from tests.peers import environment

PEAK_MB = 400
TIMEOUT_S = {True: 8.0, False: 30.0}  # limits.total_s of the trials, for Scrapy too
INSIDE = "--inside"
HEAD = ("case", "kind", "recrawl", "requests", "s", "MB", "Scrapy", "s", "MB")


def main() -> None:
    chosen = _arguments()
    if not chosen.inside:
        more = () if chosen.no_scrapy or _has_scrapy() else ("--no-scrapy",)
        words = alone([sys.executable, "-m", "tests.hostile", *sys.argv[1:], *more, INSIDE])
        sys.exit(subprocess.run(words, check=False).returncode)
    named = [case for case in cases(chosen.only) if not chosen.kind or case.kind in chosen.kind]
    out = chosen.out.open("w", encoding="utf-8") if chosen.out else sys.stdout
    print("| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD), sep="\n", file=out, flush=True)
    good = scrapy_good = 0
    rows = named[:: chosen.every]
    for case in rows:
        row, ours, theirs = _row(case, not chosen.no_scrapy)
        good, scrapy_good = good + ours, scrapy_good + theirs
        print("| " + " | ".join(row) + " |", file=out, flush=True)
    beside = "" if chosen.no_scrapy else f"; Scrapy {scrapy_good}"
    print(f"\nrecrawl: {good} of {len(rows)} as a good crawler does{beside}", file=out, flush=True)
    sys.exit(0 if good == len(rows) else 1)


def _has_scrapy() -> bool:
    """Installed while there is still a network."""
    try:
        environment("bench", PACKAGES)
    except subprocess.CalledProcessError:
        print("Scrapy cannot be installed here: its rows are left out", file=sys.stderr)
        return False
    return True


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("--kind", action="append", choices=list(Kind), default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--no-scrapy", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument(INSIDE, action="store_true")
    return parser.parse_args()


def _row(case: Case, with_scrapy: bool) -> tuple[list[str], bool, bool]:
    hasty = case.kind is Kind.TIME
    with (
        tempfile.TemporaryDirectory(prefix="hostile") as place,
        arena(Path(place), [case.name], LISTENING, HASTY if hasty else PATIENT) as found,
    ):
        cost = crawl(found)
        first_crawl = found.lines()
        if case.expect.versions:
            crawl(found, "--all")
        outcomes = judge(found, LISTENING, first_crawl)
        faults = [fault for one in outcomes for fault in one.faults]
        faults += [f"{cost.peak_mb:.0f} MB"] if cost.peak_mb > PEAK_MB else []
        faults += [f"ended with {cost.code}"] if cost.code not in (0, 4, 5) else []
        row = [
            case.name,
            case.kind,
            _verdict(faults),
            str(outcomes[0].requests),
            f"{cost.seconds:.1f}",
            f"{cost.peak_mb:.0f}",
        ]
        if not with_scrapy:
            return [*row, "", "", ""], not faults, False
        other, wrong = ask_scrapy(found, case, TIMEOUT_S[hasty])
        beside = [_verdict(list(wrong)), f"{other.seconds:.1f}", f"{other.peak_mb:.0f}"]
        return [*row, *beside], not faults, not wrong


def _verdict(faults: list[str]) -> str:
    return "bad: " + "; ".join(faults)[:160].replace("|", "/") if faults else "good"


if __name__ == "__main__":
    main()
