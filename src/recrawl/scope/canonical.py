"""Turns any link into the one canonical spelling of its address, or says why it has none.

First the WHATWG parser (as a browser would read the link), then the rules of `docs/reference/addresses.md`.
"""

import re
from enum import StrEnum

from recrawl.model.address import Address, server_of
from recrawl.model.late import late
from recrawl.model.values import dataclass
from recrawl.native import compiled
from recrawl.scope.canonical_rules import CanonicalRules
from recrawl.scope.clean import ABSOLUTE, BESIDE, ROOTED
from recrawl.scope.encoding import normal_encoding
from recrawl.scope.resolve import resolve


class Fault(StrEnum):
    """Why a link has no canonical address."""

    NONE = ""
    TOO_LONG = "address_too_long"
    UNREADABLE = "address_unreadable"
    SCHEME = "address_scheme"
    HOST = "address_host"


SENTENCES = {
    Fault.NONE: "The address is fine.",
    Fault.TOO_LONG: "The address is longer than the limit of `url_characters`.",
    Fault.UNREADABLE: "It is not an address, even to a browser (a relative link needs a base).",
    Fault.SCHEME: "Only http and https addresses are visited.",
    Fault.HOST: "The host has an empty label, so no name server could know it.",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """The outcome with its reason. `address` is None exactly when there is a fault."""

    address: Address | None
    fault: Fault = Fault.NONE

    @property
    def sentence(self) -> str:
        return SENTENCES[self.fault]


class _Faulty(Exception):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


class Canonicaliser:
    """Knows the rules; keeps nothing else. `page` gives a reader for many links of one document."""

    __slots__ = ("_dropped_in_path", "_fates", "_limit", "_sorted", "rules")

    def __init__(self, rules: CanonicalRules | None = None) -> None:
        self.rules = rules or CanonicalRules()
        self._fates = self.rules.parameter_fates()
        self._dropped_in_path = self.rules.dropped_path_parameter()
        self._sorted = self.rules.sort_query
        self._limit = self.rules.url_characters

    def canonical(self, link: str, base: str | None = None) -> Address | None:
        """Law: canonical(canonical(x).url).url == canonical(x).url, whatever the base."""
        return self.clean(link) or self.explain(link, base).address

    def page(self, base: str) -> "PageLinks":
        return PageLinks(self, base)

    def explain(self, link: str, base: str | None = None) -> Reading:
        try:
            return Reading(self.clean(link) or self._read(link, base))
        except _Faulty as faulty:
            return Reading(None, faulty.fault)

    def clean(self, link: str) -> Address | None:
        """The address of an absolute link that is spelt well already; None: look properly."""
        found = ABSOLUTE.fullmatch(link)
        if found is None or len(link) > self._limit:
            return None
        authority, query = found.groups()
        return Address(link if query is None else link.removesuffix(query) + self.tidy(query), authority)

    def clean_behind(self, origin: str, urls: list[str]) -> list[str]:
        """Those addresses that are canonical at a glance, behind this origin, which is."""
        if compiled is not None:
            clean: list[str] = compiled.clean_behind(origin, urls, self._limit)
            return clean
        return [url for url in urls if url.startswith(f"{origin}/") and self.is_clean_behind(origin, url)]

    def is_clean_behind(self, origin: str, url: str) -> bool:
        """Whether an address behind this origin, which is canonical, is so at a glance; False: look properly."""
        found = ROOTED.fullmatch(url, len(origin))
        return found is not None and found[1] is None and len(url) <= self._limit

    def tidy(self, query: str) -> str:
        """A well-spelt query, question mark included, without what the rules drop, in the order they want."""
        drops = self._fates.drops
        parts = query[1:].split("&")
        kept = [part for part in parts if part and not drops(part)]
        if self._sorted:
            kept.sort(key=_parameter_name)
        elif len(kept) == len(parts):
            return query
        return "?" + "&".join(kept) if kept else ""

    def _read(self, link: str, base: str | None) -> Address:
        if len(link) > 4 * self._limit:
            raise _Faulty(Fault.TOO_LONG)
        href = resolve(link, base) or resolve(link)  # an absolute link can do without a broken base
        if href is None:
            raise _Faulty(Fault.UNREADABLE)
        if clean := self.clean(href):
            return clean
        found = _PARTS.fullmatch(href)
        if found is None:
            raise _Faulty(Fault.SCHEME)
        scheme, authority, path, query, fragment = found.groups()
        url = f"{scheme}://{_host(authority)}{self._path(path)}{self.tidy(normal_encoding(query or ''))}"
        if self.rules.keep_hashbang and fragment and fragment.startswith("#!"):
            url += normal_encoding(fragment)
        if len(url) > self._limit:
            raise _Faulty(Fault.TOO_LONG)
        return Address(url, server_of(url))

    def _path(self, path: str) -> str:
        path = normal_encoding(path)
        if ";" in path:
            path = _without_dot_segments(self._dropped_in_path.sub("", path))
        if "//" in path and self.rules.collapse_slashes:
            path = _SLASHES.sub(r"\1/", path)
        return path


class PageLinks:
    """Reads the links of one document against its base, each distinct link once."""

    __slots__ = ("_base", "_canonicaliser", "_directory", "_limit", "_memo", "_origin", "_server")

    def __init__(self, canonicaliser: Canonicaliser, base: str) -> None:
        self._canonicaliser = canonicaliser
        self._base = base
        self._limit = canonicaliser.rules.url_characters
        self._memo: dict[str, Address | None] = {}
        home = canonicaliser.canonical(base)
        plain = canonicaliser.clean(base.partition("#")[0])
        self._server = home.server if home else ""
        self._origin = home.url[: home.url.index("/", 8)] if home else ""
        self._directory = _directory(plain.url) if plain else ""

    def canonical(self, link: str) -> Address | None:
        memo = self._memo
        if link in memo:
            return memo[link]
        address = memo[link] = self._read(link)
        return address

    def _read(self, link: str) -> Address | None:
        short = link
        if "#" in link and not self._canonicaliser.rules.keep_hashbang:
            short = link[: link.index("#")]
        if short.startswith("/"):
            prefix, found = self._origin, ROOTED.fullmatch(short)
        elif short.startswith("http"):
            return self._canonicaliser.clean(short) or self._canonicaliser.explain(link, self._base).address
        else:
            prefix, found = self._directory, BESIDE.fullmatch(short)
        if found is None or not prefix or len(prefix) + len(short) > self._limit:
            return self._canonicaliser.explain(link, self._base).address
        query = found[1]
        url = prefix + short if query is None else prefix + short.removesuffix(query) + self._canonicaliser.tidy(query)
        return Address(url, self._server)


_PARTS = late(r"(https?)://(?:[^/@]*@)?([^/]+)(/[^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_SLASHES = late(r"(:/|)/+")  # `://` inside a path (a web archive's address) is left in peace


def _host(authority: str) -> str:
    """Without the dot that ends a fully qualified name."""
    if authority.startswith("["):
        return authority
    name, colon, port = authority.partition(":")
    name = name.removesuffix(".")
    if not name or name.startswith(".") or name.endswith(".") or ".." in name:
        raise _Faulty(Fault.HOST)
    return name + colon + port


def _without_dot_segments(path: str) -> str:
    """RFC 3986 5.2.4 once more: a dropped parameter may have left a bare `.` or `..` behind."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _parameter_name(part: str) -> str:
    return part.partition("=")[0]


def _directory(url: str) -> str:
    path_end = url.find("?")
    return url[: url.rindex("/", 0, path_end if path_end >= 0 else len(url)) + 1]
