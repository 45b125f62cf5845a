"""`history`, `show`, `diff`: the versions of one page."""

import sys

import click

from recrawl.answers.reading import reading
from recrawl.cli.kinds import Moment
from recrawl.cli.options import folder_option, json_option, the_folder
from recrawl.cli.paint import counted, iso, line, size, table, when
from recrawl.detect.difference import SegmentKind, differ, unified


@click.command()
@click.argument("url")
@folder_option
@json_option
def history(url: str, folder: str | None, as_json: bool) -> None:
    """Every kept version of URL and the visits between, newest first."""
    with reading(the_folder(folder)) as found:
        page = found.page(url)
        versions = found.store.versions(page.id)
        if as_json:
            for one in versions:
                line(
                    {
                        "at": iso(one.at),
                        "digest": one.digest,
                        "bytes": one.body_bytes,
                        "text_bytes": one.text_bytes,
                        "share_changed": one.share_changed,
                        "content_type": one.content_type,
                        "warc": {"file": one.warc_file, "offset": one.warc_offset, "length": one.warc_length},
                    }
                )
            return
        click.echo(f"{page.url}: {counted(len(versions), 'version')}, {counted(page.visits, 'visit')}")
        rows = [
            (
                when(one.at),
                size(one.body_bytes),
                "first" if one.share_changed is None else f"{one.share_changed:.1%}",
                one.digest[:19],
                one.warc_file,
            )
            for one in versions
        ]
        table(("version of", "size", "changed", "digest", "in"), rows)


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
