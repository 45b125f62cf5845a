"""The patterns and rewritings of one site, put together."""

from recrawl.formats.templates import REGEX_MARK, check, is_script
from recrawl.model.address import Address
from recrawl.model.failure import ConfigError, FormatError
from recrawl.model.page import Link
from recrawl.model.site import Pattern, Site
from recrawl.model.values import dataclass
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.order import category_of
from recrawl.scope.patterns import Patterns
from recrawl.scope.patterns_read import read_shape
from recrawl.scope.patterns_site import SCRIPT, Drop, Unwanted, Wanted, selector_of
from recrawl.scope.rewrite import LONGEST_CHAIN, Rewriter, Template, read_template
from recrawl.scope.rewrite_calls import Calls


@dataclass(frozen=True, slots=True)
class _Compiled:
    pattern: Pattern
    target: Template | None
    category: Template | None
    keys: tuple[str, ...] = ()  # its query parameters, in the order they are written


class Written:
    def __init__(self, site: Site, canonicaliser: Canonicaliser) -> None:
        self._canonicaliser = canonicaliser
        self._patterns = site.patterns
        try:
            self._rewriter = Rewriter(site.rewrites)
            self._compiled = [_compiled(pattern) for pattern in site.patterns]
            places = [place for place, one in enumerate(site.patterns) if not is_script(one.match)]
            self._places = places
            self._addresses = Patterns([site.patterns[place].match for place in places])
            self._calls = Calls([(place, one.match) for place, one in enumerate(site.patterns) if is_script(one.match)])
        except FormatError as error:
            raise ConfigError(f"site {site.name}: {error}") from error

    @property
    def needs_scripts(self) -> bool:
        return bool(self._calls) or self._rewriter.needs_scripts

    def read(self, link: Link, base: str, parent_category: str) -> Wanted | Unwanted:
        if link.relation == SCRIPT:
            return self._script(link.url, base, parent_category)
        address = self._canonicaliser.canonical(link.url, base)
        if address is None:
            return Unwanted(Drop.NOT_HTTP)
        return self._address(address, base, parent_category, ())

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
        if not self._patterns:
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
