"""`init`, `add`, `sites`: say what you want."""

import sys
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import click

from recrawl.cli.kinds import Number
from recrawl.cli.options import folder_argument, folder_option, json_option, the_folder
from recrawl.cli.paint import line, table
from recrawl.config import starting_text
from recrawl.folder.folder import Folder
from recrawl.folder.settings import load
from recrawl.folder.site_check import checked
from recrawl.folder.site_reading import read_sites, with_start
from recrawl.model.failure import UsageError
from recrawl.model.site import Site
from recrawl.model.site_name import name_of_server, need_name
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.seed import seed_of


@click.command()
@folder_argument
@click.option("--contact", help="How a site owner can reach you: an e-mail or web address. Sent with every request.")
def init(folder: str | None, folder_word: str | None, contact: str | None) -> None:
    """Start a folder: recrawl.toml, sites/, and the state beside them."""
    place = the_folder(folder, folder_word)
    if place.exists():
        raise UsageError(f"{place.settings_file} is there already: edit it, or choose another folder")
    if contact is None:
        asked = "How can a site owner reach you (e-mail or web address)?"
        contact = click.prompt(asked, default="", show_default=False) if sys.stdin.isatty() else ""
    place.create(starting_text(contact))
    click.echo(f"{place.settings_file} written. Next: recrawl add URL --folder {place.path}")


@click.command()
@click.argument("url", metavar="URL|FILE")
@folder_option
@click.option("--name", help="A short name for the site (default: from its host).")
@click.option("--own", is_flag=True, help="The server of URL is yours: private addresses allowed, gap 0 unless set.")
@click.option("--parallel", type=click.IntRange(1, 1000), default=None, help="Requests at once on your own server.")
@click.option(
    "--gap",
    "gap_s",
    type=Number(0),
    default=None,
    help="Seconds between two requests (default 1; own servers 0).",
)
@click.option("--depth", type=click.IntRange(0, 1_000_000), default=None, help="How many links away from URL to go.")
@click.option(
    "--include", multiple=True, metavar="PATTERN", help="Only addresses that fit; `*`, `**` or `re:…`. Repeatable."
)
@click.option("--exclude", multiple=True, metavar="PATTERN", help="No addresses that fit. Repeatable.")
@click.option(
    "--host", "hosts", multiple=True, metavar="HOST", help="Hosts that belong to the site too, e.g. *.example.com."
)
@click.option("--ignore", multiple=True, metavar="SELECTOR", help="CSS selector of parts whose changes do not count.")
@click.option("--contact", help="How a site owner can reach you; kept in recrawl.toml.")
@click.option("--replace", "replaces", is_flag=True, help="Overwrite the site file of that name.")
def add(
    url: str,
    folder: str | None,
    name: str | None,
    own: bool,
    parallel: int | None,
    gap_s: float | None,
    depth: int | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    hosts: tuple[str, ...],
    ignore: tuple[str, ...],
    contact: str | None,
    replaces: bool,
) -> None:
    """Add the site at URL, or the sites of a site file or crawl script (FILE), to a folder.

    The folder is made if it is not there.
    """
    place = the_folder(folder)
    if is_site_file(url):
        given = (name, own, parallel, gap_s, depth, include, exclude, hosts, ignore)
        if any(one not in (None, False, ()) for one in given):
            raise UsageError(f"{url} is a site file: say there what it can say, and here only --folder and --replace")
        _add_file(place, Path(url), contact, replaces)
        return
    seed = seed_of(url, Canonicaliser())
    authority = urlsplit(seed).netloc.rpartition("@")[2]
    if parallel and parallel > 1 and not own:
        raise UsageError("--parallel is for your own servers: say --own too, or leave it out")
    site = Site(
        name=need_name(name) if name else name_of_server(authority),
        seeds=(seed,),
        own=(authority_of(seed),) if own else (),
        hosts=hosts,
        include=include,
        exclude=exclude,
        depth=depth,
        gap_s=gap_s,
        parallel=parallel or 1,
        ignore=ignore,
    )
    checked(site)
    _prepare(place, contact)
    file = _keep(place, site, replaces)
    click.echo(f"{site.name}: {seed} added ({file}). Next: recrawl run {place.path} --once")
    if not own and is_private(urlsplit(seed).hostname or ""):
        click.echo(f"{authority} is no public address and is asked only if it is yours: say --own --replace", err=True)
    elif not own and not load(place).operator.contact:
        click.echo(f"Before that, say how its owner can reach you: contact in {place.settings_file}", err=True)


def is_site_file(word: str) -> bool:
    """A file that is there; or a word that can only mean one, so that a wrong path is not taken for a host."""
    return Path(word).is_file() or ("://" not in word and word.lower().endswith((".toml", ".xml")))


def _add_file(place: Folder, file: Path, contact: str | None, replaces: bool) -> None:
    """Every site of the file, or none of them."""
    sites = [checked(with_start(site)) for site in read_sites(file)]
    known = {site.name for site in place.sites()}
    for site in sites:
        need_name(site.name)
        if not site.seeds:
            raise UsageError(f'{file}: {site.name} has no start: write seeds = ["https://…"]')
        if site.name in known and not replaces:
            raise UsageError(f"there is a site {site.name!r} already: say --replace, or give the file another name")
    _prepare(place, contact)
    for site in sites:
        click.echo(f"{site.name}: {' '.join(site.seeds)} added ({place.put_site(site)})")
    click.echo(f"Next: recrawl run {place.path} --once")


def _prepare(place: Folder, contact: str | None) -> None:
    place.create(starting_text(contact or ""))
    if contact:
        place.set_contact(contact)


def _keep(place: Folder, site: Site, replaces: bool) -> str:
    """A second seed for a known site joins it; anything else needs --replace."""
    known = {one.name: one for one in place.sites()}
    old = known.get(site.name)
    if old is not None and not replaces:
        if site.seeds[0] in old.seeds:
            raise UsageError(f"{site.name} has {site.seeds[0]} already: edit its site file, or say --replace")
        if replace(old, seeds=(), own=()) != replace(site, seeds=(), own=()):
            raise UsageError(f"there is a site {site.name!r} with other settings: give --name, or say --replace")
        site = replace(old, seeds=(*old.seeds, *site.seeds), own=tuple(dict.fromkeys((*old.own, *site.own))))
    return str(place.put_site(site))


def authority_of(url: str) -> str:
    """Exactly the authority of the URL."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{port}"


def is_private(host: str) -> bool:
    """By its name or literal address; names are not resolved for this."""
    try:
        return not ip_address(host.strip("[]")).is_global
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@click.command()
@folder_argument
@json_option
def sites(folder: str | None, folder_word: str | None, as_json: bool) -> None:
    """List the sites of a folder, as their site files say."""
    place = the_folder(folder, folder_word).need()
    found = place.sites()
    if as_json:
        for site in found:
            line(
                {
                    "name": site.name,
                    "seeds": site.seeds,
                    "own": site.own,
                    "parallel": site.parallel,
                    "paused": site.paused,
                }
            )
        return
    table(("site", "seeds", "own"), [(site.name, " ".join(site.seeds), " ".join(site.own)) for site in found])
