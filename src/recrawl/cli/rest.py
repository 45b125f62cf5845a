"""What a run did not need to do, and when it goes on."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import click

from recrawl.cli.paint import iso, until
from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.ports import Store

SHOWN = 5
LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Rest:
    """`not_due`: pages kept that the run did not ask for; None for one that stays and asks for them again and again."""

    not_due: int | None = None
    next_due_at: float | None = None
    resting: tuple[Server, ...] = ()  # failed, and not asked again before their `free_at`

    def facts(self) -> dict[str, object]:
        return {"not_due": self.not_due, "next_due_at": iso(self.next_due_at)}

    def tell(self) -> None:
        coming = "nothing will be due"
        if self.next_due_at is not None:
            now = time.time()
            coming = f"next due {until(self.next_due_at, now)}" if self.next_due_at > now else "some are due still"
        pages = f"{self.not_due} page{'' if self.not_due == 1 else 's'}"
        click.echo(coming if self.not_due is None else f"{pages} not due, so not asked for; {coming}")
        for server in self.resting[:SHOWN]:
            again = until(server.free_at, time.time())
            click.echo(f"{server.key} failed {server.failures} times in a row and is asked again {again}")


def rest_of(place: Folder, settings: Settings, counts: dict[str, int], once: bool) -> Rest:
    with closing(open_store(place, settings, readonly=True)) as store:
        coming = store.next_due(LOOKED_AT)
        visited = counts["new"] + counts["changed"] + counts["same"] + counts["failed"]
        not_due = max(0, store.totals().live - visited) if once else None
        return Rest(not_due, coming[0].due_at if coming else None, _resting(store, coming))


def _resting(store: Store, coming: Sequence[Page]) -> tuple[Server, ...]:
    """Servers of pages that are due and must wait."""
    now = time.time()
    keys = dict.fromkeys(page.server for page in coming if page.due_at is not None and page.due_at <= now)
    servers = [store.server(key) for key in keys]
    return tuple(one for one in servers if one is not None and one.failures and one.free_at > now)
