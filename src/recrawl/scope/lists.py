"""Where a list ends: pages are turned as long as each shows something the others have not.

For every list (pattern and category) it is remembered which page showed a detail first. A page all of whose details
others showed before it, or that shows none, is not followed to later pages of the same list.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import field

from recrawl.model.values import dataclass
from recrawl.scope.order import PAGE_NAMES

MOST_REMEMBERED = 2_000_000  # details, over all lists; the list not seen for longest is forgotten first

ListKey = tuple[int, str]  # pattern, category


@dataclass(slots=True)
class Lists:
    _shown: "OrderedDict[ListKey, dict[int, int]]" = field(default_factory=OrderedDict)
    _remembered: int = 0

    def brings_new(self, key: ListKey, page: int, details: Iterable[int]) -> bool:
        """Whether this page shows a detail that no other page of its list showed before; remembers what it shows."""
        shown = self._shown.setdefault(key, {})
        self._shown.move_to_end(key)
        before = len(shown)
        fresh = False
        for detail in details:
            fresh |= shown.setdefault(detail, page) == page
        self._remembered += len(shown) - before
        while self._remembered > MOST_REMEMBERED and len(self._shown) > 1:
            self._remembered -= len(self._shown.popitem(last=False)[1])
        return fresh


def turns_to_later(here: dict[str, str], there: dict[str, str]) -> bool:
    """Whether an address of the same pattern is a later page of the same list."""
    differing = [name for name in there if there[name] != here.get(name)]
    return len(differing) == 1 and is_page_number(differing[0], here, there)


def is_page_number(name: str, here: dict[str, str], there: dict[str, str]) -> bool:
    one, other = here.get(name, ""), there[name]
    known = name.lower() in PAGE_NAMES or name.isdigit()
    return known and one.isdecimal() and other.isdecimal() and int(other) > int(one)
