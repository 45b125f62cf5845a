"""What a link of one site stands for, and whether it is wanted. Most sites have no patterns and no rewritings: what
reads these (`patterns_script`) comes with the first site that has some."""

from dataclasses import field
from enum import StrEnum
from typing import Any

from recrawl.model.address import Address
from recrawl.model.late import late_module
from recrawl.model.page import Link
from recrawl.model.site import Kind, Pattern, Site
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.scope.canonical import Canonicaliser

SCRIPT = "script"  # the relation of links that are code
SELECTOR_MARK = "css:"
_PATTERNS = late_module("recrawl.scope.patterns_script")


class Drop(StrEnum):
    """Why a link is no page of this site."""

    NOT_HTTP = "not_http"
    NO_PATTERN = "no_pattern"
    NO_REWRITE = "script_without_rewrite"
    NOTHING_NEW = "list_brought_nothing_new"


SENTENCES = {
    Drop.NOT_HTTP: "It is no address that can be fetched.",
    Drop.NO_PATTERN: "No pattern matches.",
    Drop.NO_REWRITE: "It is script code that no rewriting describes.",
    Drop.NOTHING_NEW: "The list page before it brought nothing new, so the list ends there.",
}


@swift
@dataclass(frozen=True, slots=True)
class Wanted:
    """A link understood. `pattern` None: the site has no patterns, every page is welcome. `via`: what the link was
    rewritten to on its way, the last one being `address`."""

    address: Address
    kind: Kind = Kind.GENERAL
    category: str = ""
    importance: float = 1.0
    pattern: int | None = None
    values: dict[str, str] = field(default_factory=dict)
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unwanted:
    reason: Drop
    address: Address | None = None

    @property
    def sentence(self) -> str:
        return SENTENCES[self.reason]


class Script:
    """Compiled once a site; asked for every link."""

    def __init__(self, site: Site, canonicaliser: Canonicaliser) -> None:
        self._canonicaliser = canonicaliser
        self.patterns = site.patterns
        self.has_selectors = any(map(selector_of, site.patterns))
        self._written: Any = None  # a `patterns_script.Written`
        if site.patterns or site.rewrites:
            self._written = _PATTERNS.Written(site, canonicaliser)

    def __bool__(self) -> bool:
        """Whether there is anything to say beyond the site's rules."""
        return self._written is not None

    @property
    def needs_scripts(self) -> bool:
        return self._written is not None and bool(self._written.needs_scripts)

    def selector(self, url: str) -> str:
        """The CSS selector that names the category of the page at this address; '' if its address does."""
        if not self.has_selectors:
            return ""
        read = self.kind_of(url)
        return selector_of(self.patterns[read.pattern]) if isinstance(read, Wanted) and read.pattern is not None else ""

    def read(self, link: Link, base: str, parent_category: str = "") -> Wanted | Unwanted:
        if self._written is not None:
            found: Wanted | Unwanted = self._written.read(link, base, parent_category)
            return found
        if link.relation == SCRIPT:
            return Unwanted(Drop.NO_REWRITE)
        address = self._canonicaliser.canonical(link.url, base)
        return Unwanted(Drop.NOT_HTTP) if address is None else Wanted(address)

    def kind_of(self, url: str) -> Wanted | Unwanted:
        """Of an address as such: a seed, or where a redirect led."""
        return self.read(Link(url), url)


def selector_of(pattern: Pattern) -> str:
    """The CSS selector that names the category of a page, '' if the address does."""
    return pattern.category.removeprefix(SELECTOR_MARK) if pattern.category.startswith(SELECTOR_MARK) else ""
