"""`notices`: what came, what it proved to be, and how far each source is believed."""

from itertools import islice

import click

from recrawl.cli.options import folder_option, json_option, the_folder
from recrawl.cli.paint import iso, line, table, when
from recrawl.engine.reading import Reading, reading
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.notices import trust as trusts

WORDS = {NoticeKind.ADDED: "new", NoticeKind.UPDATED: "updated", NoticeKind.DELETED: "deleted"}
PROVED = {True: "true", False: "false", None: "not yet judged"}


@click.group(invoke_without_command=True)
@folder_option
@click.option("--url", default=None, help="Only of this page.")
@click.option("--source", type=click.Choice([one.value for one in Source]), default=None, help="Only from this source.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many, newest first.")
@json_option
@click.pass_context
def notices(
    context: click.Context, folder: str | None, url: str | None, source: str | None, limit: int, as_json: bool
) -> None:
    """What others said of pages, newest first, and what it proved to be."""
    context.obj = folder
    if context.invoked_subcommand is not None:
        return
    with reading(the_folder(folder)) as found:
        page = found.page(url).id if url else None
        chosen = (one for one in found.store.notices(page, 100_000) if source in (None, one.source.value))
        told = list(islice(chosen, limit))
    if as_json:
        for one in told:
            line(_object(one))
    else:
        rows = [(when(one.at), one.source.value, WORDS[one.kind], PROVED[one.proved], one.url) for one in told]
        table(("at", "source", "says", "proved", "page"), rows)


@notices.command()
@folder_option
@json_option
@click.pass_context
def trust(context: click.Context, folder: str | None, as_json: bool) -> None:
    """How far each source is believed, by site: of its notices how many were right, of the changes how many it told."""
    with reading(the_folder(folder or context.obj)) as found:
        rows = trust_of(found)
    if as_json:
        for row in rows:
            line(row)
        return
    heads = ("site", "source", "notices", "precision", "recall", "listened to")
    table(heads, [[_cell(row[name.replace(" ", "_")]) for name in heads] for row in rows])


def trust_of(found: Reading) -> list[dict[str, object]]:
    return [
        {
            "site": site.name,
            "source": source.value,
            "notices": record.notices,
            "precision": round(record.precision, 3),
            "recall": None if record.recall is None else round(record.recall, 3),
            "right": round(record.right, 2),
            "wrong": round(record.wrong, 2),
            "missed": round(record.missed, 2),
            "listened_to": not record.ignored,
        }
        for site in found.folder.sites()
        for source, record in trusts.read(found.store.memo(trusts.memo_key(site.name))).items()
    ]


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else str(value)


def _object(one: Notice) -> dict[str, object]:
    return {
        "at": iso(one.at),
        "source": one.source.value,
        "kind": one.kind.value,
        "url": one.url,
        "proved": one.proved,
    }
