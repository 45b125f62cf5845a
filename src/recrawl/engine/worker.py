"""One process, one loop: opens lanes for servers that may be asked, and lets the two loops turn.

A *lane* asks one server for one page after another, so a server never sees two requests at once (unless its owner
raised `parallel`). The worker alone touches the servers of its partitions; only links cross to others, by the store.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from recrawl.engine.asking.lane import Lanes
from recrawl.engine.filling.intake import Intake
from recrawl.engine.filling.retiming import EVERY_S, Retiming, Sweep
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.discover_memo import closed_traps
from recrawl.engine.hearing.heard import Stirrings
from recrawl.engine.hearsay import Listener
from recrawl.engine.reckoning import Reckoning
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.ledger import Ledger, captures, save
from recrawl.engine.settling.settle import Settler
from recrawl.engine.sharing import LOOK_S, Mates, spared
from recrawl.engine.tally import ENDED, Count, Tally
from recrawl.engine.wiring import Parts
from recrawl.frontier.queue import Frontier
from recrawl.model.batch import Saved
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import DiskFull, LeaseLost, StoreAway
from recrawl.model.swift import replace
from recrawl.model.values import dataclass

DISK_LOOK_S = 0.2  # how often free space is looked at
WAITING_POLL_S = 0.02  # how often a worker with nothing to do looks for links of others, in a run that goes round once
ENDING_POLL_S = 0.002  # the same, when all the others have nothing to do either: what is left is to see that it is so
IDLE_LOOK_S = 0.003  # how often it looks whether they have
STOP_WITHIN_S = 7.0  # a stop waits this long for requests under way …
READ_WITHIN_S = 1.0  # … and so long for documents that wait behind one that is not answered


@dataclass(frozen=True, slots=True)
class Order:
    """What a run is asked to do."""

    once: bool = False
    for_s: float | None = None
    asked: bool = False  # --all: everything was made due
    alone: bool = True  # no other worker can send links
    horizon_s: float = 86_400.0
    poll_s: float = 0.5


class Worker:
    def __init__(
        self,
        parts: Parts,
        order: Order,
        partitions: Collection[int],
        tally: Tally,
        mates: Mates | None = None,
        ears: Listener | None = None,
    ) -> None:
        self.parts, self.order, self.tally, self._mates, self._ears = parts, order, tally, mates, ears
        self.partitions = set(partitions)
        self.frontier = Frontier()
        self._tasks: dict[asyncio.Task[None], str] = {}  # lanes, and the server each one asks
        self.settler = Settler(
            self._reckon, self._carry_out, self._settled, parts.batch_visits, parts.clock.loop_s,
            self._tasks if parts.each_visit else None,
        )  # fmt: skip
        self.lanes = Lanes(parts, self.frontier, self.settler, tally, order.asked)
        self.intake = Intake(parts, self.partitions, self.frontier, self.lanes, tally, order.once, order.horizon_s)
        self.reckoning = Reckoning(parts, self.lanes, tally)
        self.started_at = parts.clock.now()
        self.stirrings = Stirrings(parts.store, self.started_at)
        self._stirred = asyncio.Event()
        self._failed: BaseException | None = None
        self._look_at = 0.0
        self._looked_once = False
        self._found = 0
        self._low = False
        self._disk_looked_at = 0.0
        self._giving: asyncio.Task[None] | None = None  # partitions to another worker
        self._leaving: frozenset[int] = frozenset()  # these
        self.retiming = Retiming(
            parts, self.frontier, self.settler, self.lanes, self.reckoning.outcomes, self.reckoning.weigh,
            self.intake.may_wait_here, self.started_at + EVERY_S, Sweep(parts.store),
        )  # fmt: skip

    async def run(self) -> None:
        """Until nothing is left to do (once), the time is over, or somebody calls `stop`."""
        self.parts.tell(Event(EventKind.STARTED, self.started_at, facts={"partitions": len(self.partitions)}))
        self._enter_seeds(self.parts.quarries.values())
        try:
            await self.settler.flush()
            while not self._over():
                await self._turn()
        except (LeaseLost, StoreAway) as error:
            self.fail(error)
            raise
        finally:
            await self._end()

    def stop(self) -> None:
        self.lanes.stopping = True
        self._stirred.set()

    def fail(self, error: BaseException) -> None:
        """End the run at once: what is under way is let go, what is not written yet is not written any more."""
        self._failed = self._failed or error
        self.stop()
        for task in self._tasks:
            task.cancel()

    def take(self, partitions: Collection[int]) -> None:
        """Own these partitions too."""
        self.tally.set(Count.IDLE, 0)
        self.partitions.update(partitions)
        for name, quarry in self.parts.quarries.items():
            quarry.traps.hear(closed_traps(self.parts.store, name, quarry.traps.limits))
        self._enter_seeds(self.parts.quarries.values())
        self.settler.stir()
        self.look_soon()

    async def give(self, partitions: Collection[int]) -> None:
        """Own these partitions no more; returns when nothing of them is under way or unwritten."""
        self.partitions.difference_update(partitions)
        left = {key for key in self.lanes.servers.known if self.parts.partition(key) in partitions}
        self.lanes.leaving |= left
        if under_way := [task for task, key in self._tasks.items() if key in left]:
            await asyncio.wait(under_way)
        for key in left:
            self.frontier.clear(key)
            self.frontier.leave_rest(key, 0)
        await self.settler.caught_up()
        self.lanes.forget(left)
        for key in left:
            self.intake.refill.let_go(key)
        self.lanes.leaving -= left

    def busy(self) -> set[int]:
        """Partitions of which pages are under way or wait in memory."""
        return {self.parts.partition(queue.key) for queue in self.frontier.queues() if queue.lanes or len(queue)}

    def look_soon(self) -> None:
        """Somebody put something into the store for us."""
        self.tally.set(Count.IDLE, 0)
        self._look_at = 0.0
        self._found += 1
        self._stirred.set()

    async def _turn(self) -> None:
        now = self.parts.clock.now()
        self._reread_sites(now)
        if self._mates is not None:
            self._share(self._mates, now)
        if self._ears is not None:
            self._listen(self._ears)
        looks = now >= self._look_at or self.frontier.hungry() or self._has_run_dry
        if looks:
            self._found = self.intake.look(now) + self._bring_forward()
            self._look_at = now if self.intake.refill.unfinished else now + self.order.poll_s
        if not self.order.once:
            self.retiming.turn(now)
        if not self._disk_is_low(now):
            self._open_lanes(now)
        idle = self._idle(now)
        self.tally.set_idle(idle)
        if idle and looks:
            self.tally.add(Count.CHECKS)
        if self.order.once and not self.order.alone and not self._tasks:
            all_idle = self._mates is not None and self._mates.are_all_idle
            self._look_at = min(self._look_at, now + (ENDING_POLL_S if all_idle else WAITING_POLL_S))
        if not self._has_gone_round(now):
            await self._rest(now)

    def _listen(self, ears: Listener) -> None:
        """Links to what others have entered bring nothing new."""
        for site, urls in ears.news():
            if site in self.parts.quarries:
                self.parts.quarries[site].holds(urls)

    def _share(self, mates: Mates, now: float) -> None:
        """Take what another worker gave us; give half of what waits to one that has nothing to do. Where there is a
        budget, that one may have spent its part of it."""
        owned = mates.owned() if self.tally[Count.IDLE] else mates.owned_anew()
        if given := owned - self.partitions - self._leaving:
            self.take(given)
        if self._giving is not None and self._giving.done():
            self._giving.result()
            self._giving = None
        if self._giving is not None or self.parts.scheduler.rations.budgets:
            return
        if (taker := mates.idle_one(now)) is not None and (part := spared(self._waiting(now))):
            self._leaving = part
            self._giving = asyncio.create_task(self._hand_over(mates, part, taker))

    async def _hand_over(self, mates: Mates, partitions: Collection[int], taker: int) -> None:
        await self.give(partitions)
        mates.give(partitions, taker)
        self._leaving = frozenset()

    def _waiting(self, now: float) -> Counter[int]:
        """How many pages wait for us alone, by partition: their servers would bear more requests."""
        found: Counter[int] = Counter()
        for queue in self.frontier.queues():
            if len(queue) and queue.free_at <= now and not self.lanes.servers.of(queue.key).gap_s:
                found[self.parts.partition(queue.key)] += len(queue)
        return found

    @property
    def _has_run_dry(self) -> bool:
        """A run that goes round once has visited what the last look brought: was that all?"""
        return self.order.once and self.order.alone and self._found > 0 and not self._tasks and self.settler.idle

    def _has_gone_round(self, now: float) -> bool:
        return self.order.once and self.order.alone and self._idle(now)

    def _reread_sites(self, now: float) -> None:
        """Sites added, changed or paused since the crawl began: their pages are looked for anew."""
        fresh = self.parts.reread(now)
        if not fresh:
            return
        self.reckoning.reread()
        self._enter_seeds(fresh)
        self.settler.stir()
        self.lanes.servers.reconsider()
        self.intake.refill.forget()
        self._look_at = 0.0

    def _bring_forward(self) -> int:
        """Pages that notices made due while they waited in the short-term queue; servers not met yet are refilled."""
        known = self.lanes.servers.known
        stirred = [page for page in self.stirrings.fresh() if page.server in known and self.intake.wants(page)]
        self.retiming.hear(self.stirrings.unheeded, self.parts.clock.now())
        return self.frontier.hasten(stirred)

    def _disk_is_low(self, now: float) -> bool:
        """Stop asking before the disk is full; go on by itself when there is room. A run that goes round once ends."""
        if 0.0 <= now - self._disk_looked_at < DISK_LOOK_S:
            return self._low
        self._disk_looked_at = now
        low = self.parts.disk_is_low()
        self.lanes.resting = low
        if low and self.order.once:
            raise DiskFull("the disk is nearly full: make room and run again; everything found so far is saved")
        if low != self._low:
            self.parts.tell(Event(EventKind.DISK_FLOOR, now, facts={"low": low}))
        self._low = low
        return low

    def _idle(self, now: float) -> bool:
        """Nothing under way, nothing to write, nothing that a little patience would bring."""
        if (
            self._tasks
            or self._giving is not None
            or not self.settler.idle
            or self._found
            or self.intake.refill.unfinished
            or self.frontier.hungry()
        ):
            return False
        wake_at = self.frontier.wake_at()
        return wake_at is None or wake_at > now + self.parts.manners.patience_s

    def _over(self) -> bool:
        self.settler.complain()
        if self._failed is not None:
            raise self._failed
        now = self.parts.clock.now()
        if self.order.for_s is not None and now >= self.started_at + self.order.for_s:
            self.lanes.stopping = True
        done = self._looked_once and self._has_gone_round(now)
        self._looked_once = True
        return self.lanes.stopping or done

    def _open_lanes(self, now: float) -> None:
        for key in self.frontier.open_lanes(now, self.parts.connections - len(self._tasks)):
            self.tally.set(Count.IDLE, 0)
            task = asyncio.create_task(self.lanes.serve(key))
            self._tasks[task] = key
            task.add_done_callback(lambda done, key=key: self._lane_done(done, key))  # type: ignore[misc]

    def _lane_done(self, task: asyncio.Task[None], key: str) -> None:
        self._tasks.pop(task, None)
        self.frontier.close_lane(key)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failed = error
        if not self._tasks:
            self.settler.hurry()
        self._stirred.set()

    async def _rest(self, now: float) -> None:
        """Wait for a lane to end, for the next free server, or for the next look at the store."""
        may_open = len(self._tasks) < self.parts.connections and not self._low
        wake_at = self.frontier.wake_at() if may_open else None
        until_at = self._look_at if wake_at is None else min(self._look_at, wake_at)
        if self.order.for_s is not None:
            until_at = min(until_at, self.started_at + self.order.for_s)
        if self._mates is not None:
            until_at = min(until_at, now + (IDLE_LOOK_S if self.tally[Count.IDLE] else LOOK_S))
        self._stirred.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stirred.wait(), self.parts.clock.loop_s(max(until_at - now, 0.001)))

    def _enter_seeds(self, quarries: Iterable[Quarry]) -> None:
        now = self.parts.clock.now()
        for quarry in quarries:
            for page in quarry.seeds(now):
                if self.parts.partition(page.server) in self.partitions:
                    self.settler.ledger.entered[page.id] = page

    async def _end(self) -> None:
        try:
            await self._finish()
        finally:
            self.tally.set(Count.UNWRITTEN, self.settler.unwritten)
        now = self.parts.clock.now()
        self.tally.set(Count.LEFT, sum(len(queue.ready) for queue in self.frontier.queues()))
        self.tally.set(Count.IDLE, ENDED)
        self.parts.tell(Event(EventKind.STOPPED, now, facts=dict(self.tally.as_dict())))

    async def _finish(self) -> None:
        """What is under way, and what is to be written; after a failure neither."""
        self.lanes.stopping = True
        if self._giving is not None:
            self._giving.cancel()
        if self._tasks and self._failed is None:
            await asyncio.wait(self._tasks, timeout=STOP_WITHIN_S)
            if self.lanes.convoy.break_off():
                await asyncio.wait(self._tasks, timeout=READ_WITHIN_S)
        for task in self._tasks:
            task.cancel()
        if self._failed is not None:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        else:
            await self.settler.flush()
            self.settler.ledger.memos.update(self.parts.scheduler.memos(self.parts.clock.now(), closing=True))
            self.settler.ledger.memos.update(self.reckoning.trapped(closing=True))
            await self.settler.flush()

    def _reckon(self, arrivals: Sequence[Arrival], ledger: Ledger) -> None:
        self.reckoning.take(arrivals, ledger)

    async def _carry_out(self, ledger: Ledger) -> Saved:
        parts = self.parts
        laid = parts.archive.lay(captures(ledger))
        places = await parts.wait_for(laid.keep) if laid.waits else laid.keep()
        saved: Saved = await parts.offload(save, ledger, places, parts.store, parts.documents)
        return saved

    def _settled(self, ledger: Ledger, saved: Saved) -> None:
        self.parts.scheduler.rations.stored(ledger.memos)
        if self.parts.journal is not None:
            self.parts.journal.settled(ledger.pages)
        if self.parts.death_watch is not None:
            self.parts.death_watch.settled(ledger.pages)
        self.tally.add(Count.COMMITS)
        self.tally.add(Count.WRITTEN, len(ledger.pages))
        self.tally.add(Count.ENTERED, len(saved.entered))
        self.reckoning.entered(len(ledger.entered), len(saved.entered))
        if saved.entered and self._ears is not None:
            self._ears.tell_all(ledger.entered[number] for number in saved.entered)
        self._count_new(ledger, saved)
        self.intake.take(ledger, saved, self.parts.clock.now())
        told = zip(ledger.events, saved.cursors, strict=True)
        self.parts.tell(*[replace(event, cursor=cursor) for event, cursor in told])
        if ledger.noticed:  # a signal spoke of pages: look at the store at once
            self._look_at, self._found = 0.0, len(ledger.noticed)
        if saved.entered or not self._tasks:
            self._stirred.set()

    def _count_new(self, ledger: Ledger, saved: Saved) -> None:
        """Against traps only addresses count that the store did not have, be it that another worker enters them."""
        quarries = self.parts.quarries
        for number, page in ledger.entered.items():
            if page.site in quarries:
                quarries[page.site].traps.written(number, number in saved.entered or number in saved.posted)
