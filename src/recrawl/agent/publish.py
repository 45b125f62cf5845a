"""sitemap.xml with true dates, and an Atom feed of the newest changes, from the same history."""

from itertools import islice
from pathlib import Path
from urllib.parse import urljoin

from recrawl.agent import history, snapshot
from recrawl.agent.place import Place
from recrawl.agent.settings import Settings
from recrawl.agent.snapshot import Snapshot
from recrawl.agent.whole import write_whole
from recrawl.formats import atom, sitemap_xml
from recrawl.formats.atom import Feed, Item
from recrawl.formats.sitemap_xml import MOST_ENTRIES, Listed, Sitemap
from recrawl.model.notice import NoticeKind


def publish(place: Place, settings: Settings, now: float) -> list[Path]:
    """Write both; the files, in the order written (an index last, so that it never names what is not there)."""
    folder = Path(settings.publish.folder) if settings.publish.folder else place.public
    url = settings.publish.url or settings.documents.base
    files = {**sitemaps(snapshot.read(place.snapshot), settings.origin, url), "changes.atom": b""}
    files["changes.atom"] = atom.render(feed(place, settings, urljoin(url, "changes.atom"), now))
    for name, data in files.items():
        write_whole(folder / name, data)
    return [folder / name for name in files]


def sitemaps(seen: Snapshot, origin: str, url: str) -> dict[str, bytes]:
    """One file, or several and an index of them."""
    listed = [Listed(origin + path, one.modified_ns // 10**9) for path, one in seen.items()]
    parts = [listed[at : at + MOST_ENTRIES] for at in range(0, len(listed), MOST_ENTRIES)] or [[]]
    if len(parts) == 1:
        return {"sitemap.xml": sitemap_xml.render(Sitemap(tuple(parts[0])))}
    files = {f"sitemap-{number}.xml": sitemap_xml.render(Sitemap(tuple(part))) for number, part in enumerate(parts, 1)}
    newest = [max((one.modified_at or 0 for one in part), default=0) for part in parts]
    index = Sitemap(tuple(Listed(urljoin(url, name), at) for name, at in zip(files, newest, strict=True)), index=True)
    return {**files, "sitemap.xml": sitemap_xml.render(index)}


def feed(place: Place, settings: Settings, url: str, now: float) -> Feed:
    """The last change of each document, newest first."""
    items: dict[str, Item] = {}
    for entry in islice(history.newest_first(place.history), 20 * settings.publish.changes):
        if len(items) >= settings.publish.changes:
            break
        address = settings.origin + entry.path
        deleted = entry.kind is NoticeKind.DELETED
        items.setdefault(address, Item(address, entry.modified_at, "" if deleted else entry.path, deleted))
    return Feed(url, f"Changes of {settings.server}", int(now), tuple(items.values()))
