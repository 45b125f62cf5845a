"""`cluster`: the workers that share a PostgreSQL store, and who of them owns what."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace

import click

from recrawl.cli.options import Command, folder_option, json_option, the_folder
from recrawl.cli.paint import line, table
from recrawl.engine.quarries import adopt_pages, readmit_pages
from recrawl.folder.opening import open_store
from recrawl.folder.settings import STORE_VARIABLE, load
from recrawl.frontier.leases import shares
from recrawl.model.cluster import Partition, Seat, Shard, Wish
from recrawl.model.failure import UsageError
from recrawl.schedule.settings import DAY_S
from recrawl.store.address import name_of
from recrawl.store.shared.leases import Leases, open_leases
from recrawl.store.shared.shards import add_shard, settle_empty

PARTITION_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


@click.group()
def cluster() -> None:
    """Workers on many machines that share one PostgreSQL store: who is there, who owns what."""


def store_option(command: Command) -> Command:
    return click.option(
        "--store",
        default="",
        envvar=STORE_VARIABLE,
        metavar="DSN",
        help=f"The PostgreSQL store (default: {STORE_VARIABLE}, or that of the folder).",
    )(command)


@contextmanager
def leases_of(store: str, folder: str | None) -> Iterator[Leases]:
    address = store or load(the_folder(folder).need()).state.store
    if not address:
        raise UsageError("a cluster meets in a PostgreSQL store: name it with --store postgresql://user@host/database")
    leases = open_leases(address)
    try:
        yield leases
    finally:
        leases.close()


@cluster.command()
@store_option
@folder_option
@json_option
def status(store: str, folder: str | None, as_json: bool) -> None:
    """Workers with their weights, partitions and leases; partitions without an owner; links under way.

    `lease` is how long a worker may be silent before others take its partitions over, `quiet` how long it has been.
    """
    with leases_of(store, folder) as leases:
        seats, parts, letters = leases.seats(), leases.parts(), Counter(leases.outbox_sizes())
        shards = leases.shards()
    for one in shards:
        letters.update(one.letters or {})
    rows = worker_rows(seats, parts, letters, leases.partitions)
    free = [part.number for part in parts if not part.owner]
    facts = {
        "partitions": leases.partitions,
        "free": len(free) if parts else leases.partitions,
        "outbox": sum(letters.values()),
        "moved": {str(part.number): part.wanted for part in parts if part.wanted},
        "shards": [shard_row(one) for one in shards],
    }
    if as_json:
        line({**facts, "workers": rows})
        return
    table(
        ("worker", "weight", "partitions", "share", "lease", "quiet", "outbox", "state"),
        [tuple(_cell(value) for value in list(row.values())[:8]) for row in rows],
    )
    click.echo(f"{facts['partitions']} partitions, {facts['free']} without an owner; {facts['outbox']} links under way")
    if len(shards) > 1:
        click.echo()
        table(
            ("shard", "database", "partitions", "state"), [tuple(map(str, shard_row(one).values())) for one in shards]
        )


def shard_row(shard: Shard) -> dict[str, object]:
    return {
        "shard": shard.number,
        "database": shard.where,
        "partitions": shard.partitions,
        "state": "away" if shard.letters is None else "there",
    }


def worker_rows(
    seats: list[Seat], parts: list[Partition], letters: Mapping[int, int], partitions: int
) -> list[dict[str, object]]:
    owner = {part.number: part.owner for part in parts}
    waiting: Counter[str] = Counter()
    for number, count in letters.items():
        waiting[owner.get(number, "")] += count
    there = [seat for seat in seats if seat.left_s > 0]
    staying = {seat.worker for seat in there if not seat.leaving}
    fair = shares(there, partitions, {part.number: part.wanted for part in parts if part.wanted in staying})
    return [
        {
            "worker": seat.worker,
            "weight": seat.weight,
            "partitions": seat.held,
            "share": fair.get(seat.worker, 0),
            "lease_s": round(seat.left_s, 1),
            "quiet_s": round(seat.quiet_s, 1),
            "outbox": waiting[seat.worker],
            "state": _state(seat),
            "slot": seat.slot,
            "commits": seat.report.commits,
        }
        for seat in seats
    ]


def _state(seat: Seat) -> str:
    if seat.left_s <= 0:
        return "lost"
    if seat.leaving:
        return "leaving"
    return "idle" if seat.report.idle else "working"


def _cell(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@cluster.command()
@click.argument("worker")
@store_option
@folder_option
def drain(worker: str, store: str, folder: str | None) -> None:
    """Let WORKER finish what it has begun, give its partitions back and end."""
    with leases_of(store, folder) as leases:
        leases.wish(worker, Wish.LEAVE)
    click.echo(f"{worker} gives its partitions back and ends; see `recrawl cluster status`")


@cluster.command()
@click.argument("partitions")
@click.argument("worker", required=False, default="")
@store_option
@folder_option
def move(partitions: str, worker: str, store: str, folder: str | None) -> None:
    """Let WORKER own PARTITIONS (5,7,10-20) as long as it is there; without WORKER, whoever has room again.

    Their owner finishes what it has begun first. No server is asked twice within its gap.
    """
    with leases_of(store, folder) as leases:
        moved = leases.move(numbers_of(partitions, leases.partitions), worker)
    click.echo(f"{moved} partitions go to {worker or 'whoever has room'}")


@cluster.command()
@click.argument("dsn")
@click.option("--partitions", default="", help="Which ones it takes (5,7,10-20) instead of its share of all.")
@store_option
@folder_option
def shard(dsn: str, partitions: str, store: str, folder: str | None) -> None:
    """Let the rows of some partitions live in one more PostgreSQL database, DSN, on a server of its own.

    It takes partitions that hold nothing yet: servers met from now on are dealt out among all databases. No worker may
    be running. To spread what is there already, make a new store with `recrawl db init HOME --shard DSN` and copy into
    it with `recrawl db copy`.
    """
    with leases_of(store, folder) as leases:
        if any(seat.left_s > 0 for seat in leases.seats()):
            raise UsageError("workers are running: stop them first (see `recrawl cluster status`)")
        wanted = numbers_of(partitions, leases.partitions) if partitions else None
        number = add_shard(leases.dsn, dsn)
        taken = settle_empty(leases.dsn, number, wanted or range(0, leases.partitions, number + 1))
    click.echo(f"{name_of(dsn)} is shard {number} and takes {len(taken)} partitions of {leases.partitions}")


@cluster.command()
@store_option
@folder_option
def adopt(store: str, folder: str | None) -> None:
    """Give pages of sites that have no site file any more to the sites of this folder that cover them.

    For a site that got another name. No worker may be running, and no other machine may have the old site file: what is
    missing here is taken for gone. What was spent of the old site's budget today counts for the new one. Pages that the
    limits of [traps] or a site file let go, and those of now do not, are wanted again.
    """
    place = the_folder(folder).need()
    settings = load(place)
    settings = replace(settings, state=replace(settings.state, store=store or settings.state.store))
    with leases_of(store, folder) as leases:
        if any(seat.left_s > 0 for seat in leases.seats()):
            raise UsageError("workers are running: stop them first (see `recrawl cluster status`)")
        with closing(open_store(place, settings)) as pages:
            told = adopt_pages(settings, place.sites(), pages)
            again = readmit_pages(settings, place.sites(), pages, leases.now())
        for old, heir in [(one.site, heir) for one in told for heir, _ in one.heirs]:
            leases.inherit_drawn(old, heir, int(leases.now() // DAY_S))
    for sentence in (*(one.sentence for one in told), *again):
        click.echo(sentence)
    if not told:
        click.echo("every site of the store has a site file here")


def numbers_of(text: str, partitions: int) -> list[int]:
    """`5,7,10-20` as numbers."""
    found: set[int] = set()
    for word in text.split(","):
        ends = PARTITION_RANGE.fullmatch(word.strip())
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if first > last:
            raise UsageError(f"{text!r} are no partitions: write numbers and ranges, 5,7,10-20")
        if last >= partitions:
            raise UsageError(f"there is no partition {last}: they go from 0 to {partitions - 1}")
        found.update(range(first, last + 1))
    return sorted(found)
