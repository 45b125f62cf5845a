"""`import`: start from what is known."""

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from recrawl.archive.folder import WarcArchive
from recrawl.cli.options import folder_option, json_option, the_folder
from recrawl.cli.paint import line
from recrawl.config import starting_text
from recrawl.engine.clock import Dice, SystemClock
from recrawl.exchange.import_ import Importer
from recrawl.exchange.import_lists import LISTS, format_of
from recrawl.exchange.import_sites import SiteBook
from recrawl.folder.opening import open_store
from recrawl.folder.settings import load
from recrawl.model.failure import UsageError

STANDARD_INPUT = Path("-")
FORMATS = (*LISTS, "warc", "cdxj")
SENTENCES = {
    "pages": "pages entered",
    "versions": "versions kept",
    "captures": "captures folded into beliefs",
    "known": "known already",
    "older": "older than what is known",
    "unwanted": "not wanted by the site",
    "no_address": "no web address",
    "other_answers": "captures of answers other than 200 left out",
    "no_digest": "captures without a digest, so without anything to compare",
    "unreadable": "records whose answer cannot be read (no HTTP status line, or no date) left out",
    "cut": "records cut off by whoever wrote them (WARC-Truncated) left out",
    "damaged": "damaged",
    "torn": "ended in the middle of a record, what came before it is taken in",
}


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@folder_option
@click.option("--format", "form", type=click.Choice(FORMATS), default=None, help="What the files are (default: seen).")
@click.option("--site", default="", help="The site that gets the addresses (default: by host; made if missing).")
@click.option(
    "--follow", is_flag=True, help="New sites follow links, too, instead of asking for these addresses alone."
)
@click.option("--own", is_flag=True, help="The servers of new sites are yours: private addresses allowed, gap 0.")
@click.option("--contact", default="", help="How a site owner can reach you, for a new folder.")
@json_option
def import_(
    files: tuple[Path, ...],
    folder: str | None,
    form: str | None,
    site: str,
    follow: bool,
    own: bool,
    contact: str,
    as_json: bool,
) -> None:
    """Take in URL lists, sitemaps, OPML, CSV, WARC (also in WACZ) and CDXJ; `-` is the standard input.

    Archives bring their versions and start the beliefs from their history; an index brings the beliefs alone. A WARC
    that `recrawl export` made puts pages, versions and beliefs back as they were.
    """
    for file in files:
        if file.is_dir() or not (file.exists() or file == STANDARD_INPUT):
            what = f"{file} is a folder: name the files in it" if file.is_dir() else f"there is no file {file}"
            raise UsageError(what)
    place = the_folder(folder)
    place.create(starting_text(contact))
    settings, clock = load(place), SystemClock()
    counts: Counter[str] = Counter()
    with (
        place.locked(),
        closing(open_store(place, settings)) as store,
        closing(WarcArchive(place.archive, "import", settings.archive, clock.now, Dice().record_id)) as archive,
        _progress(quiet=as_json) as tick,
        TemporaryDirectory(prefix="recrawl-") as spool,
    ):
        book = SiteBook(place, settings, site, follow, own, counts)
        importer = Importer(place, settings, store, archive, book, clock.now(), tick, counts)
        try:
            for file in (_spooled(file, Path(spool)) for file in files):
                with file.open("rb") as start:
                    importer.take(file, form or format_of(file.name, start.read(4096)))
        finally:
            made = book.save()
    if as_json:
        line({name: counts[name] for name in SENTENCES} | {"sites": [one.name for one in made]})
        return
    told = [f"{counts[name]} {words}" for name, words in SENTENCES.items() if counts[name]]
    click.echo("; ".join(told) or "nothing to take in")
    for one in made:
        click.echo(f"site {one.name} made: {place.sites_folder / one.name}.toml")


def _spooled(file: Path, spool: Path) -> Path:
    """What comes through a pipe can be read once, and is looked at more often."""
    if file.is_file():
        return file
    whole = spool / "standard input"
    with sys.stdin.buffer if file == STANDARD_INPUT else file.open("rb") as pipe, whole.open("wb") as out:
        shutil.copyfileobj(pipe, out)
    return whole


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda items: None
        return
    taken = 0

    def tick(items: int) -> None:
        nonlocal taken
        if (taken + items) // 1000 > taken // 1000:
            click.echo(f"\r{taken + items} taken in", nl=False, err=True)
        taken += items

    yield tick
    if taken >= 1000:
        click.echo(err=True)
