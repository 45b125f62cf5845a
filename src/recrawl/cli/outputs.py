"""Files that a command was told to write: what stands in the way is said in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from recrawl.agent.whole import write_whole
from recrawl.model.failure import UsageError


@contextmanager
def writing(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}; name another place") from error


def need_folder(output: Path) -> None:
    """A path with a slip in it is not made true."""
    if not output.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {output.parent}: make it first, or name another place")


def make_room(output: Path | None) -> None:
    """Before long work, not after it; what the lab writes may have a folder of its own."""
    if output is not None:
        with writing(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            output.touch()


def put(text: str, output: Path | None) -> None:
    """Whole or not at all; None: to the standard output."""
    if output is None:
        click.echo(text, nl=False)
        return
    need_folder(output)
    with writing(output):
        write_whole(output, text.encode("utf-8"))
