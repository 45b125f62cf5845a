"""The request head: what recrawl says of itself and what it sends back to be compared."""

import re
from collections.abc import Callable

from recrawl.fetch.validators import is_safe_date, is_safe_etag
from recrawl.model.late import late
from recrawl.model.visit import Ask
from recrawl.native import compiled

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING = "gzip, deflate, br, zstd"
NAME = late(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
PLAIN_TARGET = late(r"/[!\"$-\[\]-~]*", re.ASCII)  # needs no normalising
UNSAFE_IN_AGENT = re.compile(r"[^\x20-\x7e]|[()\\]")

# What never leaves, whoever asks: credentials, traces of other visits, and what the transport decides itself.
NEVER_SENT = frozenset(
    {
        "authorization",
        "connection",
        "content-length",
        "cookie",
        "cookie2",
        "expect",
        "host",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "proxy-authorization",
        "range",
        "referer",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


def user_agent(version: str, contact: str) -> str:
    """`recrawl/1.0 (+https://example.org/crawler)`: who asks, and whom to write to."""
    safe = UNSAFE_IN_AGENT.sub("", contact).strip()
    return f"recrawl/{version} (+{safe})" if safe else f"recrawl/{version}"


def standing_lines(agent: str, accept_language: str) -> list[bytes]:
    """The header lines of every request."""
    fields = (
        ("User-Agent", agent),
        ("Accept", ACCEPT),
        ("Accept-Encoding", ACCEPT_ENCODING),
        ("Accept-Language", accept_language),
    )
    return [_line(name, value) for name, value in fields if value and VALUE.fullmatch(value)]


def header_lines(standing: list[bytes], ask: Ask) -> list[bytes]:
    """The header lines of one request; `standing` itself when there is nothing to add."""
    conditions = condition_lines(ask)
    if not ask.headers:
        return standing + conditions if conditions else standing
    own = [(name, value) for name, value in ask.headers if _may_be_sent(name, value)]
    replaced = {name.lower().encode("ascii") for name, _ in own}
    kept = [line for line in standing if line.partition(b":")[0].lower() not in replaced]
    return kept + [_line(name, value) for name, value in own] + conditions


def condition_lines(ask: Ask) -> list[bytes]:
    """The validators, sent back as they came where that is safe."""
    plain: list[bytes] | None = compiled.condition_lines(ask.etag, ask.last_modified) if compiled is not None else None
    return odd_condition_lines(ask) if plain is None else plain


def odd_condition_lines(ask: Ask) -> list[bytes]:
    """`condition_lines` of any validators."""
    lines = []
    if ask.etag and is_safe_etag(ask.etag):
        lines.append(_line("If-None-Match", ask.etag))
    if ask.last_modified and is_safe_date(ask.last_modified):
        lines.append(_line("If-Modified-Since", ask.last_modified))
    return lines


def standing_part(authority: str, standing: list[bytes]) -> bytes:
    """What stands in every head to that authority between the target and the conditions."""
    return f" HTTP/1.1\r\nHost: {authority}\r\n".encode("ascii") + _written(standing)


def any_plain_head(url: str, path_at: int, etag: str, last_modified: str, standing: bytes) -> bytes | None:
    """The head of a request without headers of its own, for an address whose path begins there. None: something about
    it is odd."""
    if not PLAIN_TARGET.fullmatch(url, path_at):
        return None
    conditions = condition_lines(Ask(url, etag, last_modified))
    return b"GET %s%s%s\r\n" % (url[path_at:].encode("ascii"), standing, _written(conditions))


plain_head: Callable[[str, int, str, str, bytes], bytes | None] = (
    any_plain_head if compiled is None else compiled.plain_head
)


def is_conditional(ask: Ask) -> bool:
    """Whether a condition really goes out with the ask."""
    return bool(ask.etag and is_safe_etag(ask.etag)) or bool(ask.last_modified and is_safe_date(ask.last_modified))


def raw_request(authority: str, target: str, lines: list[bytes], method: str = "GET") -> bytes:
    """The head as it goes over the wire (for HTTP/2: as it would)."""
    return plain_raw_request(authority, target, lines, method) or odd_raw_request(authority, target, lines, method)


def odd_raw_request(authority: str, target: str, lines: list[bytes], method: str) -> bytes:
    """`raw_request` of whatever it is."""
    start = f"{method} {target} HTTP/1.1\r\nHost: {authority}\r\n".encode("ascii")
    return start + _written(lines) + b"\r\n"


plain_raw_request: Callable[[str, str, list[bytes], str], bytes | None] = (
    (lambda *_: None) if compiled is None else compiled.raw_request
)


def _may_be_sent(name: str, value: str) -> bool:
    return bool(NAME.fullmatch(name) and VALUE.fullmatch(value) and value.strip()) and name.lower() not in NEVER_SENT


def _written(lines: list[bytes]) -> bytes:
    return b"".join(b"%s\r\n" % line for line in lines)


def _line(name: str, value: str) -> bytes:
    return f"{name}: {value}".encode("latin-1")
