"""What `doctor` looks at: the machine, the folder, and whether the sites can be reached. One finding a check.

Asking is done as politely as crawling: not while a run holds the folder, not before a server's gap is over, within
windows and budgets, and only for robots.txt, which a run would ask for first anyway.
"""

import os
import resource
import shutil
import socket
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from typing import TypeVar

import pycurl

from recrawl.answers.ask import NotNow, ask_in_turn
from recrawl.answers.reading import Reading
from recrawl.archive.names import WARC, stems
from recrawl.archive.object_store import SENT, Shelf, unsent
from recrawl.config import Settings
from recrawl.engine.adoption import orphaned
from recrawl.engine.assembly import policy_of
from recrawl.engine.set_right import CLOCK
from recrawl.fetch.browser import browser_at
from recrawl.fetch.dates import parse_http_date
from recrawl.fetch.resolver import name_server
from recrawl.folder.folder import Folder
from recrawl.folder.opening import is_crawled, open_store
from recrawl.folder.settings import load
from recrawl.folder.site_check import check_together, checked
from recrawl.formats import duration
from recrawl.model.address import origin_of, server_of
from recrawl.model.failure import NotFound, RecrawlError, StoreDamaged, StoreInUse
from recrawl.model.ownership import split_authority
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.model.visit import Reply, Version
from recrawl.native import compiled
from recrawl.ports import Store
from recrawl.scope.canonical import Canonicaliser
from recrawl.store.health import damage_in_sqlite
from recrawl.version import __version__

DISK_FLOOR_BYTES = 1_000_000_000
FILES_FLOOR = 1024
OLDEST_PLAUSIBLE_AT = 1_767_225_600.0  # 2026-01-01: a clock before this is wrong
CLOCK_SLACK_S = 120.0
MOST_SITES = 5  # looked at, so that a check-up stays short
SAMPLE = 20  # kept versions read back
EXTRAS = {
    "web": "fastapi",
    "speed": "uvloop",
    "postgres": "psycopg",
    "parquet": "pyarrow",
    "agent": "watchfiles",
    "scrapy": "scrapy",
    "s3": "obstore",
    "render": "playwright",
}


Seen = TypeVar("Seen")


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    good: bool
    says: str


def machine(folder: Folder) -> Iterator[Finding]:
    """What needs no folder yet."""
    yield Finding("version", sys.version_info >= (3, 11), versions())
    yield Finding("clock", time.time() > OLDEST_PLAUSIBLE_AT, time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime()))
    place = next(one for one in (folder.path.absolute(), *folder.path.absolute().parents) if one.exists())
    free, disk = min((shutil.disk_usage(one).free, one) for one in Folder(place).disks())
    where = "" if disk == place else f" for {disk.name}"
    yield Finding("disk", free > DISK_FLOOR_BYTES, f"{free / 1e9:.1f} GB free{where} (at least 1 GB wanted)")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    more = "" if soft >= FILES_FLOOR else f": ulimit -n {min(hard, 8192) if hard > 0 else 8192}"
    yield Finding("limits", soft >= FILES_FLOOR, f"{soft} open files allowed (at least {FILES_FLOOR} wanted{more})")


def versions() -> str:
    there = [name for name, module in EXTRAS.items() if find_spec(module)]
    curl = pycurl.version_info()[1]
    return (
        f"recrawl {__version__}, Python {sys.version.split()[0]}, libcurl {curl}, SQLite "
        f"{sqlite3.sqlite_version}; {'with' if compiled else 'without'} its compiled part; "
        f"extras: {', '.join(there) or 'none'}"
    )


def folder_itself(folder: Folder, deep: bool) -> Iterator[Finding]:
    """Settings, site files, store, archive; each check stands for itself."""
    yield _owned(folder)
    settings, said = _read(lambda: load(folder))
    yield Finding("settings", settings is not None, said or f"{folder.settings_file.name} is well formed")
    sites, said = _read(lambda: list(map(checked, folder.sites())))
    yield Finding("sites", sites is not None, said or f"well formed: {_named(sites or [])}")
    if settings is None:
        return  # where the store is they alone can say
    checks: dict[str, Callable[[], str]] = {
        "together": lambda: _together(settings, sites or []),
        "store": lambda: _store(folder, settings, sites, deep),
        "archive": lambda: _archive(folder, settings),
    }
    if any(site.render for site in sites or []):
        checks["browser"] = lambda: f"{browser_at(settings.render)} renders pages"
    for name, check in checks.items():
        answer, said = _read(check)
        yield Finding(name, answer is not None, answer or said)


def _owned(folder: Folder) -> Finding:
    if foreign := folder.foreign_files():
        names = ", ".join(file.name for file in foreign)
        return Finding("folder", False, f"{names} in {folder.path} belong to another user: chown them to its owner")
    writable = os.access(folder.path, os.W_OK)
    return Finding("folder", writable, f"{folder.path} {'can' if writable else 'cannot'} be written")


def _read(look: Callable[[], Seen]) -> tuple[Seen | None, str]:
    """What was seen, or why nothing could be."""
    try:
        return look(), ""
    except (RecrawlError, OSError) as error:
        return None, str(error)


def _named(sites: list[Site]) -> str:
    names = [site.name for site in sites]
    more = f" and {len(names) - MOST_SITES} more" if len(names) > MOST_SITES else ""
    return ", ".join(names[:MOST_SITES]) + more or "none yet (`recrawl add URL`)"


def _together(settings: Settings, sites: list[Site]) -> str:
    check_together(settings, sites)
    policy_of(settings)
    if settings.fetch.resolver:
        name_server(settings.fetch.resolver)
    return f"sites and settings fit; contact {settings.operator.contact or 'not needed: own sites only'}"


