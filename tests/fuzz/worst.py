"""`make worst`: looks for the worst that a megabyte can do to each reader, and prints the table.

python -m tests.fuzz.worst [--seconds 20] [--bytes 1000000] [--seed 1] [--only html]...

A search without cunning: pieces of each format, alone, in turns, in blocks, numbered, at random. Each input runs in a
process of its own with a limit of time and memory, so that the worst of them costs a row and not the search.
"""

import argparse
import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from recrawl.detect import difference, simhash
from recrawl.extract import document, records_page
from tests.fuzz.pieces import PIECES
from tests.fuzz.targets import TARGETS, URL, run

MOST_S, MOST_BYTES = 40, 4 << 30
SLOW_S = 2.0


def read_all(data: bytes) -> None:
    """What a visit reads of a page at most: a glance, document, records, difference from the page before."""
    parsed = document.parse(data, "text/html", URL)
    parsed.is_plainly_a_page(1200)
    document.glance(parsed)
    other = document.read(data[len(data) // 3 :], "text/html", URL)
    whole = document.read(data, "text/html", URL)
    difference.differ(other.blocks, whole.blocks)
    simhash.simhash(whole.text)
    page = records_page.open_page(data, "text/html", URL)
    if page is not None:
        page.ready_made()


@dataclass(frozen=True, slots=True)
class Tried:
    seconds: float
    megabytes: float
    shape: str


def make(rnd: random.Random, pieces: tuple[str, ...], size: int) -> tuple[str, bytes]:
    """An input of about so many bytes, and how it was made."""
    one, two, three = (rnd.choice(pieces) for _ in range(3))
    shape = rnd.choice(("alone", "turns", "blocks", "three blocks", "numbered", "mixed", "behind"))
    if shape == "alone":
        text = one * (size // len(one))
    elif shape == "turns":
        text = (one + two) * (size // len(one + two))
    elif shape == "blocks":
        text = one * (size // 2 // len(one)) + two * (size // 2 // len(two))
    elif shape == "three blocks":
        text = "".join(piece * (size // 3 // len(piece)) for piece in (one, two, three))
    elif shape == "numbered":
        text = "".join(f"{one}{number}{two}" for number in range(size // (len(one + two) + 6)))
    elif shape == "behind":
        text = one + two * (size // len(two)) + three
    else:
        few = [rnd.choice(pieces) for _ in range(12)]
        text = "".join(rnd.choice(few) for _ in range(size // (sum(len(piece) for piece in few) // 12 + 1)))
    return f"{shape}: {one!r} {two!r} {three!r}"[:100], text.encode("utf-8", "surrogatepass")[: size + 1000]


def tried(work: Callable[[bytes], None], shape: str, data: bytes) -> Tried:
    """In a process of its own; who does not come back took all the time there is."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_S, MOST_S + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.process_time()
        work(data)
        spent = time.process_time() - started
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        os.write(writer, json.dumps([spent, grown]).encode())
        os._exit(0)
    os.close(writer)
    said = os.read(reader, 1000)
    os.close(reader)
    os.waitpid(child, 0)
    spent, grown = json.loads(said) if said else (float(MOST_S), float(MOST_BYTES >> 20))
    return Tried(spent, grown, shape)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.worst")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each reader")
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    out = chosen.out.open("w", encoding="utf-8") if chosen.out else sys.stdout
    print("| reader | inputs | slowest s | MB grown | by |\n|---|---|---|---|---|", file=out, flush=True)
    readers: dict[str, Callable[[bytes], None]] = {"a whole visit": read_all}
    readers |= {name: partial(run, name) for name in TARGETS}
    slow = 0
    for name, work in readers.items():
        if chosen.only and name not in chosen.only:
            continue
        rnd, until, rows = random.Random(f"{chosen.seed}{name}"), time.monotonic() + chosen.seconds, []
        while time.monotonic() < until:
            rows.append(tried(work, *make(rnd, PIECES.get(name, PIECES["any"]), chosen.bytes)))
        worst, largest = max(rows, key=lambda one: one.seconds), max(one.megabytes for one in rows)
        slow += worst.seconds > SLOW_S * chosen.bytes / 1_000_000
        shape = worst.shape.replace("|", "/")
        print(f"| {name} | {len(rows)} | {worst.seconds:.2f} | {largest:.0f} | {shape} |", file=out, flush=True)
    print(f"\n{slow} readers slower than {SLOW_S:g} s a megabyte", file=out, flush=True)
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
