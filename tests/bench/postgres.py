"""`python -m tests.bench postgres [ADDRESSES]`: what the work of a crawl costs a PostgreSQL server.

A server of its own (as the tests start it), filled through `save`; then the figures of `scale_probe`, each with the CPU
time of the client and of the server's processes. `docs/scaling.md` reckons with the server's part.
"""

import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import process_time, time

import psycopg

from recrawl.model.batch import Batch
from recrawl.store.postgres import open_postgres
from tests.bench.scale_fill import World, stretches
from tests.bench.scale_probe import Probe
from tests.postgres import discard, own_server

BATCH = 500
ROUNDS = 40


def main(addresses: int = 100_000) -> None:
    server = own_server()
    try:
        dsn = server.with_tables(256)
        with closing(open_postgres(dsn)) as store:
            world, empty_bytes = World(addresses, time() + 4 * 3600.0), _size(dsn)
            for stretch in stretches(world):
                for at in range(0, len(stretch.pages), BATCH):
                    store.save(Batch(entered=tuple(stretch.pages[at : at + BATCH])))
                store.save(Batch(visits=tuple(stretch.visits), versions=tuple(stretch.versions)))
            bytes_an_address = (_size(dsn) - empty_bytes) / addresses
            probe = Probe(store, world)
            works: dict[str, tuple[Callable[[], Batch], Callable[[Batch], int]]] = {
                "visit commit": (probe.visited_batch, probe.commit),
                "known link": (probe.some_batch, probe.enter),
                "new link": (probe.new_batch, probe.enter),
            }
            root = _postmaster(server.port)
            found = {name: _cost(*work, root) for name, work in works.items()}
    finally:
        discard(server)
    print(f"{bytes_an_address:.0f} bytes an address, one in five visited, with its history")
    for name, (client_us, server_us) in found.items():
        print(f"{name}: client {client_us:.0f} µs, server {server_us:.0f} µs")
    Path("out").mkdir(exist_ok=True)
    facts = {"bytes_an_address": bytes_an_address, "us_client_and_server": found}
    Path("out/postgres.json").write_text(json.dumps(facts, indent=1) + "\n")


def _size(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return int(row[0]) if row else 0


def _cost(prepare: Callable[[], Batch], work: Callable[[Batch], int], root: int) -> tuple[float, float]:
    """Microseconds of CPU a piece: here, and in the server's processes."""
    work(prepare())
    material = [prepare() for _ in range(ROUNDS)]
    here, there = process_time(), _spent_s(root)
    pieces = sum(work(one) for one in material)
    return round((process_time() - here) * 1e6 / pieces, 1), round((_spent_s(root) - there) * 1e6 / pieces, 1)


def _spent_s(root: int) -> float:
    """By a process and its children, those that ended included."""
    children = Path(f"/proc/{root}/task/{root}/children").read_text().split()
    return sum(_ticks(Path(f"/proc/{one}/stat")) for one in (str(root), *children)) / os.sysconf("SC_CLK_TCK")


def _ticks(stat: Path) -> int:
    try:
        fields = stat.read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0
    return sum(map(int, fields[11:15]))


def _postmaster(port: int) -> int:
    """The process that listens on this port, by its command line."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"postgres") and any(str(port).encode() in word for word in words):
            return int(folder.name)
    raise SystemExit("the PostgreSQL server was not found among the processes")
