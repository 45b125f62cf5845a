"""File names for addresses: nothing that comes from outside becomes a name as it is.

Of a name stay letters, digits, `-`, `_` and inner dots; everything else is `_`. Where that loses something, where a
file system would not tell two names apart, or where a name means something to some system, the address's fingerprint
stands behind it.
"""

import re
from urllib.parse import urlsplit

from recrawl.model.address import fingerprint

LONGEST_PART = 80
LONGEST_PATH = 200
DEEPEST = 12
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}$")
EXTENSIONS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/plain": ".txt",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "application/rss+xml": ".xml",
    "application/atom+xml": ".xml",
    "application/json": ".json",
    "application/pdf": ".pdf",
    "text/css": ".css",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
}


class Names:
    """Gives each address one path below the mirror, never the same twice, on any file system."""

    def __init__(self) -> None:
        self._taken = {"index.html"}  # the mirror's own start page
        self._folders: set[str] = set()

    def path_of(self, url: str, content_type: str) -> str:
        plain = _plain(url, content_type)
        path = plain if plain is not None and self._free(plain) else self._with_mark(url, content_type)
        self._take(path)
        return path

    def _free(self, path: str) -> bool:
        key = path.lower()
        return key not in self._taken and key not in self._folders and not any(p in self._taken for p in _parents(key))

    def _take(self, path: str) -> None:
        key = path.lower()
        self._taken.add(key)
        self._folders.update(_parents(key))

    def _with_mark(self, url: str, content_type: str) -> str:
        host, parts = _parts(url)
        safe = [_safe(part) for part in (host, *parts[:-1])][:DEEPEST]
        name = _safe(parts[-1]) or "index"
        extension = _extension(name, content_type)
        name = name.removesuffix(extension)[:40]
        mark = f"{fingerprint(url) & ((1 << 64) - 1):016x}"
        path = "/".join([*(part or "_" for part in safe), f"{name}-{mark}{extension}"])
        return path if len(path) <= LONGEST_PATH and self._free(path) else f"_/{mark}{extension}"


def _plain(url: str, content_type: str) -> str | None:
    """A name that says the address and nothing else; None where something would be lost."""
    if "?" in url or len(url) > LONGEST_PATH:
        return None
    host, parts = _parts(url)
    if len(parts) > DEEPEST or any(_safe(part) != part for part in (host, *parts)):
        return None
    name = parts[-1] or "index"
    if "" in parts[:-1] or url != url.lower():
        return None
    extension = _extension(name, content_type)
    return "/".join([host, *parts[:-1], name if name.endswith(extension) else name + extension])


def _parts(url: str) -> tuple[str, list[str]]:
    split = urlsplit(url)
    return split.netloc.replace(":", "_"), split.path.removeprefix("/").split("/")


def _safe(part: str) -> str:
    text = UNSAFE.sub("_", part)[:LONGEST_PART].strip(".")
    return f"_{text}" if RESERVED.fullmatch(text) else text


def _extension(name: str, content_type: str) -> str:
    """By what the document is; the address's own where that is not known."""
    known = EXTENSIONS.get(content_type.partition(";")[0].strip().lower())
    if known == ".html" and name.lower().endswith((".html", ".htm")):
        return name[name.rindex(".") :]
    own = EXTENSION.search(name)
    return known or (own[0] if own else ".bin")


def _parents(path: str) -> list[str]:
    pieces = path.split("/")
    return ["/".join(pieces[:end]) for end in range(1, len(pieces))]
