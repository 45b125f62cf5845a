"""`changes`: the feed."""

import time

import click

from recrawl.cli.options import folder_argument, json_option, the_folder
from recrawl.cli.paint import line, when
from recrawl.engine.facts import change_object
from recrawl.engine.reading import reading
from recrawl.formats import moment
from recrawl.model.event import CHANGES, Event, EventKind

POLL_S = 0.5
BATCH = 1000


@click.command()
@folder_argument
@click.option("--since", metavar="CURSOR|TIME", help="From a cursor on, or from a time: 2026-11-01, 2h (ago).")
@click.option("--site", help="Only of this site.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice([kind.value for kind in CHANGES]), help="Only these kinds."
)
@click.option("--limit", type=click.IntRange(1), default=None, help="At most this many.")
@click.option("--follow", is_flag=True, help="Go on as changes are found.")
@json_option
def changes(
    folder: str | None,
    folder_word: str | None,
    since: str | None,
    site: str | None,
    kinds: tuple[str, ...],
    limit: int | None,
    follow: bool,
    as_json: bool,
) -> None:
    """What changed, oldest first. Every line has a cursor; `--since CURSOR` goes on after it, nothing lost or twice."""
    wanted = [EventKind(kind) for kind in kinds] or list(CHANGES)
    with reading(the_folder(folder, folder_word)) as found:
        cursor, since_at = moment.cursor_or_time(since, time.time()) if since else (0, 0.0)
        left = limit
        while True:
            events = found.store.events(cursor, wanted, BATCH, since_at)
            for event in events:
                cursor = event.cursor
                if site and event.site != site:
                    continue
                _tell(event, as_json)
                left = None if left is None else left - 1
                if left == 0:
                    return
            if not follow and len(events) < BATCH:
                return
            if len(events) < BATCH:
                time.sleep(POLL_S)


def _tell(event: Event, as_json: bool) -> None:
    if as_json:
        line(change_object(event))
        return
    share = f" {event.share_changed:.1%}" if event.share_changed is not None else ""
    target = f" -> {event.facts['target']}" if "target" in event.facts else ""
    click.echo(f"{event.cursor:>8}  {when(event.at)}  {event.kind.value:<8}{share:>7}  {event.url}{target}")
