"""`export`: take what is kept away."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from recrawl.answers.reading import reading
from recrawl.cli.options import folder_argument, json_option, refuse_idle, the_folder
from recrawl.cli.paint import line
from recrawl.exchange.export import FORMATS, Export
from recrawl.exchange.export_tables import TABLES
from recrawl.model.failure import UsageError

STREAMS = ("jsonl", "csv", "warc")
TABULAR = ("jsonl", "csv", "parquet")


@click.command()
@folder_argument
@click.option("--format", "form", type=click.Choice(FORMATS), default="jsonl", show_default=True, help="What to make.")
@click.option("--output", "-o", metavar="FILE", default="-", help="Where to (default: the standard output).")
@click.option(
    "--table",
    type=click.Choice(list(TABLES)),
    default="pages",
    show_default=True,
    help="Of what, for jsonl, csv and parquet.",
)
@click.option("--site", default="", help="Only of this site.")
@click.option("--text/--no-text", default=True, help="With title, language and main text of each page's newest copy.")
@json_option
def export(
    folder: str | None,
    folder_word: str | None,
    form: str,
    output: str,
    table: str,
    site: str,
    text: bool,
    as_json: bool,
) -> None:
    """Take pages, versions, visits, changes or records away: JSON lines, CSV, Parquet, WARC, WACZ, or a static mirror.

    A file is written whole or not at all. WARC and WACZ hold every version with what recrawl believes of each page, so
    that `recrawl import` can start from there. --json is for what is told of a file that was written: with the
    standard output it goes with jsonl only.
    """
    if output == "-" and form not in STREAMS:
        raise UsageError(f"{form} cannot go to the standard output: name a file with --output")
    if output == "-" and sys.stdout.isatty() and form == "warc":
        raise UsageError("a WARC is not for terminals: name a file with --output")
    if output == "-" and form != "jsonl":
        refuse_idle(f"the standard output is the {form} itself; say --format jsonl, or --output FILE", "as_json")
    if form not in TABULAR:
        refuse_idle(f"{form} is made of everything that is kept; it goes with {', '.join(TABULAR)}", "table")
    elif table != "pages" and text:
        refuse_idle(f"a row of {table} has no text; it goes with --table pages", "text")
    with reading(the_folder(folder, folder_word)) as found:
        site = found.site(site)
        with _progress(found.store.totals(site).pages, quiet=output == "-" or as_json) as seen:
            making = Export(found, site, text, seen)
            if output == "-":
                sys.stdout.flush()
                making.to_stream(form, table, sys.stdout.buffer)
                sys.stdout.buffer.flush()
                return
            count = making.to_file(form, table, Path(output))
    if as_json:
        line({"format": form, "output": output, "count": count})
    else:
        what = {"warc": "versions", "wacz": "versions", "mirror": "files"}.get(form, table)
        click.echo(f"{count} {what} written to {output}")


@contextmanager
def _progress(pages: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda seen: None
        return
    with click.progressbar(length=pages, label="exporting", file=sys.stderr) as bar:
        yield bar.update
