"""One worker's place among others: what it hears, claims and says of itself, against a real PostgreSQL."""

import asyncio
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from tests.postgres import PostgresServer

from recrawl.cluster.heart import Heart
from recrawl.cluster.membership import Member
from recrawl.engine.clock import Dice, SystemClock
from recrawl.engine.set_right import CLOCK
from recrawl.engine.tally import IDLE, Count, Tally
from recrawl.engine.worker import Order
from recrawl.model.address import fingerprint, partition_of
from recrawl.model.batch import Batch
from recrawl.model.cluster import Report, Wish
from recrawl.model.failure import LeaseLost
from recrawl.model.page import Page
from recrawl.store.postgres import open_postgres
from recrawl.store.shared.leased import Fence, LeasedStore
from recrawl.store.shared.leases import Leases, open_leases

PARTITIONS = 16
LONG_S = 600.0


@pytest.fixture
def dsn(postgres_server: PostgresServer) -> str:
    return postgres_server.emptied(PARTITIONS)


@pytest.fixture
def leases(dsn: str) -> Iterator[Leases]:
    with closing(open_leases(dsn)) as found:
        yield found


class Idler:
    """As much of a worker as a member knows, with nothing to do."""

    def __init__(self, before_receipt: Callable[[], None] = lambda: None) -> None:
        self.order, self.tally, self.partitions = Order(once=True, alone=False), Tally(), set[int]()
        self.taken: list[set[int]] = []
        self.stopped = asyncio.Event()
        self._before_receipt = before_receipt
        scheduler = SimpleNamespace(share=0.0, domain=lambda name, now: None, inherit=lambda slots: None)
        self.parts = SimpleNamespace(
            dice=Dice(1), offload=self._offload, scheduler=scheduler, quarries=(), clock=SystemClock()
        )

    async def _offload(self, work: Callable[[], Any]) -> Any:
        self._before_receipt()
        done = await asyncio.to_thread(work)
        self._after_receipt()
        return done

    def _after_receipt(self) -> None:
        """On the way back to the loop."""

    def take(self, partitions: Collection[int]) -> None:
        self.taken.append(set(partitions))
        self.partitions.update(partitions)

    def busy(self) -> set[int]:
        return set()

    def look_soon(self) -> None:
        self.tally.set(Count.IDLE, 0)

    def stop(self) -> None:
        self.stopped.set()

    def fail(self, error: BaseException) -> None:
        raise error


def found(number: int) -> Page:
    host = f"h{number % 50}"
    url = f"http://{host}/{number}"
    return Page(fingerprint(url), url, host, "site", due_at=5.0, found_at=1.0)


def member_of(dsn: str, leases: Leases, worker: Idler, name: str) -> tuple[Member, LeasedStore]:
    heart, fence = Heart(leases, name, 1.0, LONG_S), Fence(name, LONG_S)
    store = LeasedStore(dsn, fence)
    return Member(worker, heart, leases, store, fence), store  # type: ignore[arg-type]


async def until(is_so: Callable[[], bool], within_s: float = 20.0) -> None:
    async def look() -> None:
        while not is_so():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(look(), within_s)


@pytest.fixture
def neighbour(dsn: str, leases: Leases) -> Iterator[LeasedStore]:
    """Owns the first partition."""
    fence = Fence("neighbour", LONG_S)
    leases.join("neighbour", 1.0, LONG_S)
    fence.own(leases.claim("neighbour", 1))
    with closing(LeasedStore(dsn, fence)) as store:
        yield store


def finds(neighbour: LeasedStore, numbers: Iterable[int]) -> None:
    """Links to pages of others."""
    pages = map(found, numbers)
    neighbour.save(Batch(entered=tuple(page for page in pages if partition_of(page.server, PARTITIONS))))


def test_who_is_sent_letters_without_end_still_hears_that_it_is_to_leave(
    dsn: str, leases: Leases, neighbour: LeasedStore
) -> None:
    async def scene() -> None:
        numbers = count(0, 50)
        worker = Idler(lambda: finds(neighbour, range(start := next(numbers), start + 50)))
        member, store = member_of(dsn, leases, worker, "me")
        with closing(store):
            member.start()
            await until(lambda: store.totals().pages > 100)
            leases.wish("me", Wish.LEAVE)
            await until(worker.stopped.is_set)
            member.stop()

    asyncio.run(scene())


