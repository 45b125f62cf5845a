"""Whoever wants a page visited now wants a new answer, not one that a killed run left.

The store cannot say so of a page that was due before, so the wish stands in a file beside the journal, a line each.
"""

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from recrawl.model.page import Page
from recrawl.model.values import dataclass

MOST_BYTES = 64 * 1024  # beyond that everything is wanted anew


@dataclass(frozen=True, slots=True)
class Wish:
    """For these pages, or all of a site; for everything if it names neither."""

    at: float
    site: str = ""
    pages: Sequence[int] = ()

    def is_for(self, page: Page) -> bool:
        return page.site == (self.site or page.site) and (not self.pages or page.id in self.pages)


def _file(journal: Path) -> Path:
    return journal / "wishes"


def wish(journal: Path, wanted: Wish) -> None:
    """Nothing to be told where no run has left a journal, nor where somebody else's cannot be written."""
    line = json.dumps([wanted.at, wanted.site, list(wanted.pages)])
    with suppress(OSError):
        if any(journal.glob("*.journal")):
            with _file(journal).open("a+", encoding="utf-8") as file:
                if file.tell() + len(line) > MOST_BYTES:
                    file.truncate(0)
                    line = json.dumps([wanted.at, "", []])
                file.write(line + "\n")


def wishes(journal: Path) -> list[Wish]:
    try:
        lines = _file(journal).read_text("utf-8").splitlines()
    except OSError:
        return []
    return [_read(line) for line in lines]


def _read(line: str) -> Wish:
    """A torn one may have been for anything."""
    try:
        return Wish(*json.loads(line))
    except (ValueError, TypeError):
        return Wish(math.inf)


def forget_wishes(journal: Path, before_at: float) -> None:
    """Once all of them are so old."""
    if all(one.at < before_at or one.at == math.inf for one in wishes(journal)):
        with suppress(OSError):
            _file(journal).unlink(missing_ok=True)
