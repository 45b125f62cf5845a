"""Four machines on one PostgreSQL: one dies, one falls asleep, the database goes away. Nobody notices."""

import json
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.flow.conftest import Ran, Site
from tests.flow.machines import LEASE_S, PARTITIONS, PATIENCE_S, cluster, first, until
from tests.postgres import PASSWORD, PostgresServer, database_of

Start = Callable[..., Site]
SYN_SENT = "02"  # in /proc/net/tcp


def test_when_a_worker_is_killed_others_own_its_partitions_soon_and_no_server_notices(
    start_site: Start, postgres_dsn: str, tmp_path: Path, recrawl: Callable[..., Ran]
) -> None:
    sites = [start_site(30) for _ in range(4)]
    with cluster(tmp_path, postgres_dsn, sites) as crowd:
        for name, ahead_s in (("a", 0.0), ("b", 0.0), ("fast", 3600.0), ("slow", -3600.0)):
            crowd.start(name, clock_ahead_s=ahead_s)
        until(lambda: sorted(crowd.seats().values()) == [PARTITIONS // 4] * 4)
        until(lambda: crowd.visited() >= 20)
        victim = crowd.busiest()
        crowd.machine_of(victim).send(signal.SIGKILL)
        killed_at = crowd.now()
        until(lambda: crowd.owned_by_others(victim))
        assert crowd.now() - killed_at < 5 * (LEASE_S + 2.0)  # lease + 2 s, and room for a busy machine
        until(lambda: crowd.visited() == crowd.pages())
        [status] = recrawl("cluster", "status", "--json", "--store", postgres_dsn).lines
        assert status["free"] == status["outbox"] == 0
        assert victim not in {row["worker"] for row in status["workers"]}  # type: ignore[attr-defined]
        crowd.stop_all()
        crowd.assert_gentle()
        asked = Counter(request.url for request in crowd.requests() if not request.path.endswith("robots.txt"))
        assert {request.status for request in crowd.requests()} == {200}
        assert len(asked) == crowd.pages()
        broken_off = 1 + sum(machine.log().count("joining anew") for machine in crowd.machines)
        assert sum(asked.values()) - len(asked) <= len(sites) * broken_off  # those under way, one a server
        [earliest, latest] = crowd.rows("SELECT min(at), max(at) FROM visit_log")[0]
        assert killed_at - 600 < earliest < latest < crowd.now()  # whatever the clocks of the machines say
        assert crowd.seats() == {}
        assert crowd.rows("SELECT count(*) FROM outbox") == [(0,)]


def test_a_kill_at_full_speed_repeats_what_was_under_way(start_site: Start, postgres_dsn: str, tmp_path: Path) -> None:
    """Servers without a gap: nothing slows the visits down, and whoever takes over has only the database."""
    sites = [start_site(150) for _ in range(4)]
    with cluster(tmp_path, postgres_dsn, sites, gap_s=0.0) as crowd:
        crowd.start("a")
        crowd.start("b")
        until(lambda: sorted(crowd.seats().values()) == [PARTITIONS // 2] * 2)
        until(lambda: crowd.visited() >= 100)
        crowd.machine_of(crowd.busiest()).send(signal.SIGKILL)
        until(lambda: crowd.visited() == crowd.pages())
        crowd.stop_all()
        asked = Counter(request.url for request in crowd.requests() if not request.path.endswith("robots.txt"))
        broken_off = 1 + sum(machine.log().count("joining anew") for machine in crowd.machines)
        assert sum(asked.values()) - len(asked) <= len(sites) * broken_off


def test_a_worker_that_slept_past_its_lease_asks_nothing_and_writes_nothing_until_it_joined_anew(
    start_site: Start, postgres_dsn: str, tmp_path: Path
) -> None:
    sites = [start_site(60) for _ in range(3)]
    with cluster(tmp_path, postgres_dsn, sites) as crowd:
        crowd.start("a")
        crowd.start("b")
        until(lambda: sorted(crowd.seats().values()) == [PARTITIONS // 2] * 2)
        until(lambda: crowd.visited() >= 20)
        sleeper = crowd.busiest()
        machine = crowd.machine_of(sleeper)
        machine.send(signal.SIGSTOP)
        stopped_at, heard = crowd.now(), len(machine.log())
        until(lambda: crowd.owned_by_others(sleeper))
        crowd.make_due()
        asked = len(crowd.requests())
        until(lambda: len(crowd.requests()) > asked)
        machine.send(signal.SIGCONT)
        joined_at = first(lambda: crowd.joined_at(machine, later_than=sleeper))
        assert "joining anew" in machine.log()
        until(lambda: crowd.visited() == crowd.pages())
        crowd.stop_all()
        crowd.assert_gentle()
        contact = f"{machine.folder.name}@test.example"
        since = [one for one in crowd.requests() if stopped_at < one.start_at < joined_at]
        others = [one for one in since if contact not in one.user_agent]
        assert others
        assert len(since) - len(others) <= 1  # the one already under way
        told = [json.loads(line) for line in machine.log()[heard:].partition("joining anew")[0].splitlines()[:-1]]
        assert all(one["at"] < stopped_at + LEASE_S / 2 for one in told if one["kind"] == "added")  # written before


def test_a_worker_that_slept_past_its_lease_while_it_connected_sends_nothing_over_that_connection(
    postgres_dsn: str, tmp_path: Path
) -> None:
    with socket.socket() as deaf, ExitStack() as waiting:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        deaf.settimeout(PATIENCE_S)
        fillers = [waiting.enter_context(socket.socket()) for _ in range(4)]  # its queue of one is full after these
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(deaf.getsockname())
        ours = {filler.getsockname()[1] for filler in fillers}
        site = Site(f"http://127.0.0.1:{deaf.getsockname()[1]}/", "", tmp_path / "no log")
        with cluster(tmp_path, postgres_dsn, [site]) as crowd:
            machine = crowd.start("a")
            until(lambda: _knocking_at(deaf) - ours)
            sleeper = next(iter(crowd.seats()))
            machine.send(signal.SIGSTOP)
            stopped_at = crowd.now()
            while (door := deaf.accept())[1][1] in ours:  # the system connects, while the worker sleeps
                door[0].close()
            until(lambda: crowd.now() > stopped_at + LEASE_S)
            machine.send(signal.SIGCONT)
            door[0].settimeout(PATIENCE_S)
            assert door[0].recv(1000) == b""
            until(lambda: crowd.joined_at(machine, later_than=sleeper))


def _knocking_at(door: socket.socket) -> set[int]:
    """Ports of those who are not connected yet."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    there = f":{door.getsockname()[1]:04X}"
    return {int(row[1].partition(":")[2], 16) for row in rows if row[2].endswith(there) and row[3] == SYN_SENT}


def test_when_the_database_dies_under_load_workers_wait_and_go_on_and_nothing_acknowledged_is_lost(
    start_site: Start, postgres_victim: PostgresServer, tmp_path: Path
) -> None:
    sites = [start_site(60) for _ in range(2)]
    with cluster(tmp_path, postgres_victim.fresh(), sites) as crowd:
        machines = [crowd.start("a"), crowd.start("b")]
        until(lambda: len(crowd.seats()) == 2 and crowd.visited() >= 30)
        crowd.make_due()
        postgres_victim.stop("immediate")
        until(lambda: all("joining anew" in machine.log() for machine in machines))
        asked = len(crowd.requests())
        postgres_victim.start()
        told = [json.loads(line) for machine in machines for line in machine.log().splitlines() if line.startswith("{")]
        acknowledged = {one["page"] for one in told if one["kind"] == "added"}
        found = {row[0] for row in crowd.rows("SELECT page FROM version")}
        assert acknowledged
        assert acknowledged <= found
        until(lambda: crowd.visited() == crowd.pages() and len(crowd.requests()) > asked)
        assert crowd.stop_all() < 3 * 10.0  # 10 s, and room for a busy machine
        crowd.assert_gentle()


def test_when_the_database_hangs_workers_ask_nothing_and_end_when_they_are_told_to(
    start_site: Start, postgres_victim: PostgresServer, tmp_path: Path
) -> None:
    with cluster(tmp_path, postgres_victim.fresh(), [start_site(60)]) as crowd:
        machine = crowd.start("a")
        until(lambda: crowd.visited() >= 5)
        postgres_victim.freeze()
        try:
            frozen_at = time.time()
            until(lambda: time.time() > frozen_at + LEASE_S + 1.0)
            asked = len(crowd.requests())
            machine.send(signal.SIGTERM)
            assert machine.process.wait(3 * 10.0) == 128 + signal.SIGTERM  # 10 s, and room for a busy machine
            assert len(crowd.requests()) == asked
        finally:
            postgres_victim.thaw()
        assert "1 visit could not be written" in (machine.folder / "errors").read_text()
        crowd.start("b")
        until(lambda: crowd.visited() == crowd.pages())
        crowd.stop_all()
        crowd.assert_gentle()


def test_when_the_password_changes_a_worker_waits_for_the_new_one(
    start_site: Start, postgres_victim: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL's own file of passwords is read at every try."""
    dsn = postgres_victim.fresh()
    words = tmp_path / "pgpass"
    words.touch(0o600)
    words.write_text(f"*:*:*:guarded:{PASSWORD}\n")
    monkeypatch.setenv("PGPASSFILE", str(words))
    try:
        with cluster(tmp_path, dsn, [start_site(60)]) as crowd:
            machine = crowd.start("a", dsn=postgres_victim.named(database_of(dsn), "guarded"))
            until(lambda: crowd.visited() >= 5)
            postgres_victim.run("ALTER ROLE guarded PASSWORD 'changed'")
            postgres_victim.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guarded'")
            until(lambda: machine.log().count("does not let us in") >= 3)
            asked = len(crowd.requests())
            assert machine.process.poll() is None
            words.write_text("*:*:*:guarded:changed\n")
            until(lambda: crowd.visited() == crowd.pages())
            assert len(crowd.requests()) > asked
            crowd.stop_all()
            crowd.assert_gentle()
    finally:
        postgres_victim.run(f"ALTER ROLE guarded PASSWORD '{PASSWORD}'")
