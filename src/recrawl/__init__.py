"""recrawl keeps a local copy of the web sites you choose fresh, with as few requests as possible.

    import recrawl

    async with recrawl.open("folder", contact="you@example.org") as rc:
        rc.add("https://example.com/")
        await rc.run(once=True)
        async for change in rc.changes():
            print(change.cursor, change.kind, change.url)

Public names are those of `__all__`; they are imported when first used, so `import recrawl` costs next to nothing.
"""

from importlib import import_module

from recrawl.version import __version__ as __version__

TYPE_CHECKING = False  # checkers take it for that of `typing`, which takes longer to load than all else before `main`
if TYPE_CHECKING:
    from typing import Any

    from recrawl.launch.library import Crawl
    from recrawl.launch.library import open_crawl as open
    from recrawl.model.document import Document
    from recrawl.model.event import Event, EventKind
    from recrawl.model.failure import RecrawlError
    from recrawl.model.page import Page
    from recrawl.model.site import Site
    from recrawl.model.visit import Version

__all__ = ["Crawl", "Document", "Event", "EventKind", "Page", "RecrawlError", "Site", "Version", "open"]

_HOMES = {
    "Crawl": "recrawl.launch.library:Crawl",
    "Document": "recrawl.model.document:Document",
    "Event": "recrawl.model.event:Event",
    "EventKind": "recrawl.model.event:EventKind",
    "Page": "recrawl.model.page:Page",
    "RecrawlError": "recrawl.model.failure:RecrawlError",
    "Site": "recrawl.model.site:Site",
    "Version": "recrawl.model.visit:Version",
    "open": "recrawl.launch.library:open_crawl",
}


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module 'recrawl' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute)
