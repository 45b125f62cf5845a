"""Reads feeds (Atom, RSS 0.9x–2.0, RSS 1.0, JSON Feed) for what they say of other pages: address and moment."""

import json
from collections.abc import Iterable
from dataclasses import field
from datetime import UTC

from recrawl.extract.sitemap import TOO_LARGE, unzipped
from recrawl.formats import w3c_moment, xml_stream
from recrawl.formats.atom import NAMESPACE as ATOM
from recrawl.formats.atom import TOMBSTONES
from recrawl.formats.xml_stream import Enough
from recrawl.model.mail_date import read_mail_date
from recrawl.model.values import dataclass

MOST_ITEMS = 5_000
MOST_BYTES = 16_000_000
MOST_VALUES = 600_000  # of a JSON Feed: three bytes of it may become seventy
_BETWEEN = (b",", b"[", b"{")
_MOMENTS = ("updated", "modified", "date_modified", "pubDate", "published", "issued", "date", "date_published")
_ROOTS = frozenset({"feed", "rss", "RDF"})


@dataclass(frozen=True, slots=True)
class FeedItem:
    """`url` as written, perhaps relative. `moment_at` None: not said."""

    url: str
    moment_at: float | None = None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class FeedReading:
    """`hubs` and `topic`: WebSub's discovery, from the feed's own links."""

    items: tuple[FeedItem, ...] = ()
    fault: str = ""
    cut: bool = False
    too_large: bool = False
    hubs: tuple[str, ...] = ()
    topic: str = ""


def read_feed(body: bytes, most_items: int = MOST_ITEMS, most_bytes: int = MOST_BYTES) -> FeedReading:
    plain, fault = unzipped(body, most_bytes)
    if fault:
        return FeedReading(fault=fault, too_large=fault.endswith(TOO_LARGE))
    start = plain[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return FeedReading(fault="an HTML page, not a feed")
    if start.startswith(b"{"):
        return _from_json(plain, most_items)
    return _from_xml(plain.lstrip(b"\xef\xbb\xbf \t\r\n"), most_items)


def _from_xml(plain: bytes, most: int) -> FeedReading:
    ear = _Ear(most)
    ended = xml_stream.read(plain, ear.opened, ear.closed)
    if ear.root not in _ROOTS:
        return FeedReading(fault=ended.fault or f"<{ear.root}> is no feed")
    fault = f"line {ended.line}, column {ended.column}: {ended.fault}" if ended.fault else ""
    return FeedReading(tuple(ear.items), fault, ended.enough, hubs=tuple(ear.hubs), topic=ear.topic)


def _from_json(plain: bytes, most: int) -> FeedReading:
    if sum(map(plain.count, _BETWEEN)) > MOST_VALUES:
        return FeedReading(fault=f"more than {MOST_VALUES} values, which is no feed")
    try:
        value = json.loads(plain)
        version, items = str(value["version"]), list(value["items"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return FeedReading(fault="not a JSON Feed")
    if "jsonfeed.org" not in version:
        return FeedReading(fault=f"{version[:60]!r} is no JSON Feed")
    read = [_json_item(item) for item in items[:most] if isinstance(item, dict)]
    hubs = [str(hub.get("url", "")) for hub in value.get("hubs", []) if isinstance(hub, dict)]
    return FeedReading(
        tuple(item for item in read if item.url),
        cut=len(items) > most,
        hubs=tuple(hubs),
        topic=str(value.get("feed_url", "")),
    )


def _json_item(item: dict[str, object]) -> FeedItem:
    moments = [_moment(str(item[name])) for name in _MOMENTS if item.get(name)]
    return FeedItem(str(item.get("url") or item.get("id") or ""), _first(moments))


def _first(moments: Iterable[float | None]) -> float | None:
    return next((moment for moment in moments if moment is not None), None)


def _moment(text: str) -> float | None:
    at = w3c_moment.parse(text)
    if at is not None:
        return at
    try:
        moment = read_mail_date(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


@dataclass(slots=True)
class _Entry:
    depth: int
    link: str = ""
    permalink: str = ""
    identity: str = ""
    moments: dict[str, float | None] = field(default_factory=dict)

    def item(self) -> FeedItem | None:
        url = self.link or self.permalink or (self.identity if "://" in self.identity else "")
        return FeedItem(url, _first(self.moments.get(name) for name in _MOMENTS)) if url else None


class _Ear:
    def __init__(self, most: int) -> None:
        self.root = ""
        self.items: list[FeedItem] = []
        self.hubs: list[str] = []
        self.topic = ""
        self._most, self._depth = most, 0
        self._entry: _Entry | None = None
        self._guid_is_link = True

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        space, _, bare = name.rpartition(" ")
        self.root = self.root or bare
        self._depth += 1
        if bare in ("entry", "item") and self._entry is None:
            if len(self.items) >= self._most:
                raise Enough
            about = next((value for key, value in attributes.items() if key.endswith(" about")), "")
            self._entry = _Entry(self._depth, identity=about)
        elif bare == "deleted-entry" and space == TOMBSTONES:
            self.items.append(FeedItem(attributes.get("ref", ""), _moment(attributes.get("when", "")), True))
        elif bare == "link" and space == ATOM:
            self._atom_link(attributes)
        elif bare == "guid":
            self._guid_is_link = attributes.get("isPermaLink", "true").lower() == "true"

    def closed(self, name: str, text: str) -> None:
        bare = name.rpartition(" ")[2]
        entry = self._entry
        if entry is not None and self._depth == entry.depth:
            item = entry.item()
            self.items += [item] if item else []
            self._entry = None
        elif entry is not None and self._depth == entry.depth + 1 and text:
            self._inside(entry, bare, text)
        self._depth -= 1

    def _inside(self, entry: _Entry, bare: str, text: str) -> None:
        if bare == "link":
            entry.link = entry.link or text
        elif bare == "guid" and self._guid_is_link and "://" in text:
            entry.permalink = text
        elif bare == "id":
            entry.identity = text
        elif bare in _MOMENTS:
            entry.moments.setdefault(bare, _moment(text))

    def _atom_link(self, attributes: dict[str, str]) -> None:
        relation, href = attributes.get("rel", "alternate"), attributes.get("href", "")
        if self._entry is not None:
            if relation == "alternate" and self._depth == self._entry.depth + 1:
                self._entry.link = self._entry.link or href
        elif relation == "hub":
            self.hubs.append(href)
        elif relation == "self":
            self.topic = href
