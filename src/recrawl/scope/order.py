"""Which page first: S2's order, detail > list of the start page's category > other lists, then importance and depth.

What is known already waits for what is new, and lists are looked at again before the details they lead to:

    new detail > new list of the start's category, any list again > detail again, general > new list of another category
"""

from collections.abc import Mapping

from recrawl.model.page import Page, Rank
from recrawl.model.site import Kind

PAGE_NAMES = ("page", "p", "pg", "pageno", "paged", "offset", "start")  # captures that turn pages, not categories


def rank_of(kind: Kind, category: str, near: frozenset[str]) -> int:
    """The rank of a page never visited. `near`: categories of the start pages."""
    if kind is Kind.LIST:
        return Rank.LIST_NEAR if category in near else Rank.LIST
    return _RANKS[kind]


_RANKS = {Kind.DETAIL: Rank.DETAIL, Kind.GENERAL: Rank.GENERAL, Kind.SIGNAL: Rank.SIGNAL}


def place_in_line(page: Page) -> tuple[int, float, int]:
    """Sort key among pages found together."""
    return page.rank, -page.importance, page.depth


def category_of(kind: Kind, values: Mapping[str, str], written: str, parent: str) -> str:
    """From the capture called `category`; for a list from its first capture that does not turn pages (S2's category
    id); for a detail page from the list it was found on."""
    if written:
        return written
    if "category" in values:
        return values["category"]
    if kind is not Kind.LIST:
        return parent
    return next((value for name, value in values.items() if name.lower() not in PAGE_NAMES), "")
