"""Site files outside a folder: a TOML site file or a crawl script, and the scope it describes."""

from dataclasses import dataclass, replace
from pathlib import Path

from recrawl.config import Settings
from recrawl.engine.assembly import canonicaliser_of
from recrawl.formats import crawlscript, site_toml
from recrawl.model.failure import UsageError
from recrawl.model.site import Site
from recrawl.scope.patterns_site import Script
from recrawl.scope.rules import Rules


@dataclass(frozen=True, slots=True)
class Scope:
    """`base`: the address that relative links start from."""

    site: Site
    script: Script
    rules: Rules
    base: str


def read_sites(file: Path) -> tuple[Site, ...]:
    """Whatever is written in a file: it is a crawl script if it begins like XML."""
    data = read_bytes(file)
    if is_xml(data):
        return crawlscript.parse(data, str(file))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is neither UTF-8 text nor XML: {error}") from error
    return site_toml.parse_many(text, name=file.stem, source=str(file))


def read_bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error


def is_xml(data: bytes) -> bool:
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"<") or data[:2] in (b"\xff\xfe", b"\xfe\xff")


def scope_of(site: Site, settings: Settings, base: str = "") -> Scope:
    """The rules also know the page looked at, so that a script without seeds can be tried on it."""
    canonicaliser = canonicaliser_of(settings, site)
    start = base or base_of(site)
    if not site.seeds and not site.hosts:
        site = replace(site, seeds=(start,))
    return Scope(site, Script(site, canonicaliser), Rules.from_site(site, canonicaliser), start)


def base_of(site: Site) -> str:
    host = next(iter(site.hosts), "").removeprefix("*.")
    return next(iter(site.seeds), "") or (f"http://{host}/" if host else "http://localhost/")


def site_for(sites: tuple[Site, ...], base: str, settings: Settings) -> Site:
    """Of several sites in one file, the one that the page belongs to."""
    if len(sites) == 1:
        return sites[0]
    for site in sites:
        canonicaliser = canonicaliser_of(settings, site)
        address = canonicaliser.canonical(base)
        if address is not None and Rules.from_site(site, canonicaliser).hosts.has(address.server):
            return site
    names = ", ".join(site.name for site in sites)
    raise UsageError(
        f"the file holds several sites ({names}) and the page belongs to none: name its address with --url"
    )
