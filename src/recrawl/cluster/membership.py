"""One worker's place in a cluster: what it claims, what it gives back, and the letters it gets.

Nobody coordinates. Every worker looks at the seats of all and decides for itself (`frontier/leases.py`); the store sees
to it that a partition has one owner. A partition changes hands only when nothing of it is under way or unwritten, and
its new owner waits one gap before it asks a server, so no server notices the change.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from recrawl.cluster.heart import Heart
from recrawl.engine.offload import OffTheLoop
from recrawl.engine.set_right import TOLERANCE_S, set_right_claimed
from recrawl.engine.tally import Count
from recrawl.engine.worker import Worker
from recrawl.frontier.leases import claims, given_back, is_over, next_look_s, silent_s, surplus
from recrawl.model.cluster import Look, Report, Seat, Wish
from recrawl.model.failure import LeaseLost
from recrawl.store.shared.leased import Fence, LeasedStore
from recrawl.store.shared.leased_shards import LeasedShards
from recrawl.store.shared.leases import Leases

HEIRLOOMS = 16  # workers whose knowledge is looked into when partitions are claimed


class Member:
    """Beside a worker's run, on its loop. The store is asked from a thread of its own."""

    def __init__(
        self, worker: Worker, heart: Heart, leases: Leases, store: LeasedStore | LeasedShards, fence: Fence
    ) -> None:
        self._worker, self._heart, self._leases = worker, heart, leases
        self._store, self._fence, self._me = store, fence, fence.worker
        self._aside = OffTheLoop("cluster")
        self._beside: asyncio.Task[None] | None = None
        self._giving: asyncio.Task[None] | None = None
        self._before: Sequence[Seat] = ()
        self._is_receiving = False
        heart.report = self._report

    def start(self) -> None:
        """What goes wrong here ends the worker's run."""
        self._beside = asyncio.create_task(self._run())
        self._beside.add_done_callback(self._ended)

    def stop(self) -> None:
        for task in (self._beside, self._giving):
            if task is not None:
                task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._worker.fail(error)

    async def _run(self) -> None:
        """Until cancelled."""
        while True:
            self._heart.need()
            look = await self._aside(self._look)
            await self._act(look)
            [luck] = self._worker.parts.dice.luck(1)
            lease_s, silent = self._heart.lease.lease_s, silent_s(look.seats)
            look_in_s = next_look_s(lease_s, len(look.seats), silent, float(luck))
            if not await self._take_letters(look_in_s):
                continue
            if self._worker.order.once and self._report().idle:
                self._heart.speak()  # all wait for the word of the last one
            await asyncio.sleep(look_in_s)

    def _look(self) -> Look:
        """What the store says we own and what we believe must be the same. On the one thread that claims and gives
        back, so that neither happens in between."""
        look = self._leases.look(self._me)
        if abs(look.at - self._worker.parts.clock.now()) > TOLERANCE_S:
            raise LeaseLost("the clock of the database was set")
        if self._worker.order.once and not look.letters and self._store.letters_elsewhere():
            look = replace(look, letters=True)
        if look.held != self._fence.epochs or not any(seat.worker == self._me for seat in look.seats):
            raise LeaseLost(f"worker {self._me} lost partitions to others")
        return look

    async def _act(self, look: Look) -> None:
        mine = next(seat for seat in look.seats if seat.worker == self._me)
        wanted = self._moved(look)
        if mine.wish is Wish.LEAVE or (mine.wish is Wish.END and self._worker.order.once):
            self._worker.stop()
            return
        self._give_surplus(look, wanted)
        await self._claim_share(look, wanted)
        if self._worker.order.once and self._is_over(look):
            await self._aside(self._leases.wish_all, Wish.END)

    def _give_surplus(self, look: Look, wanted: dict[int, str]) -> None:
        """One after the other: what is being given back is finished first, and seen to be."""
        if self._giving is not None:
            if self._giving.done():
                self._giving.result()
                self._giving = None
            return
        away = self._store.out_of_reach()
        within = {number: worker for number, worker in wanted.items() if number not in away}
        count = surplus(self._me, look.seats, self._leases.partitions - len(away), within)
        if giving := given_back(self._me, look.held, wanted, count, self._worker.busy(), leaving=False):
            self._giving = asyncio.create_task(self._give(giving))

    async def _claim_share(self, look: Look, wanted: dict[int, str]) -> None:
        away = self._store.out_of_reach()
        open_to_me = [number for number in look.free - away if wanted.get(number, self._me) == self._me]
        moved_here = [number for number in open_to_me if number in wanted]
        reachable = self._leases.partitions - len(away)
        within = {number: worker for number, worker in wanted.items() if number not in away}
        most = max(claims(self._me, look.seats, len(open_to_me), reachable, within), len(moved_here))
        if most > 0 and (taken := await self._aside(self._claim, most)):  # others may have been quicker
            self._worker.take(taken)
            self._share_out()
            self._inherit(look)

    def _share_out(self) -> None:
        """Prices aim at the share of the work that is ours."""
        self._worker.parts.scheduler.share = len(self._worker.partitions) / self._leases.partitions

    def _inherit(self, look: Look) -> None:
        """What those who owned these partitions learnt. A slot without a worker now may have had one."""
        slots = range(min(HEIRLOOMS, 2 + max(seat.slot for seat in look.seats)))
        for name in ("", *self._worker.parts.quarries):
            self._worker.parts.scheduler.domain(name, self._worker.parts.clock.now())
        self._worker.parts.scheduler.inherit(str(slot) for slot in slots)

    def _claim(self, most: int) -> list[int]:
        """Where a shard does not answer its partitions stay without an owner."""
        taken = self._leases.claim(self._me, most, self._store.out_of_reach())
        refused = self._store.admit(taken)
        if refused:
            self._leases.give_back(self._me, refused)
        mine = [number for number in taken if number not in refused]
        if mine and (pages := set_right_claimed(self._store, self._worker.parts.clock.now(), mine)):
            self._worker.parts.complain(
                f"a clock ran ahead before and was set right: the next visits of {pages} pages count from now"
            )
        return mine

    async def _give(self, partitions: list[int]) -> None:
        await self._worker.give(partitions)
        self._share_out()
        await self._aside(self._give_back, partitions)

    def _give_back(self, partitions: list[int]) -> None:
        self._fence.disown(partitions)
        self._leases.give_back(self._me, partitions)

    async def _take_letters(self, within_s: float) -> bool:
        """Whether all were taken: where others post without end it is time to look at something else."""
        until_at = asyncio.get_running_loop().time() + within_s
        while await self._received():
            if asyncio.get_running_loop().time() >= until_at:
                return False
        return True

    async def _received(self) -> bool:
        """Whether letters came. From when they are taken out until the worker looks they are nowhere to be seen, and
        nobody may believe that all is done."""
        self._is_receiving = True
        try:
            came = bool(await self._worker.parts.offload(self._receive))
            if came:
                self._worker.look_soon()
            return came
        finally:
            self._is_receiving = False

    def _receive(self) -> int:
        if self._worker.order.once:
            self._heart.have_spoken()
        return self._store.receive()

    def _moved(self, look: Look) -> dict[int, str]:
        """Partitions that an operator moved to a worker who is there and stays."""
        there = {seat.worker for seat in look.seats if not seat.leaving}
        return {number: worker for number, worker in look.wanted.items() if worker in there}

    def _is_over(self, look: Look) -> bool:
        """All have been idle for a while, every partition has an owner, and no letter is under way."""
        busy = look.letters or look.free or any(not seat.report.idle for seat in look.seats)
        before, commits = self._before, {seat.worker: seat.report.commits for seat in look.seats}
        if busy or {seat.worker: seat.report.commits for seat in before} != commits:
            self._before = () if busy else look.seats
            return False
        return is_over(before, look.seats)

    def _report(self) -> Report:
        tally = self._worker.tally
        is_idle = bool(tally[Count.IDLE]) and not self._is_receiving
        return Report(is_idle, tally[Count.COMMITS], tally[Count.CHECKS])
