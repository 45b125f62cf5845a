"""CDXJ, the index of a web archive: `urlkey timestamp {json}`, one line a capture, sorted by bytes.

The urlkey is the SURT form that pywb and the `surt` library look for: host reversed and without `www.`, path and
query unescaped, escaped once, lower-cased, the query's parameters sorted, session ids dropped. The timestamp has 14
digits. JSON values are strings, as pywb writes them; a value of '-' or '' is left out.
"""

import json
import re
from contextlib import suppress
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote_to_bytes

from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.native import compiled

MOST_DIGITS = 17
SIMPLE = {str, int, bool}
NO_PLACE = {"offset": "0", "filename": ""}
LEAST_OLD = 4  # words behind the timestamp: no line of CDX has fewer
NAMES = ("url", "mime", "status", "digest", "length", "offset", "filename")
# As recrawl itself writes most lines: nothing escaped, nothing to be read by a parser of JSON.
OWN = late(
    r'([!-~]+) ([0-9]{14}) \{"url": "([ !#-\[\]-~]+)", "mime": "([ !#-\[\]-~]+)"(?:, "status": "([0-9]{1,3})")?'
    r'(?:, "digest": "([A-Z2-7]{32})")?, "length": "([0-9]{1,15})", "offset": "([0-9]{1,15})"'
    r', "filename": "([ !#-\[\]-~]+)"(?:, "sha256": "([0-9a-f]{64})")?\}\n?'
)


@swift
@dataclass(frozen=True, slots=True)
class CdxLine:
    """`digest` is the payload's sha1 in base 32, as readers write it; `more` holds the fields this format does not
    name (recrawl adds `sha256` of the decoded body)."""

    urlkey: str
    timestamp: str
    url: str
    mime: str
    status: str
    digest: str
    length: int
    offset: int
    filename: str
    more: tuple[tuple[str, str], ...] = ()

    def field(self, name: str) -> str:
        for key, value in self.more:
            if key == name:
                return value
        return ""


def render(line: CdxLine) -> str:
    """One line without its newline."""
    status, digest, sha256 = line.status, line.digest, line.field("sha256")
    body = (
        f'"url": "{line.url}", "mime": "{line.mime}"'
        + (f', "status": "{status}"' if status else "")
        + (f', "digest": "{digest}"' if digest else "")
        + f', "length": "{line.length}", "offset": "{line.offset}", "filename": "{line.filename}"'
        + (f', "sha256": "{sha256}"' if sha256 else "")
    )
    quotes = 20 + 4 * (bool(status) + bool(digest) + bool(sha256))
    plain = body.count('"') == quotes and '""' not in body and "\\" not in body
    if plain and body.isascii() and body.isprintable() and len(line.more) == bool(sha256):
        return f"{line.urlkey} {line.timestamp} {{{body}}}"
    return thorough_render(line)


def written(line: CdxLine) -> bytes:
    """The line as it stands in a file, its newline included."""
    sha256 = line.field("sha256")
    if compiled is not None and len(line.more) == bool(sha256):
        plain: bytes | None = compiled.written_line(
            line.urlkey, line.timestamp, line.url, line.mime, line.status, line.digest, line.filename, sha256,
            line.length, line.offset,
        )  # fmt: skip
        if plain is not None:
            return plain
    return render(line).encode() + b"\n"


def thorough_render(line: CdxLine) -> str:
    """`render` of any line, whatever is in it."""
    fields = {name: str(getattr(line, name)) for name in NAMES} | dict(line.more)
    return f"{line.urlkey} {line.timestamp} {json.dumps({k: v for k, v in fields.items() if v})}"


def parse(text: str, number: int | None = None, source: str = "") -> CdxLine:
    """The inverse of `render`; lines of other tools are read too, as long as they name what is needed to find a record.
    `number` and `source` are only for the error."""
    if own := OWN.fullmatch(text):
        urlkey, timestamp, url, mime, status, digest, length, offset, filename, sha256 = own.groups("")
        more = (("sha256", sha256),) if sha256 else ()
        return CdxLine(urlkey, timestamp, url, mime, status, digest, int(length), int(offset), filename, more)
    return thorough_parse(text, number, source)


def parse_written(line: bytes) -> CdxLine:
    """A line as it stands in a file."""
    own = compiled.own_line(line) if compiled is not None else None
    return parse(line.decode("utf-8")) if own is None else CdxLine(*own)


def parse_capture(text: str, number: int | None = None, source: str = "") -> CdxLine:
    """`parse` for whoever asks only what was seen when: a line need not say where its record is."""
    return thorough_parse(text, number, source, placed=False)


