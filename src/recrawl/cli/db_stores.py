"""`db init`, `db copy`, `db upgrade`: stores in files and in PostgreSQL databases."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from recrawl.cli.options import folder_argument, json_option, the_folder
from recrawl.cli.paint import line
from recrawl.model.failure import NotFound


@click.command()
@click.argument("dsn")
@click.option(
    "--partitions",
    type=click.IntRange(1, 65536),
    default=1024,
    show_default=True,
    help="Into how many parts servers are dealt out; fixed for good. Many times the number of workers.",
)
@click.option(
    "--shard",
    "shards",
    multiple=True,
    metavar="DSN",
    help="One more database, on a server of its own, that takes its share of the partitions; may be repeated.",
)
@json_option
def init(dsn: str, partitions: int, shards: tuple[str, ...], as_json: bool) -> None:
    """Make recrawl's tables in the PostgreSQL database DSN (postgresql://user@host:5432/name).

    The database itself must be there (`createdb`). Where the tables are made already, nothing is changed.
    """
    from recrawl.store.address import name_of
    from recrawl.store.postgres import create_postgres, open_postgres
    from recrawl.store.revision import REVISION
    from recrawl.store.shared.shards import deal_out

    made = create_postgres(dsn, partitions)
    if shards:
        deal_out(dsn, shards)
    store = open_postgres(dsn, readonly=True)
    kept = store.partitions
    store.close()
    if as_json:
        line({"store": name_of(dsn), "made": made, "schema": REVISION, "partitions": kept, "shards": len(shards)})
        return
    among = f" among {1 + len(shards)} databases" if shards else ""
    what = f"tables {'made' if made else 'are there already'} (schema {REVISION}, {kept} partitions{among})"
    click.echo(f"{name_of(dsn)}: {what}. Next: recrawl run --store {name_of(dsn)}")


@click.command()
@folder_argument
def upgrade(folder: str | None, folder_word: str | None) -> None:
    """Bring the store of a folder, or the one at postgresql://…, to this version's form.

    Nothing is lost; a run must not be going on.
    """
    from recrawl.folder.settings import load
    from recrawl.store.address import is_postgres
    from recrawl.store.upgrade import upgrade_sqlite

    if folder_word and is_postgres(folder_word):
        _upgrade_postgres(folder_word)
        return
    place = the_folder(folder, folder_word).need()
    if address := load(place).state.store:
        _upgrade_postgres(address)
        return
    if not place.database.exists():
        raise NotFound(f"nothing crawled in {place.path} yet: there is no store to upgrade")
    with place.locked():
        _tell(str(place.database), *upgrade_sqlite(place.database))


def _upgrade_postgres(dsn: str) -> None:
    from recrawl.store.address import name_of
    from recrawl.store.upgrade import shards_of, upgrade_postgres

    _tell(name_of(dsn), *upgrade_postgres(dsn))
    for shard in shards_of(dsn):
        _tell(name_of(shard), *upgrade_postgres(shard))


def _tell(where: str, before: str, after: str) -> None:
    click.echo(f"{where}: {'already' if before == after else f'from {before} to'} {after}")


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@json_option
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy the state from one store to another: FROM and TO are folders or postgresql://… databases.

    TO must be new or empty. The archive (WARC files), settings and site files are not the store's: they stay where they
    are. What is copied is one moment of FROM, also while it is in use; one with shards must not be in use. A TO made
    with shards (`recrawl db init TO --shard DSN`) deals the rows out among them.
    """
    from recrawl.folder.moving import move, opened, rows_of

    with opened(source, target) as (here, there), _progress(rows_of(here), quiet=as_json) as tell:
        copied = move(here, there, tell)
    if as_json:
        line({"from": here.where, "to": there.where, "rows": copied})
    else:
        click.echo(f"{here.where} → {there.where}: {sum(copied.values())} rows of {len(copied)} tables")


@contextmanager
def _progress(total: int, quiet: bool) -> Iterator[Callable[[str, int], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda table, rows: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("copying", total=total)
        yield lambda table, rows: progress.update(task, advance=rows, description=table)
