"""Links with their place in the page: what stands in one place of a template stands there on every page of it."""

from recrawl.extract.document import Parsed
from recrawl.extract.forms import forms_of
from recrawl.extract.html import Tree
from recrawl.extract.links import clicks_of, links_of_anchor
from recrawl.extract.places import signature
from recrawl.extract.resolve import Resolver
from recrawl.model.address import fingerprint
from recrawl.model.page import Link
from recrawl.model.values import dataclass

ANCESTORS = 4  # how much of the way from the root names a place
FORM = fingerprint("form")


@dataclass(frozen=True, slots=True)
class Anchor:
    link: Link
    place: int


def anchors_of(parsed: Parsed) -> list[Anchor]:
    """Every anchor of the document in order, with what else can be clicked, then its forms."""
    if parsed.tree is None:
        return []
    tree, resolver = parsed.tree, Resolver(parsed.base, parsed.charset)
    found: list[Anchor] = []
    way: list[str] = []
    for step in tree.walk(("script", "style", "template")):
        if not step.tag:
            continue
        del way[step.depth :]
        way += [""] * (step.depth - len(way))
        way.append(_signature(tree, step.tag, step.element))
        if step.tag in ("a", "area"):
            links = links_of_anchor(tree, step.element, step.tag, resolver, parsed.settings)
        else:
            links = clicks_of(tree, step.element) if parsed.settings.scripts else []
        if links:
            place = fingerprint("/".join(way[-ANCESTORS:]))
            found += [Anchor(link, place) for link in links]
        if len(found) >= parsed.settings.link_limit:
            break
    return found + [Anchor(link, FORM) for link in (forms_of(tree, resolver) if parsed.settings.forms else ())]


def _signature(tree: Tree, tag: str, element: object) -> str:
    return signature(tag, tree.attribute(element, "id") or "", tree.attribute(element, "class") or "")
