"""`doctor`: is everything in order?"""

import sys
from collections.abc import Iterator

import click

from recrawl.answers.checkup import Finding, folder_itself, machine, reach
from recrawl.cli.options import folder_argument, json_option, the_folder
from recrawl.cli.paint import line
from recrawl.folder.folder import Folder


@click.command()
@folder_argument
@click.option("--offline", is_flag=True, help="Ask no server, no storage and no name server.")
@click.option("--deep", is_flag=True, help="Look through the whole store, however large.")
@json_option
def doctor(folder: str | None, folder_word: str | None, offline: bool, deep: bool, as_json: bool) -> None:
    """Check version, clock, disk, limits, settings, site files, store and archive, then the object storage if there
    is one, names and robots.txt of the first five sites; say what to do.

    Asking for robots.txt counts against the budgets; a server whose budget is spent or whose window is closed is not
    asked. Exit code 1: something is wrong.
    """
    bad = 0
    for one in _findings(the_folder(folder, folder_word), offline, deep):
        bad += not one.good
        if as_json:
            line({"check": one.name, "ok": one.good, "says": one.says})
        else:
            mark = click.style("ok  ", fg="green") if one.good else click.style("BAD ", fg="red")
            click.echo(f"{mark}{one.name:<10} {one.says}")
    sys.exit(1 if bad else 0)


def _findings(folder: Folder, offline: bool, deep: bool) -> Iterator[Finding]:
    yield from machine(folder)
    if not folder.exists():
        yield Finding(
            "folder", True, f"{folder.path} is no recrawl folder yet: `recrawl add URL --folder {folder.path}`"
        )
        return
    yield from folder_itself(folder, deep)
    if not offline:
        yield from reach(folder)