def _store(folder: Folder, settings: Settings, sites: list[Site] | None, deep: bool) -> str:
    if not is_crawled(folder, settings):
        return "nothing crawled yet"
    said = "in PostgreSQL"
    if not settings.state.store:
        damage = damage_in_sqlite(folder.database, deep)
        if damage:
            raise StoreDamaged(
                f"{folder.database} is damaged ({damage}): put back a backup (`recrawl db backup` makes one)"
            )
        said = f"{folder.database.stat().st_size / 1e6:.1f} MB"
        said += ", whole" if damage == "" else ", too large to be looked through here: `recrawl doctor --deep`"
    now = time.time()
    with closing(open_store(folder, settings, readonly=True)) as store:
        totals = store.totals("", now)
        _need_time_to_go_on(store, now)
        lost = orphaned(store, [site.name for site in sites]) if sites is not None else []
        if lost:
            said += (
                f"; without a site file: {', '.join(lost)} (`recrawl run` gives their pages to sites that cover them)"
            )
        return f"{totals.pages} addresses, {totals.live} copies, {totals.due} due; {said}"


def _need_time_to_go_on(store: Store, now: float) -> None:
    if (began := store.memo(CLOCK)) and float(began) <= now + CLOCK_SLACK_S:
        return  # a run by a clock that was right has seen to what one that ran ahead left behind
    ahead_s = max((page.checked_at or 0.0 for page in store.scan(limit=1000)), default=0.0) - now
    if ahead_s > CLOCK_SLACK_S:
        raise StoreDamaged(
            f"the newest visits lie {duration.render(ahead_s)} ahead: the clock was set back; once it is right, "
            "the next `recrawl run` reckons their next visits anew"
        )


def _archive(folder: Folder, settings: Settings) -> str:
    """A sample of what the store knows is read back."""
    files = [file.stat().st_size for file in folder.archive.rglob("*.warc.gz")]
    said = f"{len(files)} WARC files, {sum(files) / 1e6:.1f} MB"
    if not is_crawled(folder, settings):
        return said
    with closing(open_store(folder, settings, readonly=True)) as store:
        found = Reading(folder, settings, store)
        kept = [version for page in store.scan(limit=10 * SAMPLE) for version in store.versions(page.id, 1)][:SAMPLE]
        elsewhere = sum(_lies_elsewhere(found, version) for version in kept)
    others = f", {elsewhere} lie with other workers" if elsewhere else ""
    return f"{said}; {len(kept) - elsewhere} versions read back{others}"


def _lies_elsewhere(found: Reading, version: Version) -> bool:
    """In a cluster every machine has files of its own; what is missing here nobody can tell from what lies there."""
    try:
        found.payload(version)
    except NotFound:
        if not found.settings.state.store:
            raise
        return True
    return False


def reach(folder: Folder) -> Iterator[Finding]:
    """The object storage, names, robots.txt, and the clock by what the servers say."""
    try:
        settings, sites = load(folder), folder.sites()
    except RecrawlError:
        return  # told already
    if settings.archive.object_store:
        answer, said = _read(lambda: _object_store(folder, settings.archive.object_store))
        yield Finding("object_store", answer is not None, answer or said)
    for site in sites[:MOST_SITES]:
        address = Canonicaliser().canonical(site.seeds[0]) if site.seeds else None
        if address is None:
            continue
        host = split_authority(server_of(address.url))[0]
        problem = _unresolved(host)
        yield Finding("dns", not problem, problem or f"{host} is known")
        if not problem:
            yield from _asked(folder, settings, site, origin_of(address.url))


def _object_store(folder: Folder, url: str) -> str:
    """It answers if it is asked for a file that was sent, or for one that nobody has sent."""
    Shelf(url).size_bytes(next((stem + WARC for stem in stems(folder.archive, SENT)), "recrawl-doctor"))
    waiting = len(unsent(folder.archive))
    return f"{url} answers" + (f"; finished files that wait for a run to send them: {waiting}" if waiting else "")


def _unresolved(host: str) -> str:
    try:
        socket.getaddrinfo(host, None)
    except OSError as error:
        return f"{host} cannot be resolved ({error.strerror}): see to the name, or to /etc/resolv.conf"
    return ""


def _asked(folder: Folder, settings: Settings, site: Site, origin: str) -> Iterator[Finding]:
    try:
        settings.check_operator([site])
        reply = ask_in_turn(f"{origin}/robots.txt", site.own, folder, settings)
    except StoreInUse:
        yield Finding("robots", True, f"{origin} is left to the run that is going on: see `recrawl status`")
        return
    except NotNow as error:
        yield Finding("robots", True, f"{origin} was not asked: {error}")
        return
    except RecrawlError as error:
        yield Finding("robots", False, str(error))
        return
    yield from _answered(origin, reply)


def _answered(origin: str, reply: Reply) -> Iterator[Finding]:
    if reply.failure is not None or reply.status >= 500:
        said = reply.detail or f"it answered {reply.status}"
        yield Finding("robots", False, f"{origin}/robots.txt cannot be read ({said}): nothing there may be asked for")
    else:
        yield Finding("robots", True, f"{origin}/robots.txt answered {reply.status}")
    ours = time.time()
    theirs = parse_http_date(reply.header("date"), ours)
    if theirs is not None:
        apart_s = abs(theirs - ours)
        said = f"{duration.render(apart_s)} apart from {origin}" if apart_s > CLOCK_SLACK_S else f"{origin} agrees"
        yield Finding("clock", apart_s <= CLOCK_SLACK_S, said)
