"""Pages that are expected to be alike: the groups whose laws a page starts from."""

from collections.abc import Sequence
from typing import Protocol, cast

from recrawl.model.page import Page
from recrawl.model.site import Kind
from recrawl.native import compiled
from recrawl.schedule import group_names as known

if compiled is not None:
    compiled.kin(Page, Kind.GENERAL)


class Knowing(Protocol):
    """A policy that knows sites."""

    @property
    def knowledge(self) -> known.Met: ...


def group_names(policy: Knowing, pages: Sequence[Page], now: float) -> list[str]:
    """Whom each page is expected to be like; pages in their first weeks are like each other, whatever their pattern."""
    plain = _plain_names(policy, pages, now) if compiled is not None else [None] * len(pages)
    if all(plain):
        return cast(list[str], plain)
    return [name or group_name(policy, page, now) for name, page in zip(plain, pages, strict=True)]


def _plain_names(policy: Knowing, pages: Sequence[Page], now: float) -> list[str | None]:
    """By the compiled part, which leaves some to `group_name`."""
    names: list[str | None] = compiled.kin_names(
        list(pages), known.met_at(policy.knowledge), now, known.FIRST_S, known.YOUTH_S
    )
    return names


def group_name(policy: Knowing, page: Page, now: float) -> str:
    new = known.is_new(policy.knowledge, page.site, page.found_at, now)
    return known.group_name(page.site, "" if new else pattern_of(page), new)


def pattern_of(page: Page) -> str:
    """Pages expected to be alike: by the site file's kind and category, else by the first folder and the ending."""
    if page.category or page.kind is not Kind.GENERAL:
        return f"{page.kind.value}/{page.category}"
    below = page.url.split("/", 3)[3:]
    path = below[0].partition("?")[0] if below else ""
    folder, _, rest = path.partition("/")
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return f"{folder if rest else ''}.{ending[:8] if dot else ''}"
