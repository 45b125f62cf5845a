"""`notices`: what came, what it proved to be, and how far each source is believed."""

import signal
import threading
from itertools import islice

import click

from recrawl.answers.facts import notice_object
from recrawl.answers.reading import reading
from recrawl.cli.options import folder_option, json_option, refuse_idle, the_folder
from recrawl.cli.paint import line, table, when
from recrawl.engine.hearing.heard import trust_rows
from recrawl.folder.push_book import PushBook
from recrawl.messages.push import pushing
from recrawl.messages.push_server import PushServer
from recrawl.model.failure import NotFound
from recrawl.model.notice import NoticeKind, Source
from recrawl.notices.websub import Subscription, Wish

RENEW_EVERY_S = 60.0
MOST = 100_000
WORDS = {NoticeKind.ADDED: "new", NoticeKind.UPDATED: "updated", NoticeKind.DELETED: "deleted"}
PROVED = {True: "true", False: "false", None: "not yet judged"}


@click.group(invoke_without_command=True)
@folder_option
@click.option("--url", default=None, help="Only of this page.")
@click.option("--source", type=click.Choice([one.value for one in Source]), default=None, help="Only from this source.")
@click.option("--limit", type=click.IntRange(1, MOST), default=50, show_default=True, help="Newest first.")
@json_option
@click.pass_context
def notices(
    context: click.Context, folder: str | None, url: str | None, source: str | None, limit: int, as_json: bool
) -> None:
    """What others said of pages, newest first, and what it proved to be."""
    context.obj = folder
    if context.invoked_subcommand is not None:
        refuse_idle(
            f"here it is for the list of notices; options of {context.invoked_subcommand} stand behind its name",
            *("url", "source", "limit", "as_json"),
        )
        return
    with reading(the_folder(folder)) as found:
        page = found.page(url).id if url else None
        chosen = (one for one in found.store.notices(page, MOST) if source in (None, one.source.value))
        told = list(islice(chosen, limit))
    if as_json:
        for one in told:
            line(notice_object(one))
    else:
        rows = [(when(one.at), one.source.value, WORDS[one.kind], PROVED[one.proved], one.url) for one in told]
        table(("at", "source", "says", "proved", "page"), rows)
        if not rows and not url and not source:
            click.echo("nobody has told of a change yet: sitemaps, feeds, agents, pings and webhooks would", err=True)


@notices.command()
@folder_option
@json_option
@click.pass_context
def trust(context: click.Context, folder: str | None, as_json: bool) -> None:
    """How far each source is believed, by site: of its notices how many were right, of the changes how many it told."""
    with reading(the_folder(folder or context.obj)) as found:
        rows = [row for site in found.folder.sites() for row in trust_rows(found.store, site.name)]
    if as_json:
        for row in rows:
            line(row)
        return
    heads = ("site", "source", "notices", "precision", "recall", "lift", "listened to")
    table(heads, [[_cell(row[name.replace(" ", "_")]) for name in heads] for row in rows])
    if not rows:
        click.echo("nobody has told of a change yet, so there is nobody to believe", err=True)


@notices.command()
@click.option("--listen", default="127.0.0.1:8791", show_default=True, metavar="HOST:PORT")
@folder_option
@click.pass_context
def serve(context: click.Context, listen: str, folder: str | None) -> None:
    """Take notices from those who push them: /indexnow, /websub/…, /webhook. Renews WebSub leases by itself."""
    with pushing(the_folder(folder or context.obj)) as push:
        server = PushServer(listen, push)
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        click.echo(f"listening on http://{server.server_address[0]!s}:{server.server_address[1]}/")
        while not stop.wait(RENEW_EVERY_S):
            push.renew()
        server.shutdown()
        thread.join()


@notices.command()
@click.argument("site")
@folder_option
@json_option
@click.pass_context
def token(context: click.Context, site: str, folder: str | None, as_json: bool) -> None:
    """A token for whoever may announce changes of SITE by webhook (Authorization: Bearer TOKEN); replaces the old."""
    with pushing(the_folder(folder or context.obj)) as push:
        made = push.new_token(site)
    line({"site": site, "token": made}) if as_json else click.echo(made)


@notices.command()
@click.argument("topic")
@click.option("--callback", required=True, metavar="URL", help="Where the receiver is seen from outside.")
@folder_option
@json_option
@click.pass_context
def subscribe(context: click.Context, topic: str, callback: str, folder: str | None, as_json: bool) -> None:
    """Subscribe to the feed TOPIC at its WebSub hub.

    The crawl asks the feed for its hub and the hub for the subscription, in their servers' turn; `recrawl serve` (or
    `recrawl notices serve`) must be running to be asked back.
    """
    with pushing(the_folder(folder or context.obj)) as push:
        asked = push.subscribe(topic, callback)
    told = f"the crawl will ask for {asked.topic} and its hub; `recrawl notices subscriptions` shows what came of it"
    line(_subscription(asked)) if as_json else click.echo(told)


@notices.command()
@click.argument("topic")
@folder_option
@json_option
@click.pass_context
def unsubscribe(context: click.Context, topic: str, folder: str | None, as_json: bool) -> None:
    """Leave the WebSub hub of TOPIC."""
    with pushing(the_folder(folder or context.obj)) as push:
        left = push.unsubscribe(topic)
    if not left:
        raise NotFound(f"there is no subscription to {topic}: `recrawl notices subscriptions` lists them")
    line({"topic": topic, "left": len(left)}) if as_json else click.echo(f"{len(left)} subscriptions ended")


@notices.command()
@folder_option
@json_option
@click.pass_context
def subscriptions(context: click.Context, folder: str | None, as_json: bool) -> None:
    """WebSub subscriptions: the hub, until when its lease runs, and what went wrong."""
    found = [_subscription(one) for one in PushBook(the_folder(folder or context.obj).need().path).subscriptions()]
    if as_json:
        for one in found:
            line(one)
    else:
        table(("topic", "hub", "standing"), [(one["topic"], one["hub"], one["standing"]) for one in found])
        if not found:
            click.echo("no subscription: `recrawl notices subscribe TOPIC --callback URL` asks for one", err=True)


def _subscription(one: Subscription) -> dict[str, object]:
    return {
        "topic": one.topic,
        "hub": one.hub,
        "site": one.site,
        "wish": one.wish.value,
        "until_at": one.until_at,
        "standing": one.fault or ("to be asked for by the crawl" if one.waiting else _lease(one)),
    }


def _lease(one: Subscription) -> str:
    if one.until_at is not None:
        return f"until {when(one.until_at)}"
    return "ended" if one.wish is Wish.UNSUBSCRIBE else "asked for, not verified yet"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else str(value)
