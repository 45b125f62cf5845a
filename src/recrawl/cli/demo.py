"""`demo`: a living site on loopback, kept fresh before your eyes."""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from recrawl.cli.kinds import Duration
from recrawl.cli.paint import line
from recrawl.engine.clock import FastClock
from recrawl.folder.folder import Folder
from recrawl.formats import duration
from recrawl.lab.demo import SPEED, Standing, demo_clock, demonstrate


@click.command()
@click.option(
    "--for", "for_s", type=Duration(), envvar="RECRAWL_DEMO_FOR", metavar="20s", help="End by itself after this time."
)
@click.option("--folder", type=click.Path(path_type=Path), help="Keep the crawl here (default: thrown away).")
@click.option("--json", "as_json", is_flag=True, help="The summary as JSON.")
def demo(for_s: float | None, folder: Path | None, as_json: bool) -> None:
    """Crawl a living site on loopback and watch it stay fresh, with fewer requests than a daily crawl.

    The town of six servers has pages of every temper: static, hourly, by day and by night, noisy, lists and details,
    Korean and Japanese, a failing server, a slow one, one that asks for more patience than its pages have.
    """
    with contextlib.ExitStack() as stack:
        place = Folder(folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recrawl-demo-"))))
        if not as_json:
            hours = duration.render(SPEED)
            click.echo(f"A town of six servers on loopback; a second here is {hours} there. Ctrl-C ends it.")
        clock = demo_clock()
        if not as_json:
            stack.enter_context(_dashboard(place, clock))
        show = stack.enter_context(_screen(quiet=as_json))
        last = asyncio.run(_until_stopped(place, for_s, show, clock))
    _summary(last, as_json)


@contextlib.contextmanager
def _dashboard(place: Folder, clock: FastClock) -> Iterator[None]:
    """The town in a browser, where the extra `web` is installed; on the usual port or any other."""
    try:
        from recrawl.web.serving import beside, free_port
        from recrawl.web.settings import WebSettings
    except ModuleNotFoundError:
        click.echo("No dashboard: it needs pip install 'recrawl[web]'.")
        yield
        return
    with beside(place, WebSettings(port=free_port(), log=False), clock.now) as address:
        click.echo(f"Dashboard: {address}")
        yield


async def _until_stopped(
    place: Folder, for_s: float | None, show: Callable[[Standing], None], clock: FastClock
) -> Standing:
    """Ctrl-C is a fine way to end it."""
    latest: list[Standing] = []

    def keep(standing: Standing) -> None:
        latest.append(standing)
        del latest[:-1]
        show(standing)

    task = asyncio.create_task(demonstrate(place, for_s, keep, clock))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if not latest:
            raise
        return latest[-1]


def _summary(last: Standing, as_json: bool) -> None:
    if as_json:
        line(
            {
                "days": round(last.days, 2),
                "pages": last.pages,
                "requests": last.requests,
                "daily_requests": last.daily_requests,
                "requests_saved": round(last.saved, 4),
                "mean_freshness": round(last.mean_fresh, 4),
                "daily_mean_freshness": round(last.daily_mean_fresh, 4),
                "changes": last.changes,
                "not_modified": last.not_modified,
                "failed": last.failed,
            }
        )
        return
    click.echo(
        f"\nIn {last.days:.1f} days of the town recrawl kept {last.kept} of {last.pages} pages "
        f"with {last.requests} requests ({last.not_modified} answered 304) and found {last.changes} changes.\n"
        f"Freshness on average {last.mean_fresh:.1%}; a daily crawl of the same pages: {last.daily_mean_fresh:.1%} "
        f"with {last.daily_requests} requests."
    )
    if last.saved > 0:
        click.echo(f"Requests saved: {last.saved:.0%}.")


@contextlib.contextmanager
def _screen(quiet: bool) -> Iterator[Callable[[Standing], None]]:
    if quiet:
        yield lambda standing: None
    elif sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        with _live() as show:
            yield show
    else:
        yield _plain()


def _plain() -> Callable[[Standing], None]:
    told_day = -1

    def show(standing: Standing) -> None:
        nonlocal told_day
        if int(standing.days) > told_day:
            told_day = int(standing.days)
            click.echo(
                f"day {told_day:>3}  fresh {standing.fresh:6.1%}  daily crawl {standing.daily_fresh:6.1%}  "
                f"requests {standing.requests:>5} against {standing.daily_requests:>5}  changes {standing.changes}"
            )

    return show


@contextlib.contextmanager
def _live() -> Iterator[Callable[[Standing], None]]:
    from rich.console import Group
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    with Live(auto_refresh=False) as live:

        def show(standing: Standing) -> None:
            bars = Table.grid(padding=(0, 2))
            for name, share in (("recrawl", standing.fresh), ("daily crawl", standing.daily_fresh)):
                bars.add_row(name, ProgressBar(total=1.0, completed=share, width=50), f"{share:.1%} fresh now")
            facts = Table.grid(padding=(0, 2))
            facts.add_row("day of the town", f"{standing.days:.1f}")
            facts.add_row("requests", f"{standing.requests} against {standing.daily_requests} of a daily crawl")
            facts.add_row("mean freshness", f"{standing.mean_fresh:.1%} against {standing.daily_mean_fresh:.1%}")
            answers = f"{standing.changes}; 304: {standing.not_modified}; failed: {standing.failed}"
            facts.add_row("changes found", answers)
            news = Table.grid(padding=(0, 2))
            for event in standing.newest[-6:]:
                news.add_row(event.kind.value, event.url)
            live.update(Group(bars, facts, news), refresh=True)

        yield show
