"""`make bench-scale`: what grows with the number of known addresses, and what does not.

    python -m tests.bench scale [--small] [--folder DIR] [--keep] [--json FILE]

Two folders, one with ten times the addresses of the other (a million and ten million; `--small`: 100,000 and a
million), filled by `scale_fill`, measured by `scale_probe` and by running the real commands. Prints both columns and
their ratio, and ends with 1 if a figure that must not grow did.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from recrawl.folder.folder import Folder
from recrawl.model.address import fingerprint
from recrawl.model.site import Site
from recrawl.store.sqlite import open_sqlite
from tests.bench.measure import run
from tests.bench.report import machine
from tests.bench.scale_fill import NOTE, World

SIZES = {"small": (100_000, 1_000_000), "full": (1_000_000, 10_000_000)}
BYTES_AN_ADDRESS = 400  # free space asked for, the log included
ROUNDS = 3
PROBES = 5
LISTEN_S = 6  # a run's length: long enough for the short-term queue to be filled
RECRAWL = (str(Path(sys.executable).with_name("recrawl")),)
PAGE = b"<!DOCTYPE html><title>Here</title><p>One page that answers.</p>"
GOOD = (0, 7)  # done, or time over


@dataclass(frozen=True, slots=True)
class Figure:
    """`most_ratio`: how much the larger folder may cost; `most`: what the figure itself may be there."""

    name: str
    title: str
    unit: str
    most_ratio: float | None = None
    most: float | None = None


FIGURES = (
    Figure("bytes_per_address", "bytes per address on disk", "B", most=250.0),
    Figure("known_link_us", "known-link check", "µs a link", most_ratio=1.5),
    Figure("known_in_a_row_us", "the same, one check right after another", "µs a link"),
    Figure("known_entered_us", "known links through `save`", "µs a link"),
    Figure("new_link_us", "new links", "µs a link"),
    Figure("due_pick_us", "pick of due pages", "µs a page", most_ratio=1.5),
    Figure("refill_server_us", "refill of one server for a day", "µs"),
    Figure("next_due_us", "the 20 pages that come next", "µs"),
    Figure("visit_commit_us", "visit commit (page, visit, version, server)", "µs a visit"),
    Figure("first_request_s", "`run`: start to first request", "s"),
    Figure("first_request_cpu_s", "the same, CPU", "s CPU"),
    Figure("run_peak_mb", "`run`: peak memory", "MB", most_ratio=1.2),
    Figure("status_s", "`status`", "s CPU"),
    Figure("why_s", "`why URL`", "s CPU"),
    Figure("plan_s", "`plan`", "s CPU"),
    Figure("schedule_s", "`schedule`", "s CPU"),
    Figure("overview_s", "`serve`: the overview, nothing remembered", "s CPU"),
)


def main(words: list[str]) -> int:
    wish = _wish(words)
    sizes = SIZES["small" if wish.small else "full"]
    place = Path(wish.folder or tempfile.mkdtemp(prefix="recrawl-scale-"))
    place.mkdir(parents=True, exist_ok=True)
    _need_room(place, sum(sizes))
    try:
        columns = {size: _measured(place / f"{size}", size) for size in sizes}
        probes = _probed({size: place / f"{size}" for size in sizes})
        columns = {size: {**column, **probes[size]} for size, column in columns.items()}
    finally:
        if not wish.keep:
            shutil.rmtree(place, ignore_errors=True)
    print(table(columns))
    misses = missed(columns)
    for sentence in misses:
        print(f"missed: {sentence}")
    out = Path(wish.json)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"machine": machine(), "columns": columns, "missed": misses}, indent=1) + "\n")
    return 1 if misses else 0


def table(columns: dict[int, dict[str, float]]) -> str:
    """Markdown, as `docs/scaling.md` holds it."""
    small, large = columns
    lines = [f"| | {small:,} | {large:,} | ratio | must |", "|---|---:|---:|---:|---|"]
    for figure in FIGURES:
        one, ten = columns[small][figure.name], columns[large][figure.name]
        must = f"≤ {figure.most_ratio}x" if figure.most_ratio else f"≤ {figure.most:.0f}" if figure.most else ""
        lines.append(f"| {figure.title}, {figure.unit} | {one:,.4g} | {ten:,.4g} | {_ratio(one, ten):.2f} | {must} |")
    return "\n".join(lines)


def missed(columns: dict[int, dict[str, float]]) -> list[str]:
    """What grew though it must not."""
    small, large = columns
    found = []
    for figure in FIGURES:
        one, ten = columns[small][figure.name], columns[large][figure.name]
        if figure.most_ratio is not None and _ratio(one, ten) > figure.most_ratio:
            found.append(f"{figure.title}: {_ratio(one, ten):.2f} times as much, {figure.most_ratio} allowed")
        if figure.most is not None and ten > figure.most:
            found.append(f"{figure.title}: {ten:.1f} {figure.unit}, {figure.most:.0f} allowed")
    return found


def _ratio(one: float, ten: float) -> float:
    return ten / one if one else 1.0


def _wish(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench scale", description=__doc__)
    parser.add_argument("--small", action="store_true", help="100,000 and a million addresses")
    parser.add_argument("--folder", help="where to fill (default: a temporary folder); folders left there are used")
    parser.add_argument("--keep", action="store_true", help="leave the folders there")
    parser.add_argument("--json", default="out/scale.json", metavar="FILE", help="the figures (default: %(default)s)")
    return parser.parse_args(words)


def _need_room(place: Path, addresses: int) -> None:
    free = shutil.disk_usage(place).free
    if free < addresses * BYTES_AN_ADDRESS * 1.2:
        need_gb = addresses * BYTES_AN_ADDRESS * 1.2 / 1e9
        raise SystemExit(f"{place} has {free / 1e9:.1f} GB free, {need_gb:.1f} are needed: --small or --folder DIR")


def _measured(place: Path, addresses: int) -> dict[str, float]:
    with Loopback() as server:
        world = _filled(place, addresses)
        Folder(place).put_site(Site("local", (f"http://{server.authority}/",), own=(server.authority,)))
        _say(f"{addresses:,} addresses: filled")
        found = {"bytes_per_address": Folder(place).database.stat().st_size / addresses}
        found |= _asked(place, world)
        found |= _run(place, server)
        _say(f"{addresses:,} addresses: commands measured")
    return found


def _filled(place: Path, addresses: int) -> World:
    """In a process of its own: filling takes memory. A folder that is there is used again if it is fresh enough."""
    note = place / NOTE
    if note.exists() and json.loads(note.read_text())["now"] > time.time():
        kept = json.loads(note.read_text())
        return World(kept["addresses"], kept["now"])
    shutil.rmtree(place, ignore_errors=True)
    words = [sys.executable, "-m", "tests.bench.scale_fill", str(place), str(addresses)]
    subprocess.run(words, check=True)
    kept = json.loads(note.read_text())
    return World(kept["addresses"], kept["now"])


def _probed(places: dict[int, Path]) -> dict[int, dict[str, float]]:
    """The folders take turns, since a machine that slows down must slow both down; of each figure the median."""
    told: dict[int, list[dict[str, float]]] = {size: [] for size in places}
    for _ in range(PROBES):
        for size, place in places.items():
            told[size].append(_probe(place))
    return {size: {name: median(one[name] for one in several) for name in several[0]} for size, several in told.items()}


def _probe(place: Path) -> dict[str, float]:
    kept = json.loads((place / NOTE).read_text())
    words = [sys.executable, "-m", "tests.bench.scale_probe", str(Folder(place).database)]
    words += [str(kept["addresses"]), str(kept["now"])]
    found: dict[str, float] = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return found


def _run(place: Path, server: "Loopback") -> dict[str, float]:
    """`recrawl run` from its start to its first request, and its memory after some seconds."""
    firsts: list[float] = []
    cpus: list[float] = []
    peaks: list[float] = []
    for _ in range(ROUNDS):
        _make_due(place, f"http://{server.authority}/")
        began = time.monotonic()
        words = [*RECRAWL, "run", str(place), "--workers", "1", "--for", f"{LISTEN_S}s", "--quiet"]
        crawl = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        server.watch(crawl.pid)
        _, status, used = os.wait4(crawl.pid, 0)
        crawl.returncode = os.waitstatus_to_exitcode(status)
        if server.first_at is None or crawl.returncode not in GOOD:
            raise SystemExit(f"the run asked for nothing, or ended badly: {crawl.returncode}")
        firsts.append(server.first_at - began)
        cpus.append(server.first_cpu_s)
        peaks.append(used.ru_maxrss * 1024 / 1e6)
    return {"first_request_s": min(firsts), "first_request_cpu_s": median(cpus), "run_peak_mb": median(peaks)}


def _asked(place: Path, world: World) -> dict[str, float]:
    """Commands for people, CPU time of a whole process each."""
    url = world.url(world.addresses // 2, world.owner(world.addresses // 2))
    commands: dict[str, tuple[str, ...]] = {"status": (), "why": (url,), "plan": (), "schedule": ()}
    found: dict[str, float] = {}
    for name, more in commands.items():
        costs = [run([*RECRAWL, name, *more, "--folder", str(place)], place, {}) for _ in range(ROUNDS)]
        found[f"{name}_s"] = median(cost.cpu_s for cost in costs)
    return found | {"overview_s": _overview_cpu_s(place)}


def _overview_cpu_s(place: Path) -> float:
    """The first page that a browser asks for, and nothing remembered of an earlier one."""
    words = [*RECRAWL, "serve", str(place), "--port", "0", "--no-receive", "--quiet"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as served:
        try:
            address = served.stdout.readline().split()[0].rstrip("/") if served.stdout else ""
            _get(f"{address}/health")
            before = cpu_s_of(served.pid)
            _get(f"{address}/")
            return cpu_s_of(served.pid) - before
        finally:
            served.terminate()


def _get(url: str) -> bytes:
    with urlopen(url, timeout=600) as answer:
        body: bytes = answer.read()
        return body


def _make_due(place: Path, url: str) -> None:
    """What a run finds to do at once; before the first run its seed does."""
    with closing(open_sqlite(Folder(place).database)) as store:
        store.make_due(time.time(), ids=[fingerprint(url)])


def cpu_s_of(pid: int) -> float:
    """What a living process has spent so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Loopback:
    """The one server that really answers; it notes when it was asked first, and what the asking process had spent."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.authority = f"127.0.0.1:{self._server.server_port}"
        self.first_at: float | None = None
        self.first_cpu_s = 0.0
        self.asking: int | None = None

    def __enter__(self) -> "Loopback":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def watch(self, pid: int) -> None:
        self.first_at, self.asking = None, pid

    def asked(self) -> None:
        if self.first_at is None and self.asking is not None:
            self.first_at, self.first_cpu_s = time.monotonic(), cpu_s_of(self.asking)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked()
                found = self.path == "/"
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(PAGE)))
                self.end_headers()
                self.wfile.write(PAGE)

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        return Answer


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
