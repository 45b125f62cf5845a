"""Options that many commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

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


def refuse_idle(why: str, *names: str) -> None:
    """Of these parameters, those written on the command line would be ignored: that is said, not done in silence."""
    context = click.get_current_context()
    idle = [one for one in context.command.params if one.name in names and _is_written(context, one)]
    if idle:
        told = [one.opts[0] if isinstance(one, click.Option) else str(one.name) for one in idle]
        raise UsageError(f"{' and '.join(sorted(told))}: {why}")


def _is_written(context: click.Context, one: click.Parameter) -> bool:
    name = one.name or ""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE and context.params[name] not in ((), "")


def folder_of_site_file(option: str | None, file: Path | None) -> Folder:
    """The folder named; else, where this is none, the one whose site file this is."""
    here = the_folder(option)
    around = Folder(file.parent.parent) if file is not None and file.parent.name == here.sites_folder.name else here
    return around if option is None and not here.exists() and around.exists() else here


def the_folder(option: str | None, word: str | None = None) -> Folder:
    if option and word and Path(option) != Path(word):
        raise UsageError(f"two folders given, {word!r} and {option!r}: name one")
    return Folder(Path(word or option or "."))