def thorough_parse(text: str, number: int | None = None, source: str = "", placed: bool = True) -> CdxLine:
    """`parse` of any line, whoever wrote it. `placed`: it must say where its record is."""
    urlkey, gap, rest = text.rstrip("\r\n").partition(" ")
    timestamp, second_gap, body = rest.partition(" ")
    if text.startswith(" CDX ") or (second_gap and not body.startswith("{") and len(body.split()) >= LEAST_OLD):
        told = "this is CDX, not CDXJ: index the WARC files anew with cdxj-indexer, or import them"
        raise FormatError(told, number, 1, source)
    if not (urlkey and gap and second_gap):
        raise FormatError("a CDXJ line has a key, a timestamp and a JSON object", number, len(text) or 1, source)
    if not (timestamp.isdecimal() and timestamp.isascii() and len(timestamp) <= MOST_DIGITS):
        raise FormatError(f"{timestamp!r} is no timestamp", number, len(urlkey) + 2, source)
    start = len(urlkey) + len(timestamp) + 3
    fields = _fields(body, number, start, source)
    if not placed:
        fields = NO_PLACE | {name: value for name, value in fields.items() if value not in ("", "-")}
    try:
        length, offset = int(fields.pop("length", "0")), int(fields.pop("offset"))
        take, filename = fields.pop, fields.pop("filename")
        url, mime, status, digest = take("url", ""), take("mime", ""), take("status", ""), take("digest", "")
        more = tuple([pair for pair in fields.items() if pair[1]])  # an empty field says nothing
        return CdxLine(urlkey, timestamp, url, mime, status, digest, length, offset, filename, more=more)
    except KeyError as missing:
        raise FormatError(f"the field {missing} is missing", number, start, source) from None
    except ValueError:
        raise FormatError("length and offset are whole numbers", number, start, source) from None


def _fields(body: str, number: int | None, start: int, source: str) -> dict[str, str]:
    try:
        fields = json.loads(body)
    except json.JSONDecodeError as wrong:
        raise FormatError(f"not JSON: {wrong.msg}", number, start + wrong.pos, source) from None
    except RecursionError:
        raise FormatError("not a JSON object of strings", number, start, source) from None
    kinds = set(map(type, fields.values())) if isinstance(fields, dict) else {dict}
    if not kinds <= SIMPLE:
        raise FormatError("not a JSON object of strings", number, start, source)
    return fields if kinds == {str} else {name: str(value) for name, value in fields.items()}


# ---- urlkey -------------------------------------------------------------------------------------------------------

SPLIT = late(
    rb"(?:(?P<scheme>[a-z][a-z0-9+.-]*):)?(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?",
    re.IGNORECASE | re.DOTALL,
)
SCHEME = late(rb"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
REPEATED_SCHEME = late(rb"(https?://)+")
PORT = late(rb":([0-9]*)$")
LONGEST_HOST = 4096  # bytes; what is longer is no name, and its letters are left as they are
WORLD_WIDE_WEB = late(rb"www\d*\.")
NUMBERS = late(rb"[0-9]+(?:\.[0-9]+){0,3}")
DEFAULT_PORT = {b"http": 80, b"https": 443}
KEPT = b"!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
PATH_SESSIONS = (
    late(rb"(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)", re.IGNORECASE),
    late(rb"(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)", re.IGNORECASE),
)
# An address that needs nothing but its host turned round: most of them are so.
PLAIN = late(
    r"https?://(?!www\d*\.)([a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+|(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2}))"
    r"(:(?!80/|443/)[1-9][0-9]{0,4})?(/(?:[a-z0-9_~-][a-z0-9_.~-]*/)*(?:[a-z0-9_~-][a-z0-9_.~-]*)?)"
)
QUERY_SESSIONS = tuple(
    late(rb"(.*)(?:" + session + rb")(?:&(.*))?", re.IGNORECASE)
    for session in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
        rb"cfid=[^&]+&cftoken=[^&]+",
    )
)


@lru_cache(maxsize=1024)  # asked twice for each capture: by the writer and by the search for its original
def urlkey(url: str) -> str:
    """The key under which replay tools look an address up: `com,example)/path?query`."""
    plain: str | None = compiled.urlkey(url) if compiled is not None else None
    return odd_urlkey(url) if plain is None else plain


def odd_urlkey(url: str) -> str:
    """`urlkey` of an address that the compiled part does not know."""
    if plain := PLAIN.fullmatch(url):
        host, port, path = plain.groups("")
        return f"{_reversed(host)}{port}){path.rstrip('/') or '/'}"
    return thorough_urlkey(url)


