"""OPML, a list of feeds as readers exchange it: the addresses of feeds and of the sites they speak of, and back."""

from recrawl.formats import xml_stream
from recrawl.formats.xml_text import escape, quoteattr
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Subscription:
    """`feed` or `page` may be ''; `folder` is the names of the outlines around it, joined by '/'."""

    feed: str
    page: str = ""
    title: str = ""
    folder: str = ""


def parse(data: bytes, source: str = "") -> list[Subscription]:
    ear = _Ear()
    ended = xml_stream.read(data, ear.opened, ear.closed)
    if ended.fault:
        raise FormatError(ended.fault, ended.line, ended.column, source)
    if ear.root != "opml":
        raise FormatError(f"<{ear.root}> is no OPML", 1, 1, source)
    return ear.found


def render(subscriptions: list[Subscription], title: str = "recrawl") -> bytes:
    folders: dict[str, list[Subscription]] = {}
    for one in subscriptions:
        folders.setdefault(one.folder, []).append(one)
    body = "".join(_folder(name, ones) for name, ones in folders.items())
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0"><head><title>{escape(title)}</title></head>'
    return f"{head}\n<body>\n{body}</body></opml>\n".encode()


def _folder(name: str, subscriptions: list[Subscription]) -> str:
    lines = "".join(_outline(one) for one in subscriptions)
    for part in reversed(name.split("/") if name else []):
        lines = f"<outline text={quoteattr(part)}>\n{lines}</outline>\n"
    return lines


def _outline(one: Subscription) -> str:
    told = {"type": "rss" if one.feed else "link", "text": one.title, "xmlUrl": one.feed, "htmlUrl": one.page}
    return "<outline " + " ".join(f"{name}={quoteattr(value)}" for name, value in told.items() if value) + "/>\n"


class _Ear:
    def __init__(self) -> None:
        self.root = ""
        self.found: list[Subscription] = []
        self._names: list[str] = []

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        bare = name.rpartition(" ")[2]
        self.root = self.root or bare
        if bare != "outline":
            return
        told = {key.lower(): value.strip() for key, value in attributes.items()}
        title = told.get("text") or told.get("title", "")
        feed, page = told.get("xmlurl", ""), told.get("htmlurl") or told.get("url", "")
        if feed or page:
            self.found.append(Subscription(feed, page, title, "/".join(filter(None, self._names))))
        self._names.append("" if feed or page else title)

    def closed(self, name: str, _text: str) -> None:
        if name.rpartition(" ")[2] == "outline":
            self._names.pop()
