"""What an errand looks like among the pages (see `errands`, which is loaded with the first of them)."""

from collections.abc import Mapping

from recrawl.model.address import fingerprint, server_of
from recrawl.model.batch import Batch
from recrawl.model.page import Page, Rank
from recrawl.model.site import Kind
from recrawl.ports import Store

KEY, TOPIC, HUB = "indexnow-key", "websub-topic", "websub-hub"
ERRANDS = frozenset({KEY, TOPIC, HUB})


def is_errand(page: Page) -> bool:
    return page.kind is Kind.SIGNAL and page.category in ERRANDS


def errand(category: str, url: str, site: str, now: float, name: str = "") -> Page:
    """`name` makes it another one than that of the same address: an address may be a page, too."""
    return Page(
        id=fingerprint(f"{category} {name or url}"),
        url=url,
        server=server_of(url),
        site=site,
        kind=Kind.SIGNAL,
        category=category,
        rank=Rank.NOTICED,
        found_at=now,
        due_at=now,
    )


def send(store: Store, page: Page, memos: Mapping[str, bytes] | None = None) -> None:
    """Into its server's line, whatever became of the last one like it."""
    store.save(Batch(pages=(page,), memos=tuple((memos or {}).items())))
