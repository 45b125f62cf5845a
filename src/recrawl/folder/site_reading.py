"""What is written in a file that describes sites: a TOML site file, or S2's crawl script."""

from dataclasses import replace
from pathlib import Path

from recrawl.formats import site_toml
from recrawl.model.failure import UsageError
from recrawl.model.late import late_module
from recrawl.model.site import Site

_CRAWLSCRIPT = late_module("recrawl.formats.crawlscript")


def read_sites(file: Path) -> tuple[Site, ...]:
    """Whatever is written in a file: it is a crawl script if it begins like XML."""
    data = read_bytes(file)
    if is_xml(data):
        sites: tuple[Site, ...] = _CRAWLSCRIPT.parse(data, str(file))
        return sites
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


def with_start(site: Site) -> Site:
    """A crawl script names a host and no start: its home page, by the protocol that the patterns speak of."""
    host = next(iter(site.hosts), "").removeprefix("*.")
    if site.seeds or not host:
        return site
    targets = (pattern.target or pattern.match for pattern in site.patterns)
    is_secure = any(target.startswith("https:") for target in targets)
    return replace(site, seeds=(f"{'https' if is_secure else 'http'}://{host}/",))
