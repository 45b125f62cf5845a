"""Progress of a run: a bar on a terminal, one JSON line a minute otherwise."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from recrawl.cli.paint import size
from recrawl.engine.tally import Board

Tick = Callable[[Board], None]
LINE_EVERY_S = 60.0


@contextmanager
def watcher(quiet: bool) -> Iterator[Tick]:
    """What to call with the board now and then."""
    if quiet:
        yield lambda board: None
    elif sys.stderr.isatty():
        with _bar() as tick:
            yield tick
    else:
        yield _lines()


@contextmanager
def _bar() -> Iterator[Tick]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True) as progress:
        task = progress.add_task("starting", total=None)

        def tick(board: Board) -> None:
            counts = board.as_dict()
            done = counts["visits"] + counts["refused"]
            text = (
                f"{counts['visits']} visits · {counts['new']} new · {counts['changed']} changed · "
                f"{counts['not_modified']} not modified · {counts['failed']} failed · {size(counts['received_bytes'])}"
            )
            progress.update(task, description=text, completed=done, total=max(done, counts["entered"]) or None)
            progress.refresh()

        yield tick


def _lines() -> Tick:
    told = time.monotonic()

    def tick(board: Board) -> None:
        nonlocal told
        if time.monotonic() - told >= LINE_EVERY_S:
            told = time.monotonic()
            print(json.dumps(board.as_dict()), file=sys.stderr, flush=True)

    return tick