def test_a_claim_in_vain_gives_a_worker_nothing_to_do(dsn: str, leases: Leases) -> None:
    """Others were quicker, or a shard is away: the worker was about to enter its seeds once more, and was not idle."""

    async def scene() -> None:
        worker = Idler()
        member, store = member_of(dsn, leases, worker, "me")
        with closing(store):
            look = leases.look("me")
            leases.join("other", 1.0, LONG_S)
            leases.claim("other", PARTITIONS)
            await member._claim_share(look, {})
            assert worker.taken == []
            leases.leave("other")
            await member._claim_share(leases.look("me"), {})
            assert worker.taken == [set(range(PARTITIONS))]

    asyncio.run(scene())


def test_who_claims_partitions_of_which_a_clock_ran_ahead_sets_them_right(dsn: str, leases: Leases) -> None:
    """As after a copy of a folder, or where the clock of the database itself was wrong."""
    now, year_s, day_s = leases.now(), 365 * 86_400.0, 86_400.0
    seen_at = now + year_s
    with closing(open_postgres(dsn)) as plain:
        pages = [replace(found(number), checked_at=seen_at, due_at=seen_at + day_s, visits=1) for number in range(50)]
        plain.save(Batch(pages=tuple(pages), memos=((CLOCK, str(seen_at).encode()),)))

    async def scene() -> None:
        worker, said = Idler(), list[str]()
        worker.parts.clock, worker.parts.complain = SystemClock(now), said.append
        member, store = member_of(dsn, leases, worker, "me")
        with closing(store):
            await member._claim_share(leases.look("me"), {})
            assert {now + day_s <= (page.due_at or 0.0) < now + 2 * day_s for page in store.scan()} == {True}
            assert float(store.memo(CLOCK) or b"0") < now + day_s
        assert len(said) == 1 and "50 pages" in said[0]

    asyncio.run(scene())


def test_a_worker_whose_database_has_another_time_than_when_it_joined_joins_anew(dsn: str, leases: Leases) -> None:
    async def scene() -> None:
        worker = Idler()
        member, store = member_of(dsn, leases, worker, "me")
        with closing(store):
            member._look()
            worker.parts.clock = SystemClock(leases.now() + 3600.0)
            with pytest.raises(LeaseLost, match="clock"):
                member._look()

    asyncio.run(scene())


def test_who_takes_letters_out_does_not_call_itself_idle_meanwhile(
    dsn: str, leases: Leases, neighbour: LeasedStore
) -> None:
    """Between the moment when the outbox is empty and the worker's next look the page is nowhere to be seen."""

    async def scene() -> None:
        worker = Idler()
        member, store = member_of(dsn, leases, worker, "me")
        said: list[bool] = []
        worker._after_receipt = lambda: said.append(member._report().idle)  # type: ignore[method-assign]
        with closing(store):
            await member._claim_share(leases.look("me"), {})
            finds(neighbour, range(50))
            worker.tally.set(Count.IDLE, IDLE)
            assert await member._take_letters(LONG_S)
            assert (said, member._report().idle) == ([False, False], False)  # it has not looked yet
            worker.tally.set(Count.IDLE, IDLE)
            assert await member._take_letters(LONG_S)
            assert member._report().idle

    asyncio.run(scene())


class SlowToHear(Leases):
    """A database to which a worker's word is on its way for a while."""

    def __init__(self, leases: Leases) -> None:
        super().__init__(leases.database, leases.partitions)
        self.hears, self.told = threading.Event(), threading.Event()

    def renew(self, worker: str, lease_s: float, report: Report) -> None:
        self.told.set()
        assert self.hears.wait(60)
        super().renew(worker, lease_s, report)


def test_no_letter_is_taken_out_while_the_word_that_its_owner_is_idle_is_on_its_way(
    dsn: str, leases: Leases, neighbour: LeasedStore
) -> None:
    async def scene() -> None:
        slow, worker = SlowToHear(leases), Idler()
        member, store = member_of(dsn, slow, worker, "me")
        with closing(store):
            await member._claim_share(leases.look("me"), {})
            finds(neighbour, range(50))
            worker.tally.set(Count.IDLE, IDLE)
            member._heart.start()
            member._heart.speak()
            await asyncio.to_thread(slow.told.wait, 60)
            receiving = asyncio.create_task(member._take_letters(LONG_S))
            assert not (await asyncio.wait([receiving], timeout=0.3))[0]
            assert leases.outbox_sizes().keys() & worker.partitions
            slow.hears.set()
            assert await receiving
            assert not leases.outbox_sizes().keys() & worker.partitions
            member._heart.stop()

    asyncio.run(scene())
