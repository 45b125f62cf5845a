"""Machines of a cluster in tests: real `recrawl run` processes in folders of their own, one PostgreSQL between them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from recrawl.config import starting_text
from recrawl.folder.folder import Folder
from recrawl.lab.requests_log import Request, closer_than, overlapping
from recrawl.model.site import Site as SiteFile
from recrawl.store.postgres import create_postgres, open_postgres
from tests.flow.conftest import RECRAWL, Site
from tests.flow.nursery import Forked, fork

LEASE_S = 2.0
GAP_S = 0.1
PARTITIONS = 64
PATIENCE_S = 120.0


@dataclass
class Machine:
    folder: Path
    process: subprocess.Popen[bytes] | Forked

    @property
    def pid(self) -> int:
        return self.process.pid

    def log(self) -> str:
        file = self.folder / "recrawl.log"
        return file.read_text() if file.exists() else ""

    def send(self, number: int) -> None:
        os.kill(self.pid, number)


@dataclass
class Cluster:
    """Sites that are asked, machines that ask them, and the database they share."""

    root: Path
    dsn: str
    sites: Sequence[Site]
    lease_s: float = LEASE_S
    gap_s: float = GAP_S
    requests_per_day: int | None = None  # of all machines together
    machines: list[Machine] = field(default_factory=list)
    _line: "psycopg.Connection[tuple[Any, ...]] | None" = None

    def start(self, name: str, *options: str, clock_ahead_s: float = 0.0, dsn: str = "") -> Machine:
        """One more machine; its requests can be told by the operator's contact in their user agent. `dsn`: its own way
        to the database."""
        folder = Folder(self.root / name)
        wish = "" if self.requests_per_day is None else f"\nrequests_per_day = {self.requests_per_day}"
        folder.create(starting_text(f"{name}@test.example").replace("[schedule]", f"[schedule]{wish}"))
        for number, site in enumerate(self.sites):
            authority = site.url.removeprefix("http://").removesuffix("/")
            folder.put_site(SiteFile(f"s{number}", (site.url,), own=(authority,), gap_s=self.gap_s))
        with folder.settings_file.open("a") as settings:
            settings.write(f"\n[cluster]\nlease_s = {self.lease_s}\n\n[search]\nbeside = false\n")
        words = ("run", str(folder.path), "--workers", "1", "--quiet", "--store", dsn or self.dsn, *options)
        begin = _wrongly_timed if clock_ahead_s else _timed
        self.machines.append(Machine(folder.path, begin(words, folder.path / "errors", clock_ahead_s)))
        return self.machines[-1]

    # what the database says

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Over one line as long as it holds: who waits asks often, and the server starts a process for each line."""
        if self._line is not None:
            with suppress(psycopg.OperationalError):
                return self._line.execute(statement, values).fetchall()
            self.hang_up()
        self._line = psycopg.connect(self.dsn, autocommit=True, connect_timeout=60)
        return self._line.execute(statement, values).fetchall()

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def seats(self) -> dict[str, int]:
        """Workers and how many partitions they own."""
        found = self.rows("SELECT w.id, count(p.id) FROM worker w LEFT JOIN part p ON p.owner = w.id GROUP BY w.id")
        return {row[0]: row[1] for row in found}

    def busiest(self) -> str:
        """The worker that owns most servers."""
        found = self.rows(
            "SELECT p.owner, count(*) FROM server s JOIN part p ON p.id = s.partition "
            "WHERE p.owner IS NOT NULL GROUP BY p.owner ORDER BY 2 DESC LIMIT 1"
        )
        return str(found[0][0])

    def visited(self) -> int:
        return int(self.rows("SELECT count(*) FROM page WHERE visits > 0 AND kind <> 3")[0][0])

    def now(self) -> float:
        return float(self.rows("SELECT extract(epoch FROM clock_timestamp())::float8")[0][0])

    def owned_by_others(self, gone: str) -> bool:
        found = self.rows("SELECT count(*) FILTER (WHERE owner IS NULL OR owner = %s), count(*) FROM part", gone)
        return bool(found[0] == (0, PARTITIONS))

    def joined_at(self, machine: Machine, later_than: str) -> float | None:
        """When a machine's worker joined that is not the one named; None: it did not yet."""
        found = self.rows(
            "SELECT min(joined_at) FROM worker WHERE id LIKE %s AND id <> %s", f"%-{machine.pid}-%", later_than
        )
        return found[0][0]  # type: ignore[no-any-return]

    def machine_of(self, worker: str) -> Machine:
        return next(one for one in self.machines if f"-{one.pid}-" in worker)

    def make_due(self) -> None:
        """Something to ask for on every server, however much was visited while machines were still starting."""
        with closing(open_postgres(self.dsn)) as store:
            store.make_due(self.now())

    # what the servers say

    def requests(self) -> list[Request]:
        return [request for site in self.sites for request in site.requests()]

    def pages(self) -> int:
        return sum(len(site.paths()) for site in self.sites)

    def assert_gentle(self) -> None:
        """Law 1, from the logs of the servers: never two at once, never two within the gap."""
        assert not closer_than(self.requests(), self.gap_s)
        assert not overlapping(self.requests())

    def diagnosis(self) -> str:
        """How things stand, for whoever reads that a test failed."""
        facts = [
            self.rows("SELECT *, extract(epoch FROM clock_timestamp()) - renewed_at AS quiet FROM worker"),
            self.seats(),
            self.rows("SELECT pid, state, wait_event, left(query, 80), now() - xact_start FROM pg_stat_activity"),
            [(machine.pid, machine.process.poll(), machine.log().splitlines()[-3:]) for machine in self.machines],
            [(machine.folder / "errors").read_text() for machine in self.machines],
        ]
        return "\n".join(map(str, facts))

    # ending

    def stop_all(self) -> float:
        """SIGTERM to all; how long the slowest took. One that had not begun yet dies of it."""
        began = time.monotonic()
        running = [machine for machine in self.machines if machine.process.poll() is None]
        for machine in running:
            machine.send(signal.SIGTERM)
        for machine in running:
            code = machine.process.wait(PATIENCE_S)
            assert code in (128 + signal.SIGTERM, -signal.SIGTERM), (machine.folder / "errors").read_text()
        return time.monotonic() - began