def thorough_urlkey(url: str) -> str:
    """`urlkey` of any address, however it is written."""
    given = re.sub(rb"[\n\r\t]", b"", url.encode("utf-8", "surrogatepass").strip())
    if not given:
        return "-"
    if not SCHEME.match(given):
        given = b"http://" + given
    given = REPEATED_SCHEME.sub(lambda found: found.group(1), given, count=1)
    parts = SPLIT.match(given)
    assert parts is not None  # every part of the pattern is optional
    scheme, authority, path, query = (parts[name] or b"" for name in ("scheme", "authority", "path", "query"))
    host, port = _host_and_port(authority)
    if path and not host and scheme.startswith(b"http"):
        host, _, path = path.lstrip(b"/").partition(b"/")
        path = b"/" + path
    host, back = _host(host), _query(query)
    front = _front(scheme, host, port)
    return (front + (_path(path, bool(host)) or (b"/" if back else b"")) + back).decode("ascii", "replace")


@lru_cache(maxsize=4096)
def _reversed(host: str) -> str:
    return ",".join(reversed(host.split(".")))


def _front(scheme: bytes, host: bytes, port: int | None) -> bytes:
    if not host:
        return scheme + b":"
    shown = b"" if port in (None, 0, DEFAULT_PORT.get(scheme.lower(), 0)) else b":%d" % port
    return b",".join(reversed(host.split(b"."))) + shown + b")"


def _host_and_port(authority: bytes) -> tuple[bytes, int | None]:
    bare = authority.rpartition(b"@")[2].rstrip(b":")
    inner, bracket, rest = bare.partition(b"]")
    port = PORT.search(rest if bracket else bare)
    host = inner.partition(b"[")[2] if bracket else bare.partition(b":")[0]
    return host.lower(), int(port[1]) if port else None


def _host(host: bytes) -> bytes:
    host = _unescaped(host)
    if not host.isascii() and len(host) <= LONGEST_HOST:
        with suppress(ValueError):
            host = host.decode("utf-8", "ignore").encode("idna")
    host = host.replace(b"..", b".").strip(b".")
    host = _dotted(host) or _escaped(host.lower()).lower()
    return WORLD_WIDE_WEB.sub(b"", host, count=1) if WORLD_WIDE_WEB.match(host) else host


def _dotted(host: bytes) -> bytes:
    """The usual form of an IPv4 address written in any of the old ways (`127.1`, `017.0.0.1`, one number)."""
    if len(host) > LONGEST_HOST:
        return b""
    if host.isdigit():
        return _quad(int(host) & 0xFFFFFFFF)
    if not NUMBERS.fullmatch(host):
        return b""
    try:
        *first, last = (int(part, 8 if part.startswith(b"0") else 10) for part in host.split(b"."))
    except ValueError:
        return b""
    if any(part > 255 for part in first) or last >= 256 ** (4 - len(first)):
        return b""
    return _quad(sum(part << (24 - 8 * place) for place, part in enumerate(first)) + last)


def _quad(number: int) -> bytes:
    return b".".join(b"%d" % byte for byte in number.to_bytes(4, "big"))


def _path(path: bytes, rooted: bool) -> bytes:
    path = _unescaped(path)
    path = _escaped(_without_dots(path) if rooted else path).lower()
    for session in PATH_SESSIONS:
        if found := session.fullmatch(path):
            path = found[1] + found[2]
    return path[:-1] if path.endswith(b"/") and len(path) > 1 else path


def _without_dots(path: bytes) -> bytes:
    kept: list[bytes] = []
    for part in path.split(b"/")[1:]:
        if part == b".." and kept:
            kept.pop()
        elif part != b".":
            kept.append(part)
    return b"/" + b"".join(part + b"/" for part in kept[:-1] if part) + b"".join(kept[-1:])


def _query(query: bytes) -> bytes:
    query = _escaped(_unescaped(query))
    for session in QUERY_SESSIONS:
        if found := session.fullmatch(query):
            query = found[1] + (found[2] or b"")
    query = query.lower()
    pairs = sorted(tuple(argument.split(b"=", 1)) for argument in query.split(b"&"))
    ordered = b"&".join(b"=".join(pair) for pair in pairs) if len(query) > 1 else query
    return b"?" + ordered if ordered else b""


def _unescaped(text: bytes) -> bytes:
    while (once := unquote_to_bytes(text)) != text:
        text = once
    return text


def _escaped(text: bytes) -> bytes:
    return quote_from_bytes(text, safe=KEPT).encode("ascii")
