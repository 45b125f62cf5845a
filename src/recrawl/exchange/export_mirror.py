"""A static mirror: the newest version of every page as a file, linked among themselves, to open offline."""

import os.path
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import quote

from recrawl.exchange.export_links import localised
from recrawl.exchange.export_names import Names
from recrawl.exchange.export_tables import Source
from recrawl.extract.charset import decode
from recrawl.model.address import fingerprint
from recrawl.model.capture import Payload
from recrawl.model.failure import NotFound, RecrawlError
from recrawl.model.page import Page, Status
from recrawl.model.visit import Version

HTML = ("text/html", "application/xhtml+xml")
MOST_MOVES = 5
LISTED = 10_000  # pages on the start page of the mirror

Load = Callable[[Version], Payload]
Canonical = Callable[[str, str], int | None]  # address and site → id of the page it means


def write_mirror(source: Source, folder: Path, load: Load, canonical: Canonical) -> int:
    """How many files. Two walks: first every page gets its name, then the links can be written."""
    places = _places(source)
    if not places.paths:
        raise NotFound("no version is kept yet: nothing to mirror")
    written: list[tuple[str, Page]] = []
    for page in source.pages():
        path = places.paths.get(page.id)
        if path is not None and _write(source, folder, load, canonical, page, path, places):
            written.append((path, page))
    (folder / "index.html").write_text(_start_page(written), "utf-8")
    return len(written)


class Places:
    """Where each page lies, and where a moved one went."""

    def __init__(self) -> None:
        self.paths: dict[int, str] = {}
        self._moved: dict[int, str] = {}

    def moved(self, page: Page) -> None:
        self._moved[page.id] = page.target

    def find(self, number: int | None) -> str | None:
        for _ in range(MOST_MOVES):
            if number is None or number in self.paths:
                break
            target = self._moved.get(number)
            number = fingerprint(target) if target else None
        return self.paths.get(number) if number is not None else None


def _places(source: Source) -> Places:
    names, places = Names(), Places()
    for page in source.pages():
        if page.status is Status.MOVED:
            places.moved(page)
        elif page.status is Status.LIVE and source.store.versions(page.id, 1):
            places.paths[page.id] = names.path_of(page.url, page.content_type)
    return places


def _write(
    source: Source, folder: Path, load: Load, canonical: Canonical, page: Page, path: str, places: Places
) -> bool:
    version = source.store.versions(page.id, 1)[0]
    try:
        payload = load(version)
    except RecrawlError:
        return False
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if not version.content_type.lower().startswith(HTML):
        target.write_bytes(payload.body)
        return True

    def locate(address: str) -> str:
        found = places.find(canonical(address, page.site))
        return address if found is None else relative(path, found)

    text, _, _ = decode(payload.body, version.content_type)
    target.write_text(localised(text, _base(source, page, version), locate), "utf-8", errors="replace", newline="")
    return True


def _base(source: Source, page: Page, version: Version) -> str:
    if source.read is None:
        return page.url
    return source.read(page, version).base or page.url


def relative(here: str, there: str) -> str:
    """A relative reference from one file of the mirror to another."""
    return quote(os.path.relpath(there, Path(here).parent)) if here != there else quote(Path(there).name)


def _start_page(written: list[tuple[str, Page]]) -> str:
    sites: dict[str, list[tuple[str, Page]]] = {}
    for path, page in written:
        sites.setdefault(page.site, []).append((path, page))
    parts = []
    for site, pages in sorted(sites.items()):
        first = sorted(pages, key=lambda one: (one[1].depth, one[1].url))[:LISTED]
        items = "".join(f'<li><a href="{escape(quote(path))}">{escape(page.url)}</a></li>\n' for path, page in first)
        parts.append(f"<h2>{escape(site)}: {len(pages)} pages</h2>\n<ul>\n{items}</ul>\n")
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mirror</title></head><body><h1>Mirror</h1>\n'
    )
    return head + "".join(parts) + "</body></html>\n"
