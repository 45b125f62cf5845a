"""The patterns and rewritings of one site, put together: what does this link stand for, and is it wanted?"""

from dataclasses import field
from enum import StrEnum

from recrawl.formats.templates import REGEX_MARK, check, is_script
from recrawl.model.address import Address
from recrawl.model.failure import ConfigError, FormatError
from recrawl.model.page import Link
from recrawl.model.site import Kind, Pattern, Site
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.order import category_of
from recrawl.scope.patterns import Patterns
from recrawl.scope.patterns_read import read_shape
from recrawl.scope.rewrite import LONGEST_CHAIN, Rewriter, Template, read_template
from recrawl.scope.rewrite_calls import Calls

SCRIPT = "script"  # the relation of links that are code
SELECTOR_MARK = "css:"


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


@dataclass(frozen=True, slots=True)
class _Compiled:
    pattern: Pattern
    target: Template | None
    category: Template | None
    keys: tuple[str, ...] = ()  # its query parameters, in the order they are written


class Script:
    """Compiled once a site; asked for every link."""

    def __init__(self, site: Site, canonicaliser: Canonicaliser) -> None:
        self._canonicaliser = canonicaliser
        self.patterns = site.patterns
        self._has_selectors = any(map(selector_of, site.patterns))
        try:
            self._rewriter = Rewriter(site.rewrites)
            self._compiled = [_compiled(pattern) for pattern in site.patterns]
            places = [place for place, one in enumerate(site.patterns) if not is_script(one.match)]
            self._places = places
            self._addresses = Patterns([site.patterns[place].match for place in places])
            self._calls = Calls([(place, one.match) for place, one in enumerate(site.patterns) if is_script(one.match)])
        except FormatError as error:
            raise ConfigError(f"site {site.name}: {error}") from error

    def __bool__(self) -> bool:
        """Whether there is anything to say beyond the site's rules."""
        return bool(self.patterns or self._rewriter.rules)

    @property
    def needs_scripts(self) -> bool:
        return bool(self._calls) or self._rewriter.needs_scripts

    def selector(self, url: str) -> str:
        """The CSS selector that names the category of the page at this address; '' if its address does."""
        if not self._has_selectors:
            return ""
        read = self.kind_of(url)
        return selector_of(self.patterns[read.pattern]) if isinstance(read, Wanted) and read.pattern is not None else ""

    def read(self, link: Link, base: str, parent_category: str = "") -> Wanted | Unwanted:
        if link.relation == SCRIPT:
            return self._script(link.url, base, parent_category)
        address = self._canonicaliser.canonical(link.url, base)
        if address is None:
            return Unwanted(Drop.NOT_HTTP)
        return self._address(address, base, parent_category, ())

    def kind_of(self, url: str) -> Wanted | Unwanted:
        """Of an address as such: a seed, or where a redirect led."""
        return self.read(Link(url), url)

    def _script(self, code: str, base: str, parent_category: str) -> Wanted | Unwanted:
        if (rewritten := self._rewriter.script(code)) is not None:
            address = self._canonicaliser.canonical(rewritten[1], base)
            if address is None:
                return Unwanted(Drop.NOT_HTTP)
            return self._address(address, base, parent_category, (address.url,))
        found = self._calls.match(code)
        if found is None:
            return Unwanted(Drop.NO_REWRITE)
        return self._wanted(found[0], found[1], None, base, parent_category, ())

    def _address(self, address: Address, base: str, parent_category: str, via: tuple[str, ...]) -> Wanted | Unwanted:
        for _ in range(LONGEST_CHAIN):
            rewritten = self._rewriter.address(address.url)
            target = self._canonicaliser.canonical(rewritten[1], base) if rewritten else address
            if target is None:
                return Unwanted(Drop.NOT_HTTP, address)
            if target == address:
                break
            address, via = target, (*via, target.url)
        if not self.patterns:
            return Wanted(address, via=via)
        found = self._addresses.match(address.url)
        if found is None:
            return Unwanted(Drop.NO_PATTERN, address)
        return self._wanted(self._places[found.index], found.values, address, base, parent_category, via)

    def _wanted(
        self,
        place: int,
        values: dict[str, str],
        address: Address | None,
        base: str,
        parent_category: str,
        via: tuple[str, ...],
    ) -> Wanted | Unwanted:
        one = self._compiled[place]
        if one.target is not None:
            target = self._canonicaliser.canonical(one.target.fill(values), base)
            via = via if target is None or target == address else (*via, target.url)
            address = target
        elif address is not None and len(one.keys) > 1:
            address = _in_order(address, one.keys)
        if address is None:
            return Unwanted(Drop.NOT_HTTP)
        written = "" if one.category is None else one.category.fill(values)
        category = category_of(one.pattern.kind, values, written, parent_category)
        return Wanted(address, one.pattern.kind, category, one.pattern.importance, place, values, via)


def _in_order(address: Address, keys: tuple[str, ...]) -> Address:
    """One spelling of a page whose parameters come in many orders: that of the pattern."""
    path, _, query = address.url.partition("?")
    parts = query.split("&")
    ordered = sorted(parts, key=lambda part: keys.index(part.partition("=")[0]))
    return address if ordered == parts else Address(f"{path}?{'&'.join(ordered)}", address.server)


def selector_of(pattern: Pattern) -> str:
    """The CSS selector that names the category of a page, '' if the address does."""
    return pattern.category.removeprefix(SELECTOR_MARK) if pattern.category.startswith(SELECTOR_MARK) else ""


def _compiled(pattern: Pattern) -> _Compiled:
    check(pattern.match, pattern.target)
    category = None
    if pattern.category and not selector_of(pattern):
        check(pattern.match, pattern.category)
        category = read_template(pattern.category)
    if not pattern.target and is_script(pattern.match):
        raise FormatError(f"{pattern.match!r}: a script needs a target, the address to fetch instead")
    keys: tuple[str, ...] = ()
    if not is_script(pattern.match) and not pattern.match.startswith(REGEX_MARK):
        shape = read_shape(pattern.match)
        keys = () if shape.open_query else tuple(name for name, _ in shape.query)
    return _Compiled(pattern, read_template(pattern.target) if pattern.target else None, category, keys)
