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


def the_folder(option: str | None, word: str | None = None) -> Folder:
    if option and word and Path(option) != Path(word):
        raise UsageError(f"two folders given, {word!r} and {option!r}: name one")
    return Folder(Path(word or option or "."))
