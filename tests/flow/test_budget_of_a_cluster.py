"""However many machines there are, and whichever of them dies: together they ask no more than the day allows."""

import signal
from collections.abc import Callable
from pathlib import Path

from tests.flow.conftest import Site
from tests.flow.machines import PARTITIONS, cluster, until


def test_machines_together_ask_no_more_than_the_day_allows(
    start_site: Callable[..., Site], postgres_dsn: str, tmp_path: Path
) -> None:
    sites = [start_site(30) for _ in range(4)]
    with cluster(tmp_path, postgres_dsn, sites) as crowd:
        crowd.requests_per_day = 41
        for name in ("a", "b", "c"):
            crowd.start(name)
        until(lambda: len(crowd.seats()) == 3 and sum(crowd.seats().values()) == PARTITIONS)
        until(lambda: len(crowd.requests()) >= 20)
        victim = crowd.busiest()
        crowd.machine_of(victim).send(signal.SIGKILL)
        until(lambda: crowd.owned_by_others(victim))
        until(lambda: len(crowd.requests()) >= 35)
        crowd.start("d", "--once").process.wait(timeout=120)
        crowd.stop_all()
        assert 35 <= len(crowd.requests()) <= 41
