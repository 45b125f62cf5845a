"""`history`, `show`, `diff`: the versions of one page."""

import sys
from bisect import bisect_left
from collections.abc import Iterable, Sequence

import click

from recrawl.answers.facts import visit_object
from recrawl.answers.reading import reading
from recrawl.cli.kinds import Moment
from recrawl.cli.options import folder_option, json_option, the_folder
from recrawl.cli.paint import counted, iso, line, size, table, when
from recrawl.detect.difference import SegmentKind, differ, unified
from recrawl.model.visit import Version, Visit

MOST_VISITS = 100_000  # told of one page; `export --table visits` has them all
VISIT_KEYS = ("at", "why", "status", "verdict", "failure", "bytes")


@click.command()
@click.argument("url")
@folder_option
@json_option
def history(url: str, folder: str | None, as_json: bool) -> None:
    """Every kept version of URL and the visits between, newest first.

    As JSON a line for each version, with the visits from then until the next.
    """
    with reading(the_folder(folder)) as found:
        page = found.page(url)
        versions = found.store.versions(page.id)
        visits = found.store.visits(page.id, MOST_VISITS)
    if as_json:
        for one, between in zip(versions, _between(versions, visits), strict=True):
            line(_version_object(one, between))
        return
    click.echo(f"{page.url}: {counted(len(versions), 'version')}, {counted(page.visits, 'visit')}")
    if versions:
        table(("version of", "size", "changed", "digest", "in"), map(_version_row, versions))
    if visits:
        click.echo()
        told = [visit_object(visit) for visit in visits]
        table(VISIT_KEYS, [["-" if one[key] is None else one[key] for key in VISIT_KEYS] for one in told])


def _between(versions: Sequence[Version], visits: Iterable[Visit]) -> list[list[Visit]]:
    """Of each version the visits from then until the next; both newest first."""
    found: list[list[Visit]] = [[] for _ in versions]
    for visit in visits:
        place = bisect_left(versions, -visit.at, key=lambda version: -version.at)
        if place < len(versions):
            found[place].append(visit)
    return found


def _version_row(one: Version) -> tuple[str, ...]:
    changed = "first" if one.share_changed is None else f"{one.share_changed:.1%}"
    return when(one.at), size(one.body_bytes), changed, one.digest[:19], one.warc_file


def _version_object(one: Version, visits: list[Visit]) -> dict[str, object]:
    return {
        "at": iso(one.at),
        "digest": one.digest,
        "bytes": one.body_bytes,
        "text_bytes": one.text_bytes,
        "share_changed": one.share_changed,
        "content_type": one.content_type,
        "warc": {"file": one.warc_file, "offset": one.warc_offset, "length": one.warc_length},
        "visits": list(map(visit_object, visits)),
    }


@click.command()
@click.argument("url")
@folder_option
@click.option(
    "--at", "at", type=Moment(), metavar="TIME", help="The version current at that time: 2026-11-01, 2h (ago)."
)
@click.option("--text", "as_text", is_flag=True, help="The main text instead of the bytes.")
@click.option("--headers", "with_headers", is_flag=True, help="The response's headers first.")
def show(url: str, folder: str | None, at: float | None, as_text: bool, with_headers: bool) -> None:
    """Print the kept copy of URL, byte for byte as it was sent (content coding undone)."""
    with reading(the_folder(folder)) as found:
        page = found.page(url)
        version = found.version(page, at)
        payload = found.payload(version)
        if with_headers:
            click.echo(f"HTTP {payload.status}")
            for name, value in payload.headers:
                click.echo(f"{name}: {value}")
            click.echo()
        if as_text:
            click.echo(found.document(page, version).text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(payload.body)
            sys.stdout.buffer.flush()


@click.command()
@click.argument("url")
@folder_option
@click.option(
    "--from",
    "from_at",
    type=Moment(),
    metavar="TIME",
    help="Compare the version current at that time (default: the one before).",
)
@click.option(
    "--to", "to_at", type=Moment(), metavar="TIME", help="With the version current at that time (default: the newest)."
)
@json_option
def diff(url: str, folder: str | None, from_at: float | None, to_at: float | None, as_json: bool) -> None:
    """What changed in the text of URL between two versions (default: the last two)."""
    with reading(the_folder(folder)) as found:
        page = found.page(url)
        new = found.version(page, to_at)
        old = found.version(page, from_at) if from_at is not None else found.version(page, to_at, back=1)
        before, after = found.document(page, old).main, found.document(page, new).main
        if as_json:
            found_difference = differ(before, after)
            line(
                {
                    "url": page.url,
                    "from": iso(old.at),
                    "to": iso(new.at),
                    "share_changed": found_difference.share,
                    "changed_bytes": found_difference.changed_bytes,
                    "segments": [
                        {"kind": one.kind.value, "text": one.text}
                        for one in found_difference.segments
                        if one.kind is not SegmentKind.SAME
                    ],
                }
            )
            return
        click.echo(f"--- {when(old.at)}\n+++ {when(new.at)}")
        colours = {"+": "green", "-": "red", "@": "cyan"}
        for text in unified(before, after):
            click.secho(text, fg=colours.get(text[:1]))
