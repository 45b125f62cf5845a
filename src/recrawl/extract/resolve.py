"""Resolves links against a base as the WHATWG URL Standard does, most of them without asking the full parser.

The quick way takes only links of which it is certain that the full parser would return them letter by letter:
plain hosts and paths, no dot segments, no port that might be the default one.
"""

import re
from functools import lru_cache

from recrawl.extract.labels import ENCODERS
from recrawl.model.late import late, late_module

_ADA = late_module("ada_url")
_PLAIN = "[A-Za-z0-9_~!$&'()*+,;=:@/-]*+"
_PATH = rf"{_PLAIN}(?:(?:(?<!/)[.%]|%(?!2[eE])){_PLAIN})*+"  # no segment begins like a dot segment
_TAIL = rf"{_PATH}(?:\?[A-Za-z0-9._~!$&()*+,;=:@%/?-]*+)?+(?:#[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*+)?+"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_HOST = (
    rf"(?:(?![^/]*xn--)(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*|{_BYTE}(?:\.{_BYTE}){{3}})"
    "(?::(?:[1-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?"
)
_ORIGIN = late(rf"https?://{_HOST}")
_FROM_ROOT = late(rf"/{_TAIL}")
_ROOTED = late(rf"/(?!/){_TAIL}")
_BELOW = late(rf"(?!(?:\.|%2[eE]){{1,2}}(?:[/?#]|$))[A-Za-z0-9_~.%-]++(?=[/?#]|$){_TAIL}")
_UPWARD = late(r"((?:\.\./)+)([^.].*|)", re.DOTALL)
_FRAGMENT = late(r"#[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*")
_PARTS = late(r"((https?://[^/?#]*)(?:/[^?#]*/|/)?)[^?#]*(?:\?[^#]*)?")
_SURROGATES = late("[\ud800-\udfff]")
_NOT_ASCII = late(r"[^\x00-\x7f]+")
_QUERY_QUOTED = frozenset(b" \"#<>'") | frozenset(range(0x21)) | frozenset(range(0x7F, 0x100))


# The standard's JIS table holds the full-width forms where Python's Japanese codecs hold the others.
_JAPANESE = str.maketrans("～∥－￠￡￢", "〜‖−¢£¬")
_JAPANESE_CODECS = frozenset({"euc_jp", "iso2022_jp"})


class Resolver:
    """`resolve` for one document. `charset` counts: browsers write the query of a link in the document's encoding."""

    def __init__(self, base: str, charset: str = "utf-8", most_chars: int = 1 << 30) -> None:
        self.base = base
        self.most_chars = most_chars
        self._encoder = ENCODERS.get(charset)
        parts = _PARTS.match(base)
        self._directory, self._origin = (parts[1], parts[2]) if parts else ("", "")
        self._page = parts[0] if parts else ""
        self.origin = self._origin
        self._upper: dict[int, str] = {}
        self._known: dict[str, str | None] = {}
        self.too_long = 0  # links that were none for their length
        self.left_unread = False  # there were more links than may be read

    def resolve(self, href: str) -> str | None:
        """The absolute address, fragment kept; None where the standard's parser fails."""
        resolved = self._known.get(href, "")  # never '' once known
        if resolved == "":
            resolved = self._known[href] = self._resolve(href)
        return resolved

    def _resolve(self, href: str) -> str | None:
        if len(href) > self.most_chars:
            self.too_long += 1
            return None
        if not self._page:
            return self._slowly(href)
        first = href[:1]
        if first == "/":
            if _ROOTED.fullmatch(href):
                return self._origin + href
        elif first == "#":
            if _FRAGMENT.fullmatch(href):
                return self._page + href
        elif first == ".":
            if (upward := _UPWARD.fullmatch(href)) and (not upward[2] or _BELOW.fullmatch(upward[2])):
                return self._above(len(upward[1]) // 3) + upward[2]
        elif _is_absolute(href):
            return href
        elif _BELOW.fullmatch(href):
            return self._directory + href
        return self._slowly(href)

    def rooted(self, href: str) -> str:
        """A rooted path behind its origin, all else as it is: what it resolves to, if anything ever resolved so."""
        return self._origin + href if href[:1] == "/" else href

    def _above(self, levels: int) -> str:
        """The directory so many levels up; the root has none above it."""
        if levels not in self._upper:
            parts = self._directory[len(self._origin) :].split("/")[1:-1]
            kept = parts[: max(0, len(parts) - levels)]
            self._upper[levels] = "/".join([self._origin, *kept, ""])
        return self._upper[levels]

    def _slowly(self, href: str) -> str | None:
        if not href.isascii():
            href = _SURROGATES.sub("\ufffd", href)
            href = _in_charset(href, self._encoder) if self._encoder and self._page else href
        try:
            return str(_ADA.join_url(self.base, href))
        except ValueError:
            return None


def absolute(url: str) -> str:
    """The document's own address in the parser's spelling; itself where it is none."""
    if _is_absolute(url):
        return url
    try:
        return str(_ADA.normalize_url(_SURROGATES.sub("\ufffd", url)))
    except ValueError:
        return url


def origin_of(url: str) -> str:
    """What rooted paths below an absolute address stand behind; '' where only the parser can tell."""
    return url[: url.find("/", 8)] if _is_absolute(url) else ""


@lru_cache(maxsize=256)  # a page's own address is looked at twice, with others between
def _is_absolute(url: str) -> bool:
    """With a plain host and path."""
    root = url.find("/", 8) if url[:4] == "http" else -1
    return root > 0 and is_origin(url[:root]) and _FROM_ROOT.fullmatch(url, root) is not None


@lru_cache(maxsize=1024)  # links lead to few servers
def is_origin(text: str) -> bool:
    return _ORIGIN.fullmatch(text) is not None


def _in_charset(href: str, encoder: str) -> str:
    """Percent-encode the query in the document's encoding; what it lacks becomes a character reference."""
    rest, hash_mark, fragment = href.partition("#")
    path, mark, query = rest.partition("?")
    return path + mark + _NOT_ASCII.sub(lambda run: _quoted(run[0], encoder), query) + hash_mark + fragment


def _quoted(run: str, encoder: str) -> str:
    return _quoted_bytes(run, encoder) if _fits(run, encoder) else "".join(_each(run, encoder))


def _each(run: str, encoder: str) -> list[str]:
    return [_quoted_bytes(char, encoder) if _fits(char, encoder) else f"%26%23{ord(char)}%3B" for char in run]


def _quoted_bytes(run: str, encoder: str) -> str:
    data = _spelt(run, encoder).encode(encoder)
    return "".join(f"%{byte:02X}" if byte in _QUERY_QUOTED else chr(byte) for byte in data)


def _fits(run: str, encoder: str) -> bool:
    try:
        _spelt(run, encoder).encode(encoder)
    except UnicodeEncodeError:
        return False
    return True


def _spelt(run: str, encoder: str) -> str:
    return run.translate(_JAPANESE) if encoder in _JAPANESE_CODECS else run
