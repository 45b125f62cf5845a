"""An Atom feed of changes (RFC 4287), with the deleted ones as tombstones (RFC 6721)."""

from recrawl.formats import w3c_moment, xml_stream
from recrawl.formats.xml_text import escape, quoteattr
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass

NAMESPACE = "http://www.w3.org/2005/Atom"
TOMBSTONES = "http://purl.org/atompub/tombstones/1.0"


@dataclass(frozen=True, slots=True)
class Item:
    """One document's last change. `deleted`: it is a tombstone."""

    url: str
    updated_at: int
    title: str = ""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Feed:
    url: str
    title: str
    updated_at: int
    items: tuple[Item, ...] = ()


def render(feed: Feed) -> bytes:
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<feed xmlns="{NAMESPACE}" xmlns:at="{TOMBSTONES}">\n'
        f"<id>{escape(feed.url)}</id><title>{escape(feed.title)}</title>"
        f'<updated>{w3c_moment.render(feed.updated_at)}</updated><link rel="self" href={quoteattr(feed.url)}/>\n'
        "<author><name>recrawl agent</name></author>\n"
    )
    return (head + "".join(_item(item) for item in feed.items) + "</feed>\n").encode()


def parse(data: bytes, source: str = "") -> Feed:
    ear = _Ear()
    ended = xml_stream.read(data, ear.opened, ear.closed)
    if ended.fault:
        raise FormatError(ended.fault, ended.line, ended.column, source)
    if ear.root != f"{NAMESPACE} feed":
        raise FormatError("not an Atom feed", 1, 1, source)
    return Feed(ear.words["id"], ear.words["title"], _moment(ear.words["updated"], source), tuple(ear.items))


def _item(item: Item) -> str:
    moment = w3c_moment.render(item.updated_at)
    if item.deleted:
        return f'<at:deleted-entry ref={quoteattr(item.url)} when="{moment}"/>\n'
    return (
        f"<entry><id>{escape(item.url)}</id><title>{escape(item.title)}</title>"
        f"<updated>{moment}</updated><link href={quoteattr(item.url)}/></entry>\n"
    )


def _moment(text: str, source: str) -> int:
    at = w3c_moment.parse(text)
    if at is None:
        raise FormatError(f"{text!r} is no moment", source=source)
    return int(at)


class _Ear:
    def __init__(self) -> None:
        self.root = ""
        self.words = {"id": "", "title": "", "updated": ""}
        self.items: list[Item] = []
        self._depth = 0
        self._entry: dict[str, str] = {}

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        self.root = self.root or name
        self._depth += 1
        if name == f"{TOMBSTONES} deleted-entry":
            self.items.append(Item(attributes.get("ref", ""), _moment(attributes.get("when", ""), ""), deleted=True))
        elif name == f"{NAMESPACE} entry":
            self._entry = {}
        elif name == f"{NAMESPACE} link" and self._depth == 3:
            self._entry.setdefault("link", attributes.get("href", ""))

    def closed(self, name: str, text: str) -> None:
        self._depth -= 1
        bare = name.rpartition(" ")[2]
        if self._depth == 1 and bare in self.words:
            self.words[bare] = text
        elif self._depth == 2:
            self._entry.setdefault(bare, text)
        elif name == f"{NAMESPACE} entry":
            words = self._entry
            self.items.append(
                Item(words.get("link", ""), _moment(words.get("updated", ""), ""), words.get("title", ""))
            )
