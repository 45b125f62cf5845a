"""Ready-made records: what a page says of itself in JSON-LD, microdata or OpenGraph.

The first of the three that tells of a thing wins. What every page of a site repeats (its name, its owner, the way to
the page) counts only where there is nothing else.
"""

from collections.abc import Iterable, Sequence

import turbohtml

from recrawl.extract.structured_json_ld import Thing
from recrawl.extract.structured_json_ld import things as json_ld_things
from recrawl.extract.values import Resolve
from recrawl.model.record import RecordSource, canonical_json
from recrawl.model.values import dataclass

MOST_ITEMS = 100  # of a page
MOST_CHARS = 200_000  # of one thing, as JSON

NAVIGATION = frozenset(
    {
        "BreadcrumbList",
        "ListItem",
        "SearchAction",
        "SiteNavigationElement",
        "WPHeader",
        "WPFooter",
        "WPSideBar",
        "WPAdBlock",
    }
)
EVERYWHERE = frozenset(
    {"WebSite", "WebPage", "CollectionPage", "ItemPage", "AboutPage", "Organization", "Corporation", "ImageObject"}
)
FAMILIES = ("og:", "article:", "product:", "book:", "profile:", "video:", "music:")
LINKS = ("url", "image", "video", "audio", "image:url", "image:secure_url", "video:url", "audio:url")


@dataclass(frozen=True, slots=True)
class Item:
    kind: str
    source: RecordSource
    data: Thing


def items(document: turbohtml.Document, resolve: Resolve, base: str = "") -> list[Item]:
    """The things a page tells of, in its order."""
    told = [*_json_ld(document), *_microdata(document, base)]
    told = _first_source(
        [one for one in told if one.kind not in NAVIGATION and len(canonical_json(one.data)) < MOST_CHARS]
    )
    main = [one for one in told if one.kind not in EVERYWHERE]
    return (main or [*_opengraph(document, resolve)] or told)[:MOST_ITEMS]


def _first_source(told: Sequence[Item]) -> list[Item]:
    """A kind told of in two ways is told twice."""
    source = {one.kind: one.source for one in reversed(told)}
    return [one for one in told if one.source is source[one.kind]]


def _json_ld(document: turbohtml.Document) -> Iterable[Item]:
    scripts = document.select('script[type="application/ld+json" i]')
    for thing in json_ld_things([script.text for script in scripts]):
        kind = _kind(thing.pop("@type", ""))
        if thing:
            yield Item(kind, RecordSource.JSON_LD, thing)


def _microdata(document: turbohtml.Document, base: str) -> Iterable[Item]:
    try:
        found = document.microdata(base_url=base) if base else document.microdata()
    except (RecursionError, ValueError):  # nested beyond reason
        return
    for item in found:
        thing = _thing(item)
        kind = _kind(thing.pop("@type", ""))
        if thing:
            yield Item(kind, RecordSource.MICRODATA, thing)


def _thing(item: turbohtml.MicrodataItem) -> Thing:
    """As JSON-LD would say it. turbohtml refuses nesting beyond 400, so this ends."""
    thing: Thing = {"@type": _kind(item.type or "")}
    if item.id:
        thing["@id"] = item.id
    for name, values in item.properties.items():
        told = [_thing(one) if isinstance(one, turbohtml.MicrodataItem) else " ".join(one.split()) for one in values]
        thing[name] = told[0] if len(told) == 1 else told
    return thing


def _opengraph(document: turbohtml.Document, resolve: Resolve) -> Iterable[Item]:
    found: dict[str, list[str]] = {}
    for meta in document.select("meta[property][content], meta[name][content]"):
        name = (meta.attr("property") or meta.attr("name") or "").strip().lower()
        value = " ".join((meta.attr("content") or "").split())
        if name.startswith(FAMILIES) and value:
            short = name.removeprefix("og:")
            found.setdefault(short, []).append((resolve(value) or value) if short in LINKS else value)
    kind = found.pop("type", ["website"])[0]
    if "title" in found or len(found) > 1:
        data: Thing = {name: values[0] if len(values) == 1 else values for name, values in found.items()}
        yield Item(kind, RecordSource.OPENGRAPH, data)


def _kind(written: object) -> str:
    """`https://schema.org/Product`, `schema:Product`, ["Product", "Thing"] → Product."""
    first = written[0] if isinstance(written, list) and written else written
    words = str(first or "").split()
    return words[0].rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2] if words else ""
