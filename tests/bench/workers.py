"""`make bench-workers`: what a second worker brings.

    python -m tests.bench workers [--pages 60000] [--rounds 3] [--json FILE]

One site on many loopback servers (so that both workers have work), crawled and revisited by one worker and by two,
taking turns; so many pages that start and end, in which there is work for one of them at most, are a small part of a
crawl. Beside pages per second it prints what one page costs in CPU time: where two workers stood in each other's
way, a page would cost more, and on a machine that others use this is the figure to trust. The processes are the crawl's
alone; the server has its own, and on two cores it takes its part of them: what it took is printed, and how many times
the pages/s of one worker two could reach at most beside it.
"""

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median

from recrawl.folder.folder import Folder
from recrawl.model.site import Site as Wish
from tests.bench import crawl
from tests.bench.measure import Cost, run
from tests.bench.report import machine, table
from tests.bench.rivals import NO_INDEX, PARALLEL, Rival
from tests.bench.scale import cpu_s_of
from tests.bench.site import Site

PROGRAM = str(Path(sys.executable).with_name("recrawl"))
SERVERS = 32
WANTED = 1.6


def main(words: list[str]) -> int:
    asked = _options(words)
    with crawl.serving(asked.pages, crawl.addresses(SERVERS)) as (site, server):
        before_s = cpu_s_of(server.pid)
        results = crawl.race([crew(1), crew(2)], site, server, asked.rounds, 0)
        served_s = cpu_s_of(server.pid) - before_s
    print(table(results))
    pages = sum(cost.pages for result in results for cost in (*result.first, *result.again))
    print(f"the server took {1000.0 * served_s / pages:.3f} ms of CPU a page, on the same cores")
    for name in ("first", "again"):
        most = at_most(*(getattr(result, name) for result in results), served_s / pages)
        print(f"{name}: beside it two workers on two cores can reach {most:.2f} times the pages/s of one at most")
    gains = {name: gain(*(getattr(result, name) for result in results)) for name in ("first", "again")}
    for name, found in gains.items():
        print(
            f"{name}: two workers {found['pages_per_s']:.2f} times the pages/s, {found['cpu']:.2f} times the CPU a page"
        )
    out = Path(asked.json)
    out.parent.mkdir(parents=True, exist_ok=True)
    facts = {"machine": machine(), "gains": gains, "results": [result.facts for result in results]}
    out.write_text(json.dumps(facts, indent=1) + "\n")
    busy = os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)
    if gains["first"]["pages_per_s"] < WANTED:
        print(f"below {WANTED}" + (", but the machine is busy with other work" if busy else ""))
    return int(gains["first"]["pages_per_s"] < WANTED and not busy)


def crew(workers: int) -> Rival:
    """The same folder for one worker or two: no search index, all servers owned."""

    def first(site: Site, folder: Path, _most: int) -> Cost:
        place = Folder(folder / "copy")
        place.create('[operator]\ncontact = "bench@example.org"\n' + NO_INDEX)
        seeds = tuple(site.url(site.numbers(server)[0]) for server in site.servers)
        place.put_site(Wish("bench", seeds, own=site.servers, parallel=PARALLEL))
        return visits(folder, ())

    def again(_site: Site, folder: Path, _most: int) -> Cost:
        return visits(folder, ("--all",))

    def visits(folder: Path, more: tuple[str, ...]) -> Cost:
        (folder / "output.txt").unlink(missing_ok=True)
        words = [PROGRAM, "run", str(folder / "copy"), "--once", "--workers", str(workers), "--json", *more]
        cost = run(words, folder, {})
        return replace(cost, pages=json.loads((folder / "output.txt").read_text())["visits"])

    return Rival("recrawl" if workers == 1 else f"recrawl-{workers}-workers", first, again)


def gain(one: list[Cost], two: list[Cost]) -> dict[str, float]:
    """Medians over the rounds, each round's two runs side by side."""
    pairs = list(zip(one, two, strict=True))
    return {
        "pages_per_s": round(median(b.pages_per_s / a.pages_per_s for a, b in pairs), 3),
        "cpu": round(median(b.cpu_ms_a_page / a.cpu_ms_a_page for a, b in pairs), 3),
    }


def at_most(one: list[Cost], two: list[Cost], served_s: float) -> float:
    """If both cores were never idle: one worker has a core to itself, two share theirs with the server."""
    alone_s, both_s = (median(cost.cpu_s / max(1, cost.pages) for cost in costs) for costs in (one, two))
    return 2.0 * alone_s / (both_s + served_s)


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench workers", description=__doc__)
    parser.add_argument("--pages", type=int, default=60_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", default="out/workers.json", metavar="FILE")
    return parser.parse_args(words)
