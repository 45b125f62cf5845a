"""Somebody says that a document is new, changed or gone: checked before anybody acts on it."""

from collections.abc import Iterable
from urllib.parse import quote, unquote, urlsplit

from recrawl.formats.his import Entry
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.values import dataclass

LONGEST = 2048
DAY_S = 86_400
_SAFE = "/%~!$&'()*+,;=:@?-._[]|"


@dataclass(frozen=True, slots=True)
class Claim:
    """`size_bytes`, `modified_at` None: not said, or not exactly (S4's mail gives the day alone)."""

    url: str
    kind: NoticeKind
    source: Source
    size_bytes: int | None = None
    modified_at: float | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """Sound claims, and why the others were refused, by reason."""

    claims: tuple[Claim, ...]
    refused: tuple[str, ...] = ()


def from_entries(entries: Iterable[Entry], origin: str, source: Source, now: float) -> Checked:
    """S4's lines as claims of the server at `origin`; a line's date is a day."""
    claims, refused = [], []
    for entry in entries:
        fault = path_fault(entry.path) or ("future" if entry.modified_at > now + DAY_S else "")
        if fault:
            refused.append(fault)
            continue
        size = None if entry.kind is NoticeKind.DELETED else entry.size_bytes
        url = origin + quote(entry.path, safe=_SAFE)
        claims.append(Claim(url, entry.kind, source, size))
    return Checked(tuple(claims), tuple(refused))


def from_urls(urls: Iterable[str], origins: Iterable[str], source: Source, kind: NoticeKind) -> Checked:
    """Whole addresses, of these origins alone."""
    allowed, claims, refused = frozenset(origins), [], []
    for url in urls:
        fault = url_fault(url, allowed)
        if fault:
            refused.append(fault)
        else:
            claims.append(Claim(url, kind, source))
    return Checked(tuple(claims), tuple(refused))


def url_fault(url: str, origins: frozenset[str]) -> str:
    """Why an address may not be spoken of by one of these origins; '' if it may."""
    try:
        parts = urlsplit(url)
        origin = f"{parts.scheme.lower()}://{parts.netloc.lower()}"
    except ValueError:
        return "no address"
    if parts.scheme.lower() not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
        return "no address"
    if origin not in origins:
        return "foreign host"
    return path_fault(parts.path or "/")


def path_fault(path: str) -> str:
    """Why a path is not one that a document can have; '' if it is."""
    plain = unquote(path)
    if len(path) > LONGEST:
        return "too long"
    if not path.startswith("/") or path.startswith("//") or plain.startswith(("//", "/\\")):
        return "not a path"
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in plain) or "\\" in plain:
        return "not a path"
    if any(segment in (".", "..") for segment in plain.split("?")[0].split("/")):
        return "climbs"
    return ""


def origin_of_url(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}"
