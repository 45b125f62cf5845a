"""A cluster on one PostgreSQL, its workers killed, put to sleep and replaced at random moments, the database too."""

import json
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.chaos.ground import ground
from tests.flow.conftest import Site
from tests.flow.machines import GAP_S, LEASE_S, Cluster, Machine, cluster, until
from tests.postgres import PostgresServer, discard, own_server

WORKERS = 3
CHECK_EVERY = 25


def kill_workers(place: Path, kills: int, seed: int, say: Callable[[str], None]) -> list[str]:
    """Kills, naps beyond the lease and crashes of the database; then peace. What broke."""
    dice, server = random.Random(seed), own_server()
    try:
        with ground(place, seed) as field:
            sites = [Site(one.url, one.controls, one.log) for one in field.sites]
            with cluster(place, server.fresh(), sites) as crowd:
                for number in range(kills):
                    while len(running(crowd)) < WORKERS:
                        crowd.start(f"m{len(crowd.machines)}", "--all")
                    _await_requests(crowd, dice)
                    _strike(crowd, server, dice)
                    if (number + 1) % CHECK_EVERY == 0:
                        say(f"{number + 1} blows, {len(crowd.requests())} requests so far")
                return _afterwards(crowd)
    finally:
        discard(server)


def running(crowd: Cluster) -> list[Machine]:
    return [machine for machine in crowd.machines if machine.process.poll() is None]


def _await_requests(crowd: Cluster, dice: random.Random) -> None:
    """A random moment of the crawl, not of the clock; where nothing is due, a moment of the lease."""
    goal, give_up_at = len(crowd.requests()) + dice.randrange(1, 40), time.monotonic() + 3 * LEASE_S
    while len(crowd.requests()) < goal and time.monotonic() < give_up_at:
        time.sleep(0.02)


def _strike(crowd: Cluster, server: PostgresServer, dice: random.Random) -> None:
    victim, blow = dice.choice(running(crowd)), dice.random()
    if blow < 0.8:
        victim.send(signal.SIGKILL)
        victim.process.wait()
    elif blow < 0.95:
        victim.send(signal.SIGSTOP)
        time.sleep(LEASE_S * dice.uniform(0.5, 2.0))
        victim.send(signal.SIGCONT)
    else:
        server.stop("immediate")
        time.sleep(LEASE_S * dice.uniform(0.0, 1.5))
        server.start()


def _afterwards(crowd: Cluster) -> list[str]:
    """What the servers and the database say once everything was visited in peace."""
    crowd.start("peace", "--all")
    until(lambda: crowd.visited() == crowd.pages(), 600)
    crowd.stop_all()
    wrong: list[str] = []
    try:
        crowd.assert_gentle()
    except AssertionError as error:
        wrong.append(f"a server was asked within its gap of {GAP_S} s: {error}")
    told = [json.loads(line) for one in crowd.machines for line in one.log().splitlines() if line.startswith("{")]
    kept = {row[0] for row in crowd.rows("SELECT page FROM version")}
    lost = {one["page"] for one in told if one["kind"] in ("added", "updated")} - kept
    wrong += [f"announced and not there: {page}" for page in sorted(lost)]
    if letters := crowd.rows("SELECT count(*) FROM outbox")[0][0]:
        wrong.append(f"{letters} links never reached the owner of their page")
    if crowd.seats():
        wrong.append(f"seats left behind: {crowd.seats()}")
    return wrong
