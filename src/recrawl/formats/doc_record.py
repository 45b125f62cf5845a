"""S2's XML record of a stored document (S2.4): where it came from, where its HTML lies, what it is filed under.

    <doc type="struct"><source><url>…</url><file>…</file><site>…</site><domain>…</domain><category>…</category>
    <date>2026-11-15T10:30:00Z</date></source></doc>

`parse` and `render` are inverse, but for characters that XML cannot hold: they are written as U+FFFD.
"""

from recrawl.formats.crawlscript_tree import Element, read_tree
from recrawl.formats.xml_text import escape
from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.values import dataclass, fields_of

MOST_BYTES = 1 << 20
TYPE = "struct"

_NOT_XML = late("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WHITE = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}  # kept as written


@dataclass(frozen=True, slots=True)
class DocRecord:
    """`file` is relative to the record; `date` is when the document was fetched, as ISO 8601."""

    url: str
    file: str
    site: str = ""
    domain: str = ""
    category: str = ""
    date: str = ""


NAMES = tuple(one.name for one in fields_of(DocRecord))


def render(record: DocRecord) -> str:
    lines = "".join(f"    <{name}>{_text(getattr(record, name))}</{name}>\n" for name in NAMES)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<doc type="{TYPE}">\n  <source>\n{lines}  </source>\n</doc>\n'


def parse(data: bytes, source: str = "") -> DocRecord:
    """Entities and document types are refused; every error says where."""
    if len(data) > MOST_BYTES:
        raise FormatError(f"longer than {MOST_BYTES} bytes: this is no record of a document", source=source)
    root = read_tree(data, source)
    if root.name != "doc":
        raise root.wrong(f"a record begins with <doc>, not with <{root.name}>")
    if root.attributes.get("type") != TYPE:
        raise root.wrong(f'a record is a <doc type="{TYPE}">', "type")
    inner = _only(root, "source")
    values: dict[str, str] = {}
    for element in inner.children:
        if element.name not in NAMES:
            raise element.wrong(f"<{element.name}> is not known here; there are {', '.join(NAMES)}")
        if element.name in values:
            raise element.wrong(f"<{element.name}> stands here twice")
        if element.children:
            raise element.children[0].wrong(f"<{element.name}> holds text alone")
        values[element.name] = element.text
    for name in ("url", "file"):
        if not values.get(name):
            raise inner.wrong(f"the record has no <{name}>")
    return DocRecord(**values)


def _only(root: Element, name: str) -> Element:
    found = [element for element in root.children if element.name == name]
    if len(found) != 1 or len(root.children) != 1:
        raise root.wrong(f"<{root.name}> holds one <{name}> and nothing else")
    return found[0]


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", value), _WHITE)
