"""Workers come and go: shares follow the weights, and an operator has the last word."""

from collections.abc import Callable
from pathlib import Path

from tests.flow.conftest import Ran, Site
from tests.flow.machines import PARTITIONS, Cluster, cluster, until

QUARTER = PARTITIONS // 4


def held(crowd: Cluster) -> list[int]:
    return sorted(crowd.seats().values())


def test_partitions_follow_weights_newcomers_and_the_operators_word_and_no_server_notices(
    start_site: Callable[..., Site], postgres_dsn: str, tmp_path: Path, recrawl: Callable[..., Ran]
) -> None:
    store = ("--store", postgres_dsn)
    with cluster(tmp_path, postgres_dsn, [start_site(60), start_site(60)], lease_s=60.0) as crowd:
        first = crowd.start("a")
        until(lambda: held(crowd) == [PARTITIONS])
        heavy = crowd.start("b", "--weight", "3")
        until(lambda: held(crowd) == [QUARTER, 3 * QUARTER])

        [status] = recrawl("cluster", "status", "--json", *store).lines
        workers = {str(row["worker"]): row for row in status["workers"]}  # type: ignore[attr-defined]
        name = next(worker for worker in workers if f"-{heavy.pid}-" in worker)
        assert workers[name]["weight"] == 3
        assert workers[name]["share"] == workers[name]["partitions"] == 3 * QUARTER
        assert 0 < workers[name]["lease_s"] <= 60.0

        theirs = [row[0] for row in crowd.rows("SELECT id FROM part WHERE owner <> %s ORDER BY id", name)]
        recrawl("cluster", "move", f"{theirs[0]},{theirs[1]}-{theirs[1]}", name, *store)
        until(lambda: crowd.rows("SELECT count(*) FROM part WHERE owner = wanted") == [(2,)])
        until(lambda: held(crowd) == [QUARTER, 3 * QUARTER])  # for two others that were given back

        recrawl("cluster", "drain", name, *store)
        assert heavy.process.wait(120) == 0
        until(lambda: held(crowd) == [PARTITIONS])
        assert "no worker" in recrawl("cluster", "drain", name, *store, expect=2).err
        assert "no partition 64" in recrawl("cluster", "move", "60-64", name, *store, expect=2).err

        until(lambda: crowd.visited() == crowd.pages())
        crowd.stop_all()
        crowd.assert_gentle()
        assert "joining anew" not in first.log() + heavy.log()
        asked = [request.url for request in crowd.requests() if request.path != "/robots.txt"]
        assert len(asked) == len(set(asked))  # a partition changes hands when nothing of it is unwritten
