"""`lab race`: every policy on the same history, at the same budget."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from recrawl.answers.reading import reading
from recrawl.cli.options import the_folder
from recrawl.cli.outputs import make_room, put
from recrawl.lab.race import plot as plots
from recrawl.lab.race import traces as trace_files
from recrawl.lab.race.history import History
from recrawl.lab.race.own_history import traces as own_traces
from recrawl.lab.race.race import DUE, RACED, run
from recrawl.lab.race.scores import Score, json_line, table
from recrawl.lab.race.worlds import WORLDS
from recrawl.model.failure import NotFound, UsageError
from recrawl.schedule import is_own

Make = Callable[[int], History]
BUDGETS = (1 / 30, 1 / 7, 1.0)
MOST_PER_DAY = 24  # the race goes by the hour


@click.command()
@click.argument("more_traces", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@click.option(
    "--trace",
    "trace_paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A trace file; repeatable, and more may follow the options.",
)
@click.option(
    "--traces",
    "folder_of_traces",
    type=click.Path(path_type=Path),
    envvar="RECRAWL_TRACES",
    help="A folder of traces: the 13 sites of the standard race, or all of them if those are not there.",
)
@click.option("--history", type=click.Path(path_type=Path), help="Replay a recrawl folder's own history.")
@click.option(
    "--world", "worlds", multiple=True, type=click.Choice(list(WORLDS)), help="A synthetic world; repeatable."
)
@click.option("--each/--together", default=False, help="Race on each trace alone, or on all as one crawl (default).")
@click.option(
    "--policies",
    help=f"Comma-separated, also your own as package.module:factory; default all but {DUE}, which is `value` with due "
    f"times solved ahead, as a crawl does: {', '.join(RACED)}.",
)
@click.option(
    "--budget", "budgets", multiple=True, help="Visits per page and day, e.g. 1/7; repeatable (1/30, 1/7, 1)."
)
@click.option("--seeds", type=click.IntRange(1, 100), default=2, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One object a line, as each race ends.")
@click.option("--plot", "plot_file", type=click.Path(path_type=Path), help="Write curves and tables as one HTML page.")
def race(
    more_traces: tuple[Path, ...],
    trace_paths: tuple[Path, ...],
    folder_of_traces: Path | None,
    history: Path | None,
    worlds: tuple[str, ...],
    each: bool,
    policies: str | None,
    budgets: tuple[str, ...],
    seeds: int,
    as_json: bool,
    plot_file: Path | None,
) -> None:
    """Race revisit policies on real change histories, synthetic worlds, or your own history.

    Lower stale share is better.

    A policy that knows no budget is given one common factor on its intervals so that all spend the same; those are
    marked. `oracle-…` policies know the true rates and are there to compare with.
    """
    chosen = _policies(policies)
    rates = [_rate(text) for text in budgets] or list(BUDGETS)
    make_room(plot_file)
    histories = list(_histories((*trace_paths, *more_traces), folder_of_traces, history, worlds, each))
    scores: list[Score] = []
    with _progress(quiet=as_json) as tell:
        for score in run(histories, chosen, rates, seeds, tell):
            scores.append(score)
            if as_json:
                click.echo(json_line(score))
    if not as_json:
        click.echo(table(scores))
    if plot_file:
        put(plots.html(scores), plot_file)
        click.echo(f"{plot_file} written", err=True)


def _histories(
    paths: tuple[Path, ...], folder: Path | None, history: Path | None, worlds: tuple[str, ...], each: bool
) -> Iterator[Make]:
    if not (paths or folder or history or worlds):
        raise UsageError("race on what? Say --trace FILE, --traces DIR, --history FOLDER or --world NAME")
    files = [*paths, *(_standard(folder) if folder else ())]
    if history:
        with reading(the_folder(str(history))) as found:
            yield from _sampled(own_traces(found.store), each, "own history")
    if files:
        yield from _sampled([_read(file) for file in files], each, f"{len(files)} sites")
    yield from (WORLDS[name] for name in worlds)


def _sampled(found: list[trace_files.Trace], each: bool, name: str) -> Iterator[Make]:
    if each:
        yield from (partial(_history, [one], one.site) for one in found)
    else:
        yield partial(_history, found, found[0].site if len(found) == 1 else name)


def _history(found: list[trace_files.Trace], name: str, seed: int) -> History:
    return trace_files.sampled(found, seed, name=name)


def _read(file: Path) -> trace_files.Trace:
    if not file.exists():
        raise NotFound(f"there is no trace {file}")
    try:
        return trace_files.read(file)
    except OSError as error:
        raise NotFound(f"cannot read the trace {file}: {error.strerror or error}") from error


def _standard(folder: Path) -> list[Path]:
    files = [file for file in sorted(folder.glob("*.csv.gz")) if not file.name.endswith(".pages.csv.gz")]
    if not files:
        raise NotFound(f"no trace (*.csv.gz) in {folder}")
    thirteen = [file for file in files if file.name.removesuffix(".csv.gz") in trace_files.THIRTEEN]
    return thirteen if len(thirteen) == len(trace_files.THIRTEEN) else files


def _policies(text: str | None) -> list[str]:
    chosen = [name.strip() for name in text.split(",")] if text else [name for name in RACED if name != DUE]
    for name in chosen:
        if name not in RACED and not is_own(name):
            raise UsageError(
                f"there is no policy {name!r}; choose among {', '.join(RACED)}, or name package.module:factory"
            )
    return chosen


def _rate(text: str) -> float:
    above, _, below = text.partition("/")
    try:
        rate = float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        rate = 0.0
    if not 0.0 < rate <= MOST_PER_DAY:
        raise UsageError(
            f"{text!r} is no budget: write visits per page and day up to {MOST_PER_DAY}, for example 1/7 or 0.5"
        )
    return rate


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str, float], None] | None]:
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=1.0)
        yield lambda label, done: bars.update(bar, description=label, completed=done)
