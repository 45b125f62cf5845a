"""`db`: the store itself."""

import click

from recrawl.cli.options import folder_argument, the_folder
from recrawl.model.failure import NotFound


@click.group()
def db() -> None:
    """The store itself: bring it up to date."""


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
