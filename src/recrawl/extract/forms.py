"""GET forms as the links they are: what a press of the button would ask for, once for each choice it offers."""

from collections.abc import Iterator
from dataclasses import field
from urllib.parse import urlencode

from recrawl.extract.html import Element, Tree
from recrawl.extract.resolve import Resolver
from recrawl.model.page import Link
from recrawl.model.values import dataclass

MOST_LINKS = 500  # of one document
_SENT = frozenset({"hidden", "text", "search", "number", "date", "month", "range", "tel", "url", "email", ""})
_CHOSEN = frozenset({"checkbox", "radio"})


@dataclass(slots=True)
class _Form:
    action: str
    text: str = ""
    values: list[tuple[str, str]] = field(default_factory=list)
    choices: dict[str, list[str]] = field(default_factory=dict)  # by name, what a menu or a set of buttons offers
    secret: bool = False

    def links(self, resolver: Resolver) -> Iterator[Link]:
        """The form as it stands, and each other choice with everything else left alone."""
        queries = [self.values]
        for name, offered in self.choices.items():
            queries += [[(key, one if key == name else value) for key, value in self.values] for one in offered]
        for query in queries if not self.secret else ():
            target = resolver.resolve(self.action.partition("#")[0].partition("?")[0] + "?" + urlencode(query))
            if target is not None and target.startswith(("http://", "https://")):
                yield Link(target, "form", self.text)


def forms_of(tree: Tree, resolver: Resolver) -> list[Link]:
    if next(tree.elements(("form",)), None) is None:
        return []
    found = [link for form in _forms(tree, resolver.base) for link in form.links(resolver)]
    return list({link.url: link for link in found}.values())[:MOST_LINKS]


def _forms(tree: Tree, base: str) -> list[_Form]:
    forms: list[_Form] = []
    form, outside, menu = None, 0, ""
    for step in tree.walk(("script", "style", "template")):
        if form is not None and step.depth <= outside and step.tag:
            form = None
        if step.tag == "form":
            method = (tree.attribute(step.element, "method") or "get").strip().lower()
            form, outside = None, step.depth
            if method == "get":
                form = _Form(tree.attribute(step.element, "action") or base)
                forms.append(form)
        elif form is not None and step.tag == "select":
            menu = tree.attribute(step.element, "name") or ""
        elif form is not None and step.tag:
            _field(tree, step.tag, step.element, menu, form)
    return forms


def _field(tree: Tree, tag: str, element: Element, menu: str, form: _Form) -> None:
    name, value = tree.attribute(element, "name") or "", tree.attribute(element, "value")
    if tag == "input":
        kind = (tree.attribute(element, "type") or "").strip().lower()
        form.secret |= kind == "password"
        if name and kind in _SENT:
            form.values.append((name, value or ""))
        elif name and kind in _CHOSEN:
            _choice(form, name, "on" if value is None else value, tree.attribute(element, "checked") is not None)
    elif tag == "option" and menu:
        offered = tree.caption(element, 200) if value is None else value
        first = all(key != menu for key, _ in form.values)
        _choice(form, menu, offered, first or tree.attribute(element, "selected") is not None)
    elif tag == "button" and not form.text:
        form.text = tree.caption(element, 200)


def _choice(form: _Form, name: str, value: str, chosen: bool) -> None:
    form.choices.setdefault(name, []).append(value)
    if chosen:
        form.values = [(key, one) for key, one in form.values if key != name] + [(name, value)]
