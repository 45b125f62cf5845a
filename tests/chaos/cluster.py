"""A cluster on one PostgreSQL, its workers killed, put to sleep and replaced at random moments, the database too."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from recrawl.config import starting_text
from recrawl.folder.folder import Folder
from recrawl.model.failure import StoreAway
from tests.chaos.check import broken
from tests.chaos.ground import Ground, ground
from tests.flow.conftest import Site
from tests.flow.machines import GAP_S, LEASE_S, Cluster, Machine, cluster
from tests.postgres import PostgresServer, discard, own_server

WORKERS = 3
CHECK_EVERY = 25
PATIENCE_S = 600.0
STARTED = '"kind": "started"'
BLOWS = ((0.86, "kill"), (0.96, "nap"), (1.0, "crash"))  # a kill, a sleep about as long as the lease, a dead database


def kill_workers(place: Path, kills: int, seed: int, say: Callable[[str], None]) -> list[str]:
    """So many kills, and between them naps beyond the lease and crashes of the database; then peace. What broke."""
    dice, server = random.Random(seed), own_server()
    try:
        with ground(place, seed) as field:
            sites = [Site(one.url, one.controls, one.log) for one in field.sites]
            with cluster(place, server.fresh(), sites) as crowd:
                return _story(crowd, field, server, dice, kills, say)
    finally:
        discard(server)


def _story(
    crowd: Cluster, field: Ground, server: PostgresServer, dice: random.Random, kills: int, say: Callable[[str], None]
) -> list[str]:
    counts, wrong = dict.fromkeys(("kill", "nap", "crash"), 0), list[str]()
    while counts["kill"] < kills and not wrong:
        while len(running(crowd)) < WORKERS:
            crowd.start(f"m{len(crowd.machines)}", "--all")
        _await_requests(field, dice)
        if wrong := _ended_by_themselves(crowd):
            break
        blow = _strike(crowd, server, dice)
        counts[blow] += 1
        if blow == "kill" and counts["kill"] % CHECK_EVERY == 0:
            field.stir()
            wrong = _impolite_so_far(crowd)
            say(f"{counts}, {field.asked()} requests so far")
    say(f"{counts}, {field.asked()} requests in all; now peace")
    return wrong + _afterwards(crowd, say)


def running(crowd: Cluster) -> list[Machine]:
    return [machine for machine in crowd.machines if machine.process.poll() is None]


def _ended_by_themselves(crowd: Cluster) -> list[str]:
    """Nobody but us may end a worker, whatever happens to the database; one that had not begun when the database was
    away says so and ends, and whoever started it starts another one."""
    return [
        f"{machine.folder.name} ended with {machine.process.poll()}: {(machine.folder / 'errors').read_text()[-2000:]}"
        for machine in crowd.machines
        if machine.process.poll() not in (None, -signal.SIGKILL)
        and (machine.process.poll() != StoreAway.exit_code or STARTED in machine.log())
    ]


def _await_requests(field: Ground, dice: random.Random) -> None:
    """A random moment of the crawl, not of the clock; where nothing is due, a moment of the lease."""
    goal, give_up_at = field.asked() + dice.randrange(1, 40), time.monotonic() + 8 * LEASE_S
    while field.asked() < goal and time.monotonic() < give_up_at:
        time.sleep(0.02)


def _strike(crowd: Cluster, server: PostgresServer, dice: random.Random) -> str:
    victim, drawn = dice.choice(running(crowd)), dice.random()
    blow = next(name for share, name in BLOWS if drawn < share)
    if blow == "kill":
        victim.send(signal.SIGKILL)
        victim.process.wait()
    elif blow == "nap":
        victim.send(signal.SIGSTOP)
        time.sleep(LEASE_S * dice.uniform(0.5, 2.0))
        victim.send(signal.SIGCONT)
    else:
        server.stop("immediate")
        time.sleep(LEASE_S * dice.uniform(0.0, 1.5))
        server.start()
    return blow


def _afterwards(crowd: Cluster, say: Callable[[str], None]) -> list[str]:
    """What the servers and the database say once everything was visited in peace."""
    wrong: list[str] = []
    crowd.stop_all()
    peace = crowd.start("peace", "--all", "--once").process.wait(PATIENCE_S)
    if peace:
        wrong.append(f"the run in peace ended with {peace}")
    if crowd.visited() != crowd.pages():
        wrong.append(f"{crowd.visited()} pages were visited of {crowd.pages()}")
    if letters := crowd.rows("SELECT count(*) FROM outbox")[0][0]:
        wrong.append(f"{letters} links never reached the owner of their page")
    if crowd.seats():
        wrong.append(f"seats left behind: {crowd.seats()}")
    seen = crowd.rows("SELECT (SELECT count(*) FROM version), (SELECT count(*) FROM event)")[0]
    say(f"looked at: {seen[0]} versions, {seen[1]} events, {len(crowd.requests())} requests")
    return wrong + broken(witness(crowd).path, crowd.requests(), GAP_S)


def _impolite_so_far(crowd: Cluster) -> list[str]:
    try:
        crowd.assert_gentle()
    except AssertionError as error:
        return [f"a server was asked within its gap of {GAP_S} s: {error}"]
    return []


def witness(crowd: Cluster) -> Folder:
    """A folder that sees the whole cluster: its database, the archives and the logs of all machines."""
    folder = Folder(crowd.root / "witness")
    folder.create(starting_text("witness@test.example"))
    with folder.settings_file.open("a") as settings:
        settings.write(f'\n[state]\nstore = "{crowd.dsn}"\n')
    for machine in crowd.machines:
        for file in (machine.folder / "warc").iterdir():
            os.link(file, folder.archive / file.name)
    folder.log.write_text("".join(machine.log() for machine in crowd.machines))
    return folder
