"""Options that many commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from recrawl.folder.folder import Folder
from recrawl.model.failure import UsageError

Command = Callable[..., Any]


def folder_option(command: Command) -> Command:
    return click.option(
        "--folder",
        "-C",
        "folder",
        default=None,
        envvar="RECRAWL_FOLDER",
        metavar="DIR",
        help="The folder of the crawl (default: the current one).",
    )(command)


def folder_argument(command: Command) -> Command:
    """Takes the folder as a word of its own too: `recrawl run DIR` and `recrawl run --folder DIR` are the same."""
    return click.argument("folder_word", required=False, metavar="[DIR]")(folder_option(command))


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable: JSON, one object a line.")(command)


def beyond_budget_option(command: Command) -> Command:
    told = "Ask even if the day's budget is spent, and do not count it."
    return click.option("--beyond-budget", is_flag=True, help=told)(command)


def folder_of_site_file(option: str | None, file: Path | None) -> Folder:
    """The folder named; else, where this is none, the one whose site file this is."""
    here = the_folder(option)
    around = Folder(file.parent.parent) if file is not None and file.parent.name == here.sites_folder.name else here
    return around if option is None and not here.exists() and around.exists() else here


def the_folder(option: str | None, word: str | None = None) -> Folder:
    if option and word and Path(option) != Path(word):
        raise UsageError(f"two folders given, {word!r} and {option!r}: name one")
    return Folder(Path(word or option or "."))