def until(happened: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Wait for something to happen."""
    give_up_at = time.monotonic() + patience_s
    while not happened():
        assert time.monotonic() < give_up_at, "it never happened"
        time.sleep(0.05)


def first(seen: Callable[[], float | None]) -> float:
    """Wait for a moment to be known: the first that is seen, which may be gone when asked for again."""
    found: list[float] = []

    def is_there() -> bool:
        at = seen()
        if at is not None:
            found.append(at)
        return bool(found)

    until(is_there)
    return found[0]


@contextmanager
def cluster(
    root: Path, dsn: str, sites: Sequence[Site], lease_s: float = LEASE_S, gap_s: float = GAP_S
) -> Iterator[Cluster]:
    create_postgres(dsn, PARTITIONS)
    found = Cluster(root, dsn, sites, lease_s, gap_s)
    try:
        yield found
    except AssertionError:
        print(found.diagnosis())
        raise
    finally:
        found.hang_up()
        for machine in found.machines:
            if machine.process.poll() is None:
                machine.process.kill()
                machine.process.wait()


def _timed(words: Sequence[str], errors: Path, _: float) -> Forked:
    return fork("recrawl", words, Path.cwd(), Path(os.devnull), errors)


def _wrongly_timed(words: Sequence[str], errors: Path, ahead_s: float) -> "subprocess.Popen[bytes]":
    """A Python whose wall clock is wrong by so much."""
    folder = errors.with_name("clock")
    folder.mkdir()
    wrong = f"import time\n\n_true = time.time\ntime.time = lambda: _true() + {ahead_s}\n"
    (folder / "sitecustomize.py").write_text(wrong)
    searched = os.pathsep.join([str(folder), *sys.path[:1], os.environ.get("PYTHONPATH", "")])
    with errors.open("ab") as said:
        return subprocess.Popen(
            [*RECRAWL, *words], stdout=subprocess.DEVNULL, stderr=said, env={**os.environ, "PYTHONPATH": searched}
        )
