"""`run`: crawl what is due."""

import os
import sys
from contextlib import suppress

import click

from recrawl.cli.kinds import Duration, Number
from recrawl.cli.options import folder_argument, json_option, the_folder
from recrawl.cli.paint import counted, line, size
from recrawl.cli.progress import watcher
from recrawl.cli.rest import Rest, rest_of
from recrawl.config import Settings
from recrawl.engine.worker import Order
from recrawl.folder.folder import Folder
from recrawl.folder.settings import load
from recrawl.launch.run import Ended
from recrawl.launch.run import run as run_crawl
from recrawl.model.failure import StoreAway, UsageError
from recrawl.model.swift import replace
from recrawl.scope.canonical import Canonicaliser
from recrawl.store.address import impatient, is_postgres

FAULT = "a fault of recrawl itself cost a page: recrawl.log of the folder shows where, please report it"
INTERRUPTED = 128  # and above: by a signal


@click.command()
@folder_argument
@click.option("--once", is_flag=True, help="Visit what is due now and what is newly found, then stop.")
@click.option("--for", "for_s", type=Duration(), metavar="10m", help="Stop after this time.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=None,
    help="Processes (default: one a core, if there are servers enough).",
)
@click.option(
    "--store",
    default="",
    metavar="DSN",
    help="Keep the state in a PostgreSQL database: postgresql://user@host/name (also RECRAWL_STORE, state.store).",
)
@click.option(
    "--weight",
    type=Number(0.01, 1000),
    default=None,
    help="This machine's share against the others that use the same --store (default 1).",
)
@click.option("--all", "everything", is_flag=True, help="Make every page due now, those gone or moved too.")
@click.option("--quiet", is_flag=True, help="No progress.")
@json_option
def run(
    folder: str | None,
    folder_word: str | None,
    once: bool,
    for_s: float | None,
    workers: int | None,
    store: str,
    weight: float | None,
    everything: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Crawl what is due, and come back to each page when it is likely to have changed.

    Without --once or --for it runs until it is stopped (Ctrl-C: state saved). Exit codes: 0 done, 4 most requests
    failed, 5 nothing allowed, 6 folder in use, 7 time over, budget spent or window closed with work left, 130/143
    interrupted.
    """
    place = the_folder(folder, folder_word).need()
    if store and not is_postgres(store):
        raise UsageError("--store is a PostgreSQL address: write postgresql://user@host:5432/database, or leave it out")
    settings = load(place, store)
    if weight is not None:
        settings = replace(settings, cluster=replace(settings.cluster, weight=weight))
    order = Order(once=once, for_s=for_s, asked=everything)
    crew = workers or default_workers(place)
    with watcher(quiet=quiet or as_json) as tick:
        ended = run_crawl(place, settings, order, crew, tick, everything, lambda told: click.echo(told, err=True))
    tell_end(ended, as_json, _rest(place, settings, ended, once))
    sys.exit(ended.code)


def _rest(place: Folder, settings: Settings, ended: Ended, once: bool) -> Rest | None:
    """None: it was interrupted, and the database is not there to say what is left."""
    if ended.code < INTERRUPTED or not settings.state.store:
        return rest_of(place, settings, ended.counts, once)
    hurried = impatient(settings.state.store, settings.cluster.lease_s)
    with suppress(StoreAway):
        return rest_of(place, replace(settings, state=replace(settings.state, store=hurried)), ended.counts, once)
    return None


def default_workers(place: Folder) -> int:
    """One a core, but not more than there are servers among the seeds: a server belongs to one worker. With a budget
    one alone: it can spend it exactly, and has time."""
    wish = load(place).schedule
    if (
        wish.requests_per_day
        or wish.bytes_per_day
        or any(one.requests_per_day or one.bytes_per_day for one in place.sites())
    ):
        return 1
    canonicaliser = Canonicaliser()
    seeds = [canonicaliser.canonical(seed) for site in place.sites() for seed in site.seeds]
    servers = {seed.server for seed in seeds if seed is not None}
    return max(1, min(os.cpu_count() or 1, len(servers)))


def tell_end(ended: Ended, as_json: bool, rest: Rest | None) -> None:
    counts = ended.counts
    if as_json:
        told = {key: counts[key] for key in counts if key not in ("idle", "checks", "commits", "written")}
        line({**told, **(rest.facts() if rest else {}), "exit": ended.code})
    else:
        click.echo(summary(counts))
        if rest:
            rest.tell(told=bool(ended.sentence))
    if ended.sentence:
        click.echo(f"recrawl: {ended.sentence}", err=True)
    if counts.get("errors"):
        click.echo(f"recrawl: {FAULT} ({counts['errors']} in all)", err=True)


def summary(counts: dict[str, int]) -> str:
    """What the run did and what it saved."""
    visits, requests = counted(counts["visits"], "visit"), counted(counts["requests"], "request")
    rare = {"not found": counts["not_found"], "undecided": counts["undecided"]}
    told = "".join(f", {number} {name}" for name, number in rare.items() if number)
    unread = f", {counts['robots_failed']} robots.txt could not be had" if counts["robots_failed"] else ""
    lines = [
        f"{visits}: {counts['new']} new, {counts['changed']} changed, {counts['same']} unchanged "
        f"({counts['not_modified']} by 304), {counts['moved']} moved, {counts['gone']} gone{told}, "
        f"{counts['failed']} failed; {counts['refused']} refused by robots.txt{unread}",
        f"{requests}, {size(counts['received_bytes'])} received, "
        f"{size(counts['spared_bytes'])} spared by conditional requests",
    ]
    return "\n".join(lines)
