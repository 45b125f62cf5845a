"""What a run did not do: pages that were not due, pages that are and must wait, and when it goes on."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import field

import click

from recrawl.answers.chances import Chances, Waiting, coming, waiting
from recrawl.answers.reading import Reading
from recrawl.cli.paint import counted, iso, until
from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.batch import Totals
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.values import dataclass
from recrawl.ports import Store

SHOWN = 5
LOOKED_AT = 50
UNPROVED = ("failed", "not_found", "undecided")


@dataclass(frozen=True, slots=True)
class Rest:
    """`not_due`: pages kept that the run did not ask for; None for one that stays and asks for them again and again.
    `next_visit_at`: when the first page can really be visited."""

    not_due: int | None = None
    next_due_at: float | None = None
    next_visit_at: float | None = None
    waiting: Waiting = field(default_factory=Waiting)
    resting: tuple[Server, ...] = ()  # failed, and not asked again before their `free_at`

    def facts(self) -> dict[str, object]:
        return {
            "not_due": self.not_due,
            "due": self.waiting.due,
            "next_due_at": iso(self.next_due_at),
            "next_visit_at": iso(self.next_visit_at),
        }

    def tell(self, told: bool) -> None:
        """`told`: what holds pages back was said already."""
        now = time.time()
        pages = counted(self.not_due or 0, "page")
        click.echo(
            self._coming(now) if self.not_due is None else f"{pages} not due, so not asked for; {self._coming(now)}"
        )
        if self.waiting.hindrances and not told:
            click.echo(self.waiting.sentence(now))
        for server in self.resting[:SHOWN]:
            often = counted(server.failures, "time")
            click.echo(f"{server.key} failed {often} in a row and is asked again {until(server.free_at, now)}")

    def _coming(self, now: float) -> str:
        if self.next_due_at is None:
            return "nothing will be due"
        if self.next_due_at > now:
            return f"next due {until(self.next_due_at, now)}"
        return f"{self.waiting.due} {'is' if self.waiting.due == 1 else 'are'} due still"


def rest_of(place: Folder, settings: Settings, counts: dict[str, int], once: bool) -> Rest:
    now = time.time()
    with closing(open_store(place, settings, readonly=True)) as store:
        found = Reading(place, settings, store)
        ahead, chances = coming(found, LOOKED_AT), Chances(found, now)
        ats = [chance.at for chance in map(chances.of, ahead) if chance.at is not None]
        held = waiting(found, now)
        visited = counts["new"] + counts["changed"] + counts["same"] + sum(counts[name] for name in UNPROVED)
        not_due = max(0, store.totals().live - visited - _due_again(store.totals(), held.due)) if once else None
        first_at = ahead[0].due_at if ahead else None
        return Rest(not_due, first_at, min(ats, default=None), held, _resting(store, ahead, now))


def _due_again(totals: Totals, due: int) -> int:
    """Of the pages that are due, those of which a copy is kept: the others were never visited."""
    return max(0, due - (totals.pages - totals.visited - totals.refused))


def _resting(store: Store, ahead: Sequence[Page], now: float) -> tuple[Server, ...]:
    """Servers of pages that are due and must wait."""
    keys = dict.fromkeys(page.server for page in ahead if page.due_at is not None and page.due_at <= now)
    servers = [store.server(key) for key in keys]
    return tuple(one for one in servers if one is not None and one.failures and one.free_at > now)
