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


def make_room(output: Path | None) -> None:
    """Before long work, not after it."""
    if output is not None:
        with writing(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            output.touch()


def put(text: str, output: Path | None) -> None:
    """Whole or not at all; None: to the standard output."""
    if output is None:
        click.echo(text, nl=False)
        return
    with writing(output):
        write_whole(output, text.encode("utf-8"))
