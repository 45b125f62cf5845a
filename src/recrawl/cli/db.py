"""`db`: the store itself."""

from dataclasses import asdict
from pathlib import Path

import click

from recrawl.cli.options import folder_argument, folder_option, json_option, the_folder
from recrawl.cli.paint import line, size
from recrawl.engine.folder import Folder
from recrawl.model.failure import NotFound


@click.group()
def db() -> None:
    """The store itself: bring it up to date, copy it."""


@db.command()
@folder_argument
def upgrade(folder: str | None, folder_word: str | None) -> None:
    """Bring the store of a folder to this version's form. Nothing is lost; a run must not be going on."""
    from recrawl.store.upgrade import upgrade_sqlite

    place = the_folder(folder, folder_word).need()
    if not place.database.exists():
        raise NotFound(f"nothing crawled in {place.path} yet: there is no store to upgrade")
    with place.locked():
        before, after = upgrade_sqlite(place.database)
    click.echo(f"{place.database}: {'already' if before == after else f'from {before} to'} {after}")


@db.command()
@click.argument("target", type=click.Path(path_type=Path))
@folder_option
@json_option
def backup(target: Path, folder: str | None, as_json: bool) -> None:
    """Copy a folder to TARGET while it is in use: state, versions, settings, site files.

    TARGET is a folder like any other: run, search or serve it, or move it to where the first one was. Into an older
    backup only what is new is copied.
    """
    from recrawl.engine.backup import back_up

    place = the_folder(folder).need()
    made = back_up(place, Folder(target))
    if as_json:
        line({"target": str(target), **asdict(made)})
        return
    archive = f"{size(made.archive_bytes)} new in {made.archive_files} archive files"
    click.echo(f"{place.path} → {target}: {size(made.state_bytes)} of state, {archive}")
