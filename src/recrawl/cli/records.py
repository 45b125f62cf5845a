"""`records`: what the pages of a site say, field by field, and how it changed."""

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import click

from recrawl.answers.reading import READER, Reading, reading
from recrawl.answers.record_rows import (
    BrokenWrapper,
    Row,
    broken_pages,
    broken_wrappers,
    changes,
    history,
    newest,
    read_again,
)
from recrawl.archive.documents import DocumentFolder
from recrawl.archive.folder import WarcArchive
from recrawl.cli.kinds import Moment
from recrawl.cli.options import folder_option, json_option, refuse_idle, the_folder
from recrawl.cli.paint import iso, when
from recrawl.cli.records_files import WRITERS, Line, Lines
from recrawl.engine.quarries import canonicaliser_of
from recrawl.engine.settling.wrappers import SiteWrappers
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.folder.settings import load
from recrawl.model.failure import NotFound, UsageError
from recrawl.model.nearest import nearest
from recrawl.model.page import Page
from recrawl.model.record import FieldChange
from recrawl.scope.patterns_site import Script

SAMPLE = 500  # pages whose records are looked at for the names of fields
SHOWN = 20  # of these names


@click.command()
@click.argument("site", required=False, default="")
@folder_option
@click.option("--format", "form", type=click.Choice(list(WRITERS)), default="jsonl", help="Default: jsonl.")
@click.option("--output", "-o", metavar="FILE", help="Write there instead of to the standard output.")
@click.option("--changes", "as_changes", is_flag=True, help="Field by field, what changed from version to version.")
@click.option(
    "--history", "as_history", is_flag=True, help="The records of every kept version, not of the newest alone."
)
@click.option("--broken", "as_broken", is_flag=True, help="The pages whose required fields were not found.")
@click.option("--field", "fields", multiple=True, help="With --changes: only of these fields (price, reviews).")
@click.option(
    "--since",
    "since_at",
    type=Moment(),
    default=0.0,
    metavar="TIME",
    help="With --changes: from a time on: 2026-11-01, 2h (ago).",
)
@click.option(
    "--again", is_flag=True, help="Read every kept version anew by the fields as they are written now; no request."
)
@json_option
def records(
    site: str,
    folder: str | None,
    form: str,
    output: str | None,
    as_changes: bool,
    as_history: bool,
    as_broken: bool,
    fields: tuple[str, ...],
    since_at: float,
    again: bool,
    as_json: bool,
) -> None:
    """The records of SITE (its name, or the address of one page; default: all sites), or what changed in them.

    \b
    recrawl records shop
    recrawl records shop --changes --field price --format csv -o prices.csv
    """
    if form != "jsonl":
        refuse_idle(f"the output is to be {form}; leave out --json or --format", "as_json")
    write = partial(_write, form)
    if sum((as_changes, as_history, as_broken)) > 1:
        raise UsageError("--changes, --history and --broken show three different things: ask for one of them")
    if form == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("parquet is no text: say where to write it with --output FILE")
    if not as_changes:
        refuse_idle("it chooses among changes, so it can only go with --changes", "fields", "since_at")
    place = the_folder(folder)
    if again:
        _read_again(place, site)
    with reading(place) as found:
        name, page = _asked(found, site)
        if as_changes:
            kept = [one for one in changes(found.store, name, page, since_at) if _is_of(one[1], fields)]
            _need_known(found, name, [one for one in fields if not any(_is_of(row[1], (one,)) for row in kept)])
            lines = [change_line(owner, change) for owner, change in kept]
            write(lambda: lines, output)
        elif as_broken:
            write(lambda: (broken_line(row) for row in broken_pages(found.store, name, page)), output)
        else:
            rows = history if as_history else newest
            write(lambda: (record_line(row) for row in rows(found.store, name, page)), output)
        sys.stdout.flush()
        if not found.store.record_pages(name, limit=1):
            click.echo("no records yet: crawl the site, or tell by [[fields]] in its site file what to read", err=True)
        for one in () if as_broken else broken_wrappers(found.store, found.folder.sites(), name):
            click.echo(broken_sentence(one), err=True)


