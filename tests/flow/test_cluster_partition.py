"""The network between a machine and the database is cut: others take over, and the machine comes back by itself."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.flow.conftest import Site
from tests.flow.lines import lines
from tests.flow.machines import LEASE_S, PARTITIONS, cluster, first, until
from tests.postgres import PostgresServer


def test_a_worker_cut_off_beyond_its_lease_asks_nothing_writes_nothing_and_joins_anew_when_the_line_is_back(
    start_site: Callable[..., Site], postgres_victim: PostgresServer, tmp_path: Path
) -> None:
    dsn = postgres_victim.fresh()
    with (
        lines(postgres_victim, dsn, 2) as ways,
        cluster(tmp_path, dsn, [start_site(60) for _ in range(3)]) as crowd,
    ):
        by_pid = {crowd.start(f"m{number}", dsn=way.dsn).pid: way for number, way in enumerate(ways)}
        until(lambda: sorted(crowd.seats().values()) == [PARTITIONS // 2] * 2)
        until(lambda: crowd.visited() >= 20)
        lonely = crowd.busiest()
        machine = crowd.machine_of(lonely)
        line = by_pid[machine.pid]
        owned = "SELECT s.id FROM server s JOIN part p ON p.id = s.partition WHERE p.owner = %s"
        servers = [row[0] for row in crowd.rows(owned, lonely)]
        heard = len(machine.log())
        line.cut()
        cut_at = crowd.now()
        lease = crowd.rows("SELECT expires_at FROM worker WHERE id = %s", lonely)  # none: on a busy machine it ran out
        expires_at = lease[0][0] if lease else crowd.now()
        until(lambda: crowd.owned_by_others(lonely))
        owned_at = crowd.now()
        if line.is_cable:
            until(lambda: "joining anew" in machine.log())
        line.mend()
        joined_at = first(lambda: crowd.joined_at(machine, later_than=lonely))
        print(f"owned {owned_at - cut_at:.2f} s, back {joined_at - cut_at:.2f} s after the cut")
        until(lambda: crowd.visited() == crowd.pages())
        crowd.stop_all()
        crowd.assert_gentle()
        contact = f"{machine.folder.name}@test.example"
        asked = [one.start_at for one in crowd.requests() if contact in one.user_agent]
        assert not [at for at in asked if expires_at < at < joined_at]
        assert owned_at - cut_at < 5 * (LEASE_S + 2.0)  # lease + 2 s, and room for a busy machine
        told = [json.loads(line) for line in machine.log()[heard:].partition("joining anew")[0].splitlines()[:-1]]
        assert all(one["at"] < cut_at for one in told if one["kind"] in ("added", "updated"))
        written = crowd.rows(
            "SELECT count(*) FROM visit_log v JOIN page p ON p.id = v.page "
            "WHERE p.server = ANY(%s) AND v.at BETWEEN %s AND %s",
            servers, cut_at, expires_at if lease else cut_at,
        )  # fmt: skip
        assert written == [(0,)]
