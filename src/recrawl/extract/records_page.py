"""From the bytes of an answer to what records are read from."""

from collections.abc import Sequence

import turbohtml

from recrawl.extract.bounds import bounded, within
from recrawl.extract.charset import decode
from recrawl.extract.links import base_of
from recrawl.extract.mime import Kind, kind_of
from recrawl.extract.records import record_of
from recrawl.extract.records_tree import page_tree
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import DEFAULT
from recrawl.extract.structured import Item, items
from recrawl.extract.turbo import TurboTree
from recrawl.extract.wrapper import Extraction, Wrapper
from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class OpenPage:
    document: turbohtml.Document
    resolver: Resolver

    def by(self, wrapper: Wrapper) -> Extraction:
        """What the fields of a site file find."""
        return record_of(wrapper, self.document, self.resolver.resolve)

    def ready_made(self) -> list[Item]:
        """What the page says of itself."""
        return items(self.document, self.resolver.resolve, self.resolver.base)


def open_page(body: bytes, content_type: str, url: str, headers: Sequence[tuple[str, str]] = ()) -> OpenPage | None:
    """None: it is no HTML."""
    nosniff = any(name.lower() == "x-content-type-options" and "nosniff" in value.lower() for name, value in headers)
    if kind_of(body, content_type, sniff=not nosniff) not in (Kind.HTML, Kind.XHTML):
        return None
    text, charset, _ = decode(within(body, DEFAULT.source_bytes), content_type)
    document = page_tree(bounded(text, len(body), DEFAULT).sound)
    return OpenPage(document, Resolver(base_of(TurboTree(document), url, charset), charset, DEFAULT.href_chars))