def _write(form: str, lines: Lines, output: str | None) -> None:
    WRITERS[form](lines, Path(output) if output else None)


def _need_known(found: Reading, site: str, fields: Sequence[str]) -> None:
    """A field of which no change is told, that no site file names and no record looked at has, is a slip of the finger:
    one that pages had once is known by its changes only."""
    told = {field.name for one in found.folder.sites() if site in ("", one.name) for field in one.fields}
    if not fields or all(_top(field) in told for field in fields):
        return
    some = found.store.newest_records(found.store.record_pages(site, limit=SAMPLE))
    known = sorted(told.union(*(one.data for one in some)))
    for field in fields:
        if _top(field) not in known:
            near = nearest(field, known)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known[:SHOWN]) or 'none'}"
            raise UsageError(f"no record looked at has a field {field!r}; {hint}")


def _top(path: str) -> str:
    return path.partition("[")[0].partition(".")[0]


def _is_of(change: FieldChange, fields: tuple[str, ...]) -> bool:
    """Of a field, of what is in it, or of the part that is asked for: `price.amount` where `price` changed."""
    path = change.field
    if not fields or path in fields or _top(path) in fields:
        return True
    parts = [one.removeprefix(f"{path}.").split(".") for one in fields if one.startswith(f"{path}.")]
    return any(_part(change.before, names) != _part(change.after, names) for names in parts)


def _part(value: object, names: Sequence[str]) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def record_line(row: Row) -> Line:
    """The documented form of a record."""
    page, record = row.page, row.record
    line: Line = {
        "url": page.url,
        "site": page.site,
        "kind": record.kind,
        "category": page.category,
        "status": page.status.value,
        "at": iso(record.at),
        "checked_at": iso(page.checked_at),
        "source": record.source.value,
        "data": dict(record.data),
    }
    if row.broken is not None:
        line |= {"broken_since": iso(row.broken_at), "missing": list(row.broken.missing)}
    return line


def change_line(page: Page, change: FieldChange) -> Line:
    return {
        "url": page.url,
        "site": page.site,
        "kind": change.kind,
        "field": change.field,
        "before": change.before,
        "after": change.after,
        "at": iso(change.at),
        "previous_at": iso(change.previous_at),
    }


def broken_line(row: Row) -> Line:
    page, broken = row.page, row.broken or row.record
    return {
        "url": page.url,
        "site": page.site,
        "kind": broken.kind,
        "missing": list(broken.missing),
        "at": iso(broken.at),
        "broken_since": iso(row.broken_at),
        "worked_before": row.worked_before,
        "last_record_at": iso(row.record.at) if row.worked_before else None,
    }


def _asked(found: Reading, site: str) -> tuple[str, int | None]:
    """A site by its name, or one page by its address."""
    if "/" in site and site not in found.store.sites():
        page = found.page(site)
        return page.site, page.id
    return found.site(site), None


def _read_again(place: Folder, site: str) -> None:
    settings = load(place.need())
    sites = [one for one in place.sites() if site in ("", one.name)]
    if not sites:
        raise NotFound(
            f"there is no site {site!r} to read again; there are: {', '.join(one.name for one in place.sites())}"
        )
    with closing(open_store(place, settings)) as store:
        archive = WarcArchive(place.archive, READER, settings.archive, time.time, str)
        for one in sites:
            wrappers = SiteWrappers(one, Script(one, canonicaliser_of(settings, one)))
            counts = read_again(store, archive, wrappers, DocumentFolder(place.documents))
            click.echo(
                f"{one.name}: {counts['records']} records and {counts['broken']} broken from {counts['pages']} pages",
                err=True,
            )


def broken_sentence(one: BrokenWrapper) -> str:
    """One line for `records` and `status`."""
    lacking = f"{one.pages} pages without {', '.join(one.missing)}"
    since = f"since {when(one.since_at)}" if one.worked_before else "from the first"
    mend = f"mend the site file's fields, then `recrawl records {one.site} --again`"
    return f"wrapper broken: {one.site}, {lacking} {since}, for example {one.example} ({mend})"
