"""`changes`: the feed."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice

import click

from recrawl.answers.facts import change_object
from recrawl.answers.feed import change_with_text, need_cursor
from recrawl.answers.indexing import READER, reader_of
from recrawl.answers.reading import Reading, reading
from recrawl.archive.folder import WarcArchive
from recrawl.cli.kinds import CursorOrMoment
from recrawl.cli.options import folder_argument, json_option, refuse_idle, the_folder
from recrawl.cli.paint import line, when
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.folder.settings import load
from recrawl.messages.webhooks import Tell, couriers
from recrawl.model.event import CHANGES, Event, EventKind
from recrawl.model.failure import TooManyFailures, UsageError
from recrawl.ports import Store

POLL_S = 0.5
BATCH = 1000
MOST = 1_000_000_000


@click.command()
@folder_argument
@click.option(
    "--since",
    type=CursorOrMoment(),
    default=(0, 0.0),
    metavar="CURSOR|TIME",
    help="From a cursor on, or from a time: 2026-11-01, 2h (ago).",
)
@click.option("--site", default="", help="Only of this site.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice([kind.value for kind in CHANGES]), help="Only these kinds."
)
@click.option("--limit", type=click.IntRange(1, MOST), default=None, help="At most this many.")
@click.option("--follow", is_flag=True, help="Go on as changes are found.")
@click.option("--text", "with_text", is_flag=True, help="With title, language and main text of each version, as JSON.")
@click.option(
    "--deliver",
    is_flag=True,
    help="Send what the webhooks of recrawl.toml have not seen yet; exit code 4: one did not take it.",
)
@json_option
def changes(
    folder: str | None,
    folder_word: str | None,
    since: tuple[int, float],
    site: str,
    kinds: tuple[str, ...],
    limit: int | None,
    follow: bool,
    with_text: bool,
    deliver: bool,
    as_json: bool,
) -> None:
    """What changed, oldest first. Every line has a cursor; `--since CURSOR` goes on after it, nothing lost or twice.

    With --text it is what a search engine or a language model's store syncs from: a page that moved or was removed
    is a line without text.
    """
    if deliver:
        refuse_idle(
            "each webhook gets what it has not seen, as [webhooks] in recrawl.toml says; leave it out beside --deliver",
            *("since", "site", "kinds", "limit", "with_text"),
        )
        _deliver(the_folder(folder, folder_word), follow, as_json)
        return
    wanted = [EventKind(kind) for kind in kinds] or list(CHANGES)
    with reading(the_folder(folder, folder_word)) as found:
        texts = _texts(found) if with_text else None
        only = found.site(site)
        need_cursor(found.store, since[0])
        told = (event for event in _told(found.store, since, wanted, follow) if not only or event.site == only)
        for event in islice(told, limit):
            _tell(event, as_json, texts)


def _told(store: Store, since: tuple[int, float], wanted: Sequence[EventKind], follow: bool) -> Iterator[Event]:
    """Oldest first; with `follow` it waits for more and never ends."""
    cursor, since_at = since
    while True:
        events = store.events(cursor, wanted, BATCH, since_at)
        yield from events
        cursor = events[-1].cursor if events else cursor
        if len(events) < BATCH:
            if not follow:
                return
            time.sleep(POLL_S)


def _texts(found: Reading) -> Tell:
    archive = WarcArchive(found.folder.archive, READER, found.settings.archive, time.time, str)
    read = reader_of(found.folder, found.settings, archive)
    return lambda event: change_with_text(event, found.store, read)


def _deliver(place: Folder, follow: bool, as_json: bool) -> None:
    settings = load(place.need())
    if not settings.webhooks.urls:
        raise UsageError('no webhook is set: [webhooks] urls = ["https://…"] in recrawl.toml')

    def complain(text: str) -> None:
        click.echo(f"recrawl: {text}", err=True)

    sent = 0
    with closing(open_store(place, settings)) as store, couriers(place, settings, store, complain) as all_of_them:
        while (more := all_of_them.deliver()) or follow:
            sent += more
            if not more:
                time.sleep(POLL_S)
        left, failing = all_of_them.behind(), all_of_them.failing()
    line({"delivered": sent, "left": left}) if as_json else click.echo(f"{sent} delivered, {left} left")
    if failing:
        sys.exit(TooManyFailures.exit_code)


def _tell(event: Event, as_json: bool, texts: Tell | None) -> None:
    if texts is not None:
        line(texts(event))
        return
    if as_json:
        line(change_object(event))
        return
    share = f" {event.share_changed:.1%}" if event.share_changed is not None else ""
    target = f" -> {event.facts['target']}" if "target" in event.facts else ""
    click.echo(f"{event.cursor:>8}  {when(event.at)}  {event.kind.value:<8}{share:>7}  {event.url}{target}")
