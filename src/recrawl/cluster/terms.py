"""A worker of a cluster from the outside: it joins, works, and joins anew when it lost its lease or its database.

Each time it sits down is a *term*: a name of its own, a lease, and nothing kept in memory from the term before. What
was not written when a term broke off is visited again by whoever owns the page then.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import field, replace

from recrawl.cluster.common_purse import CommonPurse
from recrawl.cluster.heart import Heart
from recrawl.cluster.membership import Member
from recrawl.config import Settings
from recrawl.engine.assembly import assemble, scheduler_of
from recrawl.engine.clock import Dice, SystemClock, steady_s
from recrawl.engine.scheduling.spending_together import spent_alone
from recrawl.engine.set_right import sit_down
from recrawl.engine.tally import Tally
from recrawl.engine.worker import Order, Worker
from recrawl.folder.folder import Folder
from recrawl.model.failure import LeaseLost, RecrawlError, StoreAway, StoreInUse, StoreShut
from recrawl.model.values import dataclass
from recrawl.store.address import impatient
from recrawl.store.shared.leased import Fence
from recrawl.store.shared.leased_shards import open_leased
from recrawl.store.shared.leases import Leases, open_leases

PAUSES_S = (0.1, 0.5, 1.0, 2.0, 5.0)  # before the next try to join; the last one is repeated
SHUT_PATIENCE_S = 600.0  # a password was changed: the new one may come to ~/.pgpass, which is read at every try
PASSING = (LeaseLost, StoreAway, StoreInUse)  # the last one: a transaction gave way to others too often


@dataclass(slots=True)
class Terms:
    """`stop` ends the term and is the last word: state saved, partitions given back."""

    folder: Folder
    settings: Settings
    order: Order
    tally: Tally
    complain: Callable[[str], None]
    _worker: Worker | None = None
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        self._stopped.set()
        if self._worker is not None:
            self._worker.stop()

    async def run(self) -> None:
        began, broken, let_in = steady_s(), 0, steady_s()
        while not self._stopped.is_set():
            sat_down = steady_s()
            try:
                await self._term(steady_s() - began)
                return
            except PASSING as error:
                was_seated = steady_s() - sat_down > self.settings.cluster.lease_s
                if was_seated or not isinstance(error, StoreShut):
                    let_in = steady_s()
                if steady_s() > let_in + SHUT_PATIENCE_S:
                    raise
                self.complain(f"{error}; joining anew")
            broken = 0 if was_seated else broken + 1
            await self._pause(PAUSES_S[min(broken, len(PAUSES_S) - 1)])

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)

    async def _term(self, passed_s: float) -> None:
        """From taking a seat to giving back what is left."""
        name = seat_name()
        cluster = self.settings.cluster
        dsn = impatient(self.settings.state.store, cluster.lease_s)
        leases = await asyncio.to_thread(open_leases, dsn)
        try:
            heart = await asyncio.to_thread(Heart, leases, name, cluster.weight, cluster.lease_s)
            heart.start()
            try:
                await self._seated(leases, heart, name, dsn, passed_s)
            finally:
                with contextlib.suppress(RecrawlError):
                    if not self._stopped.is_set():
                        heart.need()  # one that ran out is cleared by whoever joins, and the line may be cut
                    await asyncio.to_thread(leases.leave, name)
                heart.stop()
        finally:
            leases.close()

    async def _seated(self, leases: Leases, heart: Heart, name: str, dsn: str, passed_s: float) -> None:
        fence = Fence(name, self.settings.cluster.lease_s)
        heart.when_over = fence.cut
        fence.guard(leases.database)
        clock = await asyncio.to_thread(clock_of, leases)
        store = open_leased(dsn, fence)
        await asyncio.to_thread(sit_down, store, clock.now())
        number = str(heart.seat.slot)
        async with assemble(
            self.folder, self.settings, number, clock, store=store, writer=name, need_lease=heart.need
        ) as parts:
            purse = CommonPurse(leases, await asyncio.to_thread(spent_alone, store))
            parts.scheduler = scheduler_of(self.settings, self.folder.sites(), store, number, common=purse)
            left_s = None if self.order.for_s is None else max(0.0, self.order.for_s - passed_s)
            worker = self._worker = Worker(parts, replace(self.order, for_s=left_s, alone=False), (), self.tally)
            if self._stopped.is_set():
                worker.stop()
            member = Member(worker, heart, leases, store, fence)
            member.start()
            try:
                await worker.run()
                rations = parts.scheduler.rations
                purse.give_back(rations.budgets, rations.spent, clock.now())
            finally:
                self._worker = None
                member.stop()


def clock_of(leases: Leases) -> SystemClock:
    """The database's clock, as it was half way between question and answer."""
    asked = steady_s()
    now_at = leases.now()
    return SystemClock(now_at + (steady_s() - asked) / 2)


def now_there(dsn: str) -> float:
    """What the database's clock says."""
    with closing(open_leases(dsn, readonly=True)) as leases:
        return leases.now()


def seat_name() -> str:
    """No two workers have the same, on whatever machine and however often started."""
    return f"{socket.gethostname()}-{os.getpid()}-{Dice().record_id()[10:18]}"
