"""`doctor`: is everything in order?"""

import os
import shutil
import sys
import time
from collections.abc import Iterator

import click

import recrawl as package
from recrawl.cli.options import folder_argument, json_option, the_folder
from recrawl.cli.paint import line, size
from recrawl.engine.folder import Folder
from recrawl.engine.opening import is_crawled
from recrawl.engine.reading import reading
from recrawl.engine.settings import load
from recrawl.model.failure import RecrawlError

DISK_FLOOR_BYTES = 1_000_000_000
FILES_FLOOR = 1024
OLDEST_PLAUSIBLE_AT = 1_767_225_600.0  # 2026-01-01: a clock before this is wrong

Finding = tuple[str, bool, str]


@click.command()
@folder_argument
@json_option
def doctor(folder: str | None, folder_word: str | None, as_json: bool) -> None:
    """Check Python, clock, disk, limits, settings, site files, store and archive; say what to do.

    Exit code 1: something is wrong.
    """
    findings = list(_findings(the_folder(folder, folder_word)))
    for name, good, sentence in findings:
        if as_json:
            line({"check": name, "ok": good, "says": sentence})
        else:
            click.echo(
                f"{click.style('ok  ', fg='green') if good else click.style('BAD ', fg='red')}{name:<10} {sentence}"
            )
    sys.exit(0 if all(good for _, good, _ in findings) else 1)


def _findings(folder: Folder) -> Iterator[Finding]:
    yield "version", sys.version_info >= (3, 11), f"recrawl {package.__version__}, Python {sys.version.split()[0]}"
    yield "clock", time.time() > OLDEST_PLAUSIBLE_AT, time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime())
    yield _disk(folder)
    yield _files()
    if not folder.exists():
        yield "folder", True, f"{folder.path} is no recrawl folder yet: `recrawl add URL --folder {folder.path}`"
        return
    yield "folder", os.access(folder.path, os.W_OK), f"{folder.path} can be written"
    for name, check in (("settings", _settings), ("sites", _sites), ("store", _store), ("archive", _archive)):
        try:
            yield name, True, check(folder)
        except (RecrawlError, OSError) as error:
            yield name, False, str(error)


def _disk(folder: Folder) -> Finding:
    place = folder.path if folder.path.exists() else folder.path.absolute().parent
    free = shutil.disk_usage(place if place.exists() else "/").free
    return "disk", free > DISK_FLOOR_BYTES, f"{size(free)} free (at least {size(DISK_FLOOR_BYTES)} wanted)"


def _files() -> Finding:
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return "limits", soft >= FILES_FLOOR, f"{soft} open files allowed (at least {FILES_FLOOR} wanted: ulimit -n)"


def _settings(folder: Folder) -> str:
    settings = load(folder)
    settings.check_operator(folder.sites())
    contact = settings.operator.contact or "not needed: own sites only"
    return f"{folder.settings_file.name} is well formed; contact {contact}"


def _sites(folder: Folder) -> str:
    return f"{len(folder.sites())} site files are well formed"


def _store(folder: Folder) -> str:
    settings = load(folder)
    if not is_crawled(folder, settings):
        return "nothing crawled yet"
    with reading(folder) as found:
        totals = found.store.totals("", time.time())
        where = "in PostgreSQL" if settings.state.store else size(folder.database.stat().st_size)
        return f"{totals.pages} addresses, {totals.live} copies, {totals.due} due, {where}"


def _archive(folder: Folder) -> str:
    files = list(folder.archive.glob("*.warc.gz"))
    return f"{len(files)} WARC files, {size(sum(file.stat().st_size for file in files))}"
