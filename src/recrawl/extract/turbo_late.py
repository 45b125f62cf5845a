"""turbohtml and what stands on it, loaded with the first page that needs a tree, a character by its name or an old
encoding: a twelfth of a run's start and three megabytes, and pages that did not change need none of it."""

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

from recrawl.extract.html import Node, Tree
from recrawl.extract.text import Reading
from recrawl.extract.wrapper import Wrapper
from recrawl.model.late import late_module
from recrawl.model.site import Field

_TURBOHTML = late_module("turbohtml")
_DETECT = late_module("turbohtml.detect")
_TURBO = late_module("recrawl.extract.turbo")
_FLAT = late_module("recrawl.extract.text_flat")
_SELECTOR = late_module("recrawl.extract.selector")
_RECORDS = late_module("recrawl.extract.records")
_PAGE = late_module("recrawl.extract.records_page")


def parse(text: str) -> Tree:
    tree: Tree = _TURBO.parse(text)
    return tree


def parse_xml(text: str) -> Tree | None:
    tree: Tree | None = _TURBO.parse_xml(text)
    return tree


def read_flat(tree: Tree, nodes: Iterable[Node], ignored: Collection[Hashable], chars: int, limit: int) -> Reading:
    reading: Reading = _FLAT.read_flat(tree, nodes, ignored, chars, limit)
    return reading


def is_element(node: Node | None) -> bool:
    return isinstance(node, _TURBOHTML.Element)


def unescape(text: str) -> str:
    plain: str = _TURBOHTML.unescape(text)
    return plain


def detect(sample: bytes) -> Any:
    """The encoding that it looks like."""
    return _DETECT.detect(sample)


def decode(body: bytes, encoding: str, errors: str = "strict") -> str:
    """By the tables of the WHATWG, which are there when the detector is."""
    _ = _DETECT.detect
    return body.decode(f"whatwg-{encoding}", errors)


def fault_of(selector: str) -> str:
    """What is wrong with a CSS selector; '' if nothing is."""
    fault: str = _SELECTOR.fault_of(selector)
    return fault


def wrapper_of(fields: Sequence[Field]) -> Wrapper:
    wrapper: Wrapper = _RECORDS.wrapper_of(fields)
    return wrapper


def open_page(body: bytes, content_type: str, url: str, headers: Sequence[tuple[str, str]] = ()) -> Any:
    """An `OpenPage`; None: it is no HTML."""
    return _PAGE.open_page(body, content_type, url, headers)
