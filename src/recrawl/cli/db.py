"""`db`: the store itself."""

from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click

from recrawl.cli.db_stores import copy, init, upgrade
from recrawl.cli.kinds import Duration
from recrawl.cli.options import folder_option, json_option, the_folder
from recrawl.cli.paint import counted, line, size
from recrawl.folder.folder import Folder
from recrawl.formats import duration
from recrawl.model.failure import UsageError


@click.group()
def db() -> None:
    """The store itself: make it, bring it up to date, copy it, make it smaller."""


for command in (init, upgrade, copy):
    db.add_command(command)


@db.command()
@click.argument("target", type=click.Path(path_type=Path))
@folder_option
@json_option
def backup(target: Path, folder: str | None, as_json: bool) -> None:
    """Copy a folder to TARGET while it is in use: state, versions, settings, site files.

    TARGET is a folder like any other: run, search or serve it, or move it to where the first one was. Into an older
    backup only what is new is copied.
    """
    from recrawl.folder.backup import back_up
    from recrawl.folder.settings import load

    place = the_folder(folder).need()
    if load(place).state.store:
        raise UsageError(
            f"the state of {place.path} is in PostgreSQL: back it up with pg_dump first, then copy {place.archive}; "
            f"or copy it to a new folder with `recrawl db copy postgresql://… DIR`"
        )
    made = back_up(place, Folder(target))
    if as_json:
        line({"target": str(target), **asdict(made)})
        return
    archive = f"{size(made.archive_bytes)} new in {made.archive_files} archive files"
    click.echo(f"{place.path} → {target}: {size(made.state_bytes)} of state, {archive}")


@db.command()
@click.option(
    "--older",
    "older_s",
    type=Duration(),
    default="90d",
    show_default=True,
    metavar="TIME",
    help="How long visits are kept: 90d, 26w.",
)
@folder_option
@json_option
def compact(older_s: float, folder: str | None, as_json: bool) -> None:
    """Forget old visits that proved no change, also while a run is going on.

    Versions, changes, beliefs and totals stay as they are; `recrawl history` shows less of what was the same. The space
    is used again for what comes (a file does not shrink).
    """
    from recrawl.engine.clock import SystemClock
    from recrawl.folder.opening import open_store
    from recrawl.folder.settings import load

    before_at = SystemClock().now() - older_s
    place = the_folder(folder).need()
    with closing(open_store(place, load(place))) as store:
        forgotten = store.compact(before_at)
    if as_json:
        line({"forgotten": forgotten, "before": before_at})
    else:
        click.echo(
            f"{counted(forgotten, 'visit')} that proved no change, older than {duration.render(older_s)}, forgotten"
        )
