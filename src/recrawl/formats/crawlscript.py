"""S2's URL-pattern script: XML ↔ sites.

    <crawlscript>
      <site title="…">
        <identity value="www.web.com"/>
        <url type="detail" class="person">
          <originalAddr type="javascript">javascript:show_detail({0})</originalAddr>
          <targetAddr>http://www.web.com/detail.aspx?per_id={0}</targetAddr>
        </url>
      </site>
    </crawlscript>

A hostile file costs nothing: no document type, so no entities; bounded in size and depth; nothing is fetched.
"""

from dataclasses import fields

from recrawl.formats.crawlscript_tree import Element, read_tree
from recrawl.formats.templates import SCRIPT_MARK, captured, check, is_script
from recrawl.formats.xml_text import escape, quoteattr
from recrawl.model.failure import FormatError
from recrawl.model.nearest import nearest
from recrawl.model.site import Kind, Pattern, Site
from recrawl.model.site_name import name_of_server
from recrawl.model.values import dataclass

MOST_BYTES = 16 * 1024 * 1024
KINDS = {"list": Kind.LIST, "detail": Kind.DETAIL}
ADDRESS_TYPES = ("url", "javascript")


@dataclass(frozen=True, slots=True)
class _Shape:
    """What an element may hold: attributes (with whether they are needed) and children."""

    attributes: dict[str, bool]
    children: tuple[str, ...] = ()
    text: bool = False


_SHAPES = {
    "crawlscript": _Shape({}, ("site",)),
    "site": _Shape({"title": False}, ("identity", "url")),
    "identity": _Shape({"value": True}),
    "url": _Shape({"type": True, "class": False}, ("originalAddr", "targetAddr")),
    "originalAddr": _Shape({"type": True}, text=True),
    "targetAddr": _Shape({}, text=True),
}


def parse(data: bytes | str, source: str = "") -> tuple[Site, ...]:
    """Every site of the script. FormatError with line and column for whatever is not as S2 describes it."""
    raw = data.encode() if isinstance(data, str) else data
    if len(raw) > MOST_BYTES:
        raise FormatError(f"a crawl script has at most {MOST_BYTES} bytes, this one has {len(raw)}", source=source)
    root = read_tree(raw, source, declared=not isinstance(data, str))
    if root.name != "crawlscript":
        raise root.wrong(f"the outermost element is <crawlscript>, not <{root.name}>")
    _check(root)
    if not root.children:
        raise root.wrong("a <crawlscript> holds at least one <site>")
    return tuple(_site(child) for child in root.children)


