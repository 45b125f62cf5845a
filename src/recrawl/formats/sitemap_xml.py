"""sitemap.xml (sitemaps.org 0.9): the addresses of a site and when each changed last; or an index of such files."""

from recrawl.formats import w3c_moment, xml_stream
from recrawl.formats.xml_stream import Ended, Enough
from recrawl.formats.xml_text import escape
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
MOST_ENTRIES = 50_000  # the protocol's own limits
MOST_BYTES = 52_428_800
LONGEST_ADDRESS = 2048
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


@dataclass(frozen=True, slots=True)
class Listed:
    """`modified_at` None: not said, or not a date."""

    url: str
    modified_at: float | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """`index`: the entries are other sitemaps."""

    entries: tuple[Listed, ...] = ()
    index: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """What could be read, and where it ended. `root` is the first element's bare name, '' if there was none."""

    sitemap: Sitemap
    root: str
    ended: Ended


def render(sitemap: Sitemap) -> bytes:
    """FormatError beyond the protocol's limits: whoever has more writes an index."""
    if len(sitemap.entries) > MOST_ENTRIES:
        raise FormatError(f"{len(sitemap.entries)} entries in one sitemap; {MOST_ENTRIES} are the limit")
    outer, inner = ("sitemapindex", "sitemap") if sitemap.index else ("urlset", "url")
    lines = "".join(f"<{inner}>{_entry(entry)}</{inner}>\n" for entry in sitemap.entries)
    data = f'{_HEAD}<{outer} xmlns="{NAMESPACE}">\n{lines}</{outer}>\n'.encode()
    if len(data) > MOST_BYTES:
        raise FormatError(f"a sitemap of {len(data)} bytes; {MOST_BYTES} are the limit")
    return data


def parse(data: bytes, source: str = "") -> Sitemap:
    """A sound sitemap within the limits, or a FormatError with line and column."""
    heard = hear(data)
    if heard.ended.fault:
        raise FormatError(heard.ended.fault, heard.ended.line, heard.ended.column, source)
    if heard.ended.enough:
        raise FormatError(f"more than {MOST_ENTRIES} entries", source=source)
    if heard.root not in ("urlset", "sitemapindex"):
        raise FormatError(f"<{heard.root}> is no sitemap", 1, 1, source)
    return heard.sitemap


def hear(data: bytes, most: int = MOST_ENTRIES) -> Heard:
    """Whatever entries can be read, up to `most`."""
    ear = _Ear(most)
    ended = xml_stream.read(data, ear.opened, ear.closed)
    return Heard(Sitemap(tuple(ear.entries), ear.root == "sitemapindex"), ear.root, ended)


class _Ear:
    """Takes `loc` and `lastmod` directly inside `url` or `sitemap`; extensions (images, news, video) have their own
    namespaces and are passed over. A missing namespace is forgiven."""

    def __init__(self, most: int) -> None:
        self.entries: list[Listed] = []
        self.root = ""
        self._most = most
        self._path: list[str] = []
        self._words: dict[str, str] = {}

    def opened(self, name: str, _attributes: dict[str, str]) -> None:
        space, _, bare = name.rpartition(" ")
        self.root = self.root or bare
        self._path.append(bare if self._ours(space) else name)
        if len(self._path) == 2:
            if len(self.entries) >= self._most:
                raise Enough
            self._words = {}

    def closed(self, _name: str, text: str) -> None:
        bare = self._path.pop()
        if len(self._path) == 2:
            self._words.setdefault(bare, text)
        elif len(self._path) == 1 and bare in ("url", "sitemap"):
            url = self._words.get("loc", "")
            if url and len(url) <= LONGEST_ADDRESS:
                self.entries.append(Listed(url, w3c_moment.parse(self._words.get("lastmod", ""))))

    @staticmethod
    def _ours(space: str) -> bool:
        return not space or ("sitemap" in space.lower() and "image" not in space and "video" not in space)


def _entry(entry: Listed) -> str:
    moment = "" if entry.modified_at is None else f"<lastmod>{w3c_moment.render(entry.modified_at)}</lastmod>"
    return f"<loc>{escape(entry.url)}</loc>{moment}"
