"""`python -m tests.bench crawl`: recrawl and its peers on one site, taking turns, a first crawl and a revisit each.

A revisit meets a site of which one page in twenty has changed: recrawl asks conditionally and is told 304 of the
others. wget asks by date, which the server does not heed, and loads all again: told 304 of its seeds it would go no
further. Scrapy and Crawlee have no memory of a crawl and crawl again. (Scrapy's HTTP cache can ask conditionally, but
it parses every page all the same: `docs/performance.md` has both figures.)
"""

import argparse
import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.measure import Cost
from tests.bench.report import Result, machine, table
from tests.bench.rivals import Rival, rivals
from tests.bench.site import SHAPES, Site

SERVERS = 4
NAMES = ("recrawl", "recrawl-2-workers", "scrapy", "crawlee", "wget")


def main(words: list[str]) -> int:
    asked = _options(words)
    pages, rounds = (1_000, 1) if asked.quick else (asked.pages, asked.rounds)
    with serving(pages, addresses(asked.servers), asked.shape) as (site, server):
        results = race(rivals(tuple(asked.only or NAMES)), site, server, rounds, asked.peer_pages)
    print(table(results))
    facts = {
        "machine": machine(),
        "pages": pages,
        "shape": asked.shape,
        "servers": asked.servers,
        "rounds": rounds,
        "results": [result.facts for result in results],
    }
    if asked.json:
        Path(asked.json).write_text(json.dumps(facts, indent=2) + "\n")
    return 0


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench crawl", description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="1,000 pages, one round")
    parser.add_argument(
        "--shape", choices=sorted(SHAPES), default="articles", help="what the pages of the site look like"
    )
    parser.add_argument("--servers", type=int, default=SERVERS, help="loopback addresses that the site is spread over")
    parser.add_argument("--peer-pages", type=int, default=0, help="stop Scrapy and Crawlee after so many (0: all)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--json", metavar="FILE", help="write the results there, too")
    return parser.parse_args(words)


def race(everybody: list[Rival], site: Site, server: "subprocess.Popen[str]", rounds: int, most: int) -> list[Result]:
    """Interleaved: a machine that slows down slows everybody down."""
    costs: dict[str, tuple[list[Cost], list[Cost]]] = {rival.name: ([], []) for rival in everybody}
    for number in range(rounds):
        for rival in everybody:
            folder = Path(tempfile.mkdtemp(prefix=f"bench-{rival.name}-"))
            try:
                server.send_signal(signal.SIGUSR2)
                costs[rival.name][0].append(rival.first(site, folder, most))
                server.send_signal(signal.SIGUSR1)
                costs[rival.name][1].append(rival.again(site, folder, most))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            print(f"round {number + 1}: {rival.name} done", file=sys.stderr, flush=True)
    return [Result(rival.name, rival.note, *costs[rival.name]) for rival in everybody]


@contextmanager
def serving(
    pages: int, served_by: tuple[str, ...] | None = None, shape: str = "articles"
) -> Iterator[tuple[Site, "subprocess.Popen[str]"]]:
    """The site and the process that serves it."""
    port, served_by = _free_port(), served_by or addresses(SERVERS)
    words = [sys.executable, "-m", "tests.bench.compiled_server", str(pages), shape, str(port), *served_by]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout is None or server.stdout.readline().strip() != "ready":
            raise SystemExit("the server of the bench site did not start")
        yield Site(pages, tuple(f"{address}:{port}" for address in served_by), shape=SHAPES[shape]), server
    finally:
        server.kill()
        server.wait()


def addresses(servers: int) -> tuple[str, ...]:
    return tuple(f"127.0.{number // 8}.{number % 8 + 1}" for number in range(servers))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