def render(sites: tuple[Site, ...] | list[Site], leave_out: bool = False) -> str:
    """FormatError for what a script cannot say, unless that may be left out."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<crawlscript>"]
    for site in sites:
        problems = unsayable(site)
        if problems and (not leave_out or len(site.hosts) != 1 or not _sayable_patterns(site)):
            raise FormatError(
                f"site {site.name!r} has what a crawl script cannot say: {'; '.join(problems)}. "
                "Remove it, keep the TOML, or leave it out knowingly with --lossy."
            )
        lines += _site_lines(site)
    return "\n".join([*lines, "</crawlscript>"]) + "\n"


def unsayable(site: Site) -> list[str]:
    """What of a site has no place in a crawl script, a phrase each."""
    blank = Site(name=site.name, seeds=(), hosts=site.hosts, title=site.title, patterns=site.patterns)
    problems = [one.name for one in fields(site) if getattr(site, one.name) != getattr(blank, one.name)]
    if len(site.hosts) != 1:
        problems.append(f"hosts (one is needed, for <identity>; there are {len(site.hosts)})")
    if not site.patterns:
        problems.append("no patterns (a script has at least one)")
    for place, pattern in enumerate(site.patterns, 1):
        plain = Pattern(pattern.kind, pattern.match, target=pattern.target, item_class=pattern.item_class)
        wrong = [one.name for one in fields(pattern) if getattr(pattern, one.name) != getattr(plain, one.name)]
        wrong += ["a regular expression"] if pattern.match.startswith("re:") else []
        wrong += [f"kind {pattern.kind.value}"] if pattern.kind not in KINDS.values() else []
        problems += [f"pattern {place}: {word}" for word in wrong]
    return problems


def _sayable_patterns(site: Site) -> bool:
    return bool(site.patterns) and all(
        one.kind in KINDS.values() and not one.match.startswith("re:") for one in site.patterns
    )


def _site(element: Element) -> Site:
    identities = [child for child in element.children if child.name == "identity"]
    if len(identities) != 1:
        raise element.wrong(f"a <site> has exactly one <identity>, this one has {len(identities)}")
    identity = identities[0].attributes["value"].strip()
    if not identity or any(mark in identity for mark in "/?#@ \t\n"):
        raise identities[0].wrong(
            f"identity value {identity!r} is not a host; write the host alone, such as www.web.com", "value"
        )
    patterns = tuple(_pattern(child) for child in element.children if child.name == "url")
    if not patterns:
        raise element.wrong("a <site> holds at least one <url>")
    title = element.attributes.get("title", "")
    return Site(name=_name(identity), seeds=(), hosts=(identity,), title=title, patterns=patterns)


def _pattern(element: Element) -> Pattern:
    kind = _choice(element, "type", tuple(KINDS))
    original, target = (_one(element, name) for name in ("originalAddr", "targetAddr"))
    written = _choice(original, "type", ADDRESS_TYPES)
    match, address = original.text.strip(), target.text.strip()
    if not match or not address:
        empty = original if not match else target
        raise empty.wrong(f"<{empty.name}> is empty; write an address")
    if is_script(match) != (written == "javascript"):
        raise original.wrong(
            f'type="{written}" and the address {match!r} do not agree: a script starts with {SCRIPT_MARK}', "type"
        )
    _check_captures(original, target, match, address)
    same = address == match
    return Pattern(KINDS[kind], match, target="" if same else address, item_class=element.attributes.get("class", ""))


def _check_captures(original: Element, target: Element, match: str, address: str) -> None:
    try:
        captured(match)
    except FormatError as error:
        raise original.wrong_text(error.message, match, error.column) from error
    try:
        check(match, address)
    except FormatError as error:
        at = target if error.column else original
        raise at.wrong_text(error.message, address if error.column else match, error.column) from error


def _one(element: Element, name: str) -> Element:
    found = [child for child in element.children if child.name == name]
    if len(found) != 1:
        raise element.wrong(f"a <url> has exactly one <{name}>, this one has {len(found)}")
    return found[0]


def _choice(element: Element, attribute: str, known: tuple[str, ...]) -> str:
    value = element.attributes[attribute]
    if value not in known:
        near = nearest(value, known)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise element.wrong(
            f"unknown {attribute} {value!r} of <{element.name}>: it is one of {', '.join(known)}{hint}", attribute
        )
    return value


def _check(element: Element) -> None:
    """Names, attributes and nesting, from the outside in."""
    shape = _SHAPES[element.name]
    for name in element.attributes:
        if name not in shape.attributes:
            known = ", ".join(shape.attributes) or "none"
            raise element.wrong(f"unknown attribute {name!r} of <{element.name}>; known: {known}", name)
    for name, needed in shape.attributes.items():
        if needed and name not in element.attributes:
            raise element.wrong(f"<{element.name}> needs the attribute {name!r}")
        if element.attributes.get(name) == "":
            raise element.wrong(f"the attribute {name!r} of <{element.name}> is empty", name)
    if not shape.text and element.text.strip():
        raise element.wrong_text(f"text is not expected in <{element.name}>", element.text.strip(), None)
    for child in element.children:
        if child.name not in shape.children:
            inside = ", ".join(f"<{name}>" for name in shape.children) or "nothing"
            raise child.wrong(f"<{child.name}> is not expected in <{element.name}>, which holds {inside}")
        _check(child)


def _site_lines(site: Site) -> list[str]:
    title = f" title={_quoted(site.title)}" if site.title else ""
    lines = [f"  <site{title}>", f"    <identity value={_quoted(site.hosts[0])}/>"]
    words = {kind: word for word, kind in KINDS.items()}
    for pattern in site.patterns:
        item_class = f" class={_quoted(pattern.item_class)}" if pattern.item_class else ""
        written = "javascript" if is_script(pattern.match) else "url"
        lines += [
            f'    <url type="{words[pattern.kind]}"{item_class}>',
            f'      <originalAddr type="{written}">{escape(pattern.match)}</originalAddr>',
            f"      <targetAddr>{escape(pattern.target or pattern.match)}</targetAddr>",
            "    </url>",
        ]
    return [*lines, "  </site>"]


def _quoted(text: str) -> str:
    return quoteattr(text, {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def _name(identity: str) -> str:
    """As `recrawl add` would call a site of that host: hosts may have letters that names of sites have not."""
    try:
        host = identity.encode("idna").decode()
    except UnicodeError:
        host = identity
    return name_of_server(host.lower())
