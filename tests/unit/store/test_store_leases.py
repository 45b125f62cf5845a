"""Leases, epochs, the fence and the outbox, against a real PostgreSQL."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest
from tests.postgres import PostgresServer

from recrawl.model.address import fingerprint, partition_of
from recrawl.model.batch import Batch
from recrawl.model.cluster import Report, Wish
from recrawl.model.failure import LeaseLost, NotFound
from recrawl.model.page import Page, Rank, Status
from recrawl.model.server import Server
from recrawl.model.site import Kind
from recrawl.store.shared.leased import Fence, LeasedStore, letter_of, page_of
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


def run_out(dsn: str, worker: str) -> None:
    """Let the database's clock pass the end of a lease."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("UPDATE worker SET expires_at = 0 WHERE id = %s", (worker,))


def page(host: str, path: str = "/", due_at: float | None = 5.0) -> Page:
    url = f"http://{host}{path}"
    return Page(fingerprint(url), url, host, "site", due_at=due_at, found_at=1.0)


def host_in(partitions: set[int]) -> str:
    return next(f"h{n}" for n in range(10_000) if partition_of(f"h{n}", PARTITIONS) in partitions)


def seated(dsn: str, leases: Leases, worker: str, most: int) -> LeasedStore:
    leases.join(worker, 1.0, LONG_S)
    fence = Fence(worker, LONG_S)
    fence.own(leases.claim(worker, most))
    return LeasedStore(dsn, fence)


def test_a_lease_that_ran_out_is_never_renewed_and_its_partitions_are_free(dsn: str, leases: Leases) -> None:
    leases.join("a", 1.0, LONG_S)
    leases.join("b", 1.0, LONG_S)
    assert len(leases.claim("a", PARTITIONS)) == PARTITIONS
    leases.renew("a", LONG_S, Report())
    run_out(dsn, "a")
    with pytest.raises(LeaseLost):
        leases.renew("a", LONG_S, Report())
    with pytest.raises(LeaseLost):
        leases.claim("a", 1)
    look = leases.look("b")
    assert [seat.worker for seat in look.seats] == ["b"]
    assert len(look.free) == PARTITIONS
    with pytest.raises(LeaseLost):
        leases.renew("a", LONG_S, Report())


def test_a_lease_granted_before_the_databases_clock_was_set_back_runs_no_longer_than_any_other(
    dsn: str, leases: Leases
) -> None:
    for worker in "ab":
        leases.join(worker, 1.0, LONG_S)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("UPDATE worker SET renewed_at = renewed_at + 1e7, expires_at = expires_at + 1e7")
    leases.look("b")
    leases.renew("b", LONG_S, Report())
    assert all(LONG_S - 60.0 < seat.left_s <= LONG_S and 0 <= seat.quiet_s < 60.0 for seat in leases.seats())


def test_every_claim_raises_the_epoch(dsn: str, leases: Leases) -> None:
    epochs = []
    for number in range(3):
        leases.join(f"w{number}", 1.0, LONG_S)
        epochs.append(leases.claim(f"w{number}", PARTITIONS)[7])
        leases.leave(f"w{number}")
    assert epochs == [1, 2, 3]


def test_workers_that_claim_at_once_share_what_is_free_and_never_the_same(dsn: str, leases: Leases) -> None:
    names = [f"w{number}" for number in range(6)]
    for name in names:
        leases.join(name, 1.0, LONG_S)
    with ThreadPoolExecutor(6) as crowd:
        for _ in range(5):
            taken = list(crowd.map(lambda name: leases.claim(name, random.randint(1, PARTITIONS)), names))
            owned = [number for claimed in taken for number in claimed]
            assert len(owned) == len(set(owned))
            for name, claimed in zip(names, taken, strict=True):
                leases.give_back(name, claimed)
            assert len(leases.look("w0").free) == PARTITIONS


def test_slots_are_small_numbers_that_a_successor_takes_over(dsn: str, leases: Leases) -> None:
    assert [leases.join(name, 1.0, LONG_S).slot for name in "abc"] == [0, 1, 2]
    run_out(dsn, "b")
    assert leases.join("d", 1.0, LONG_S).slot == 1
    with ThreadPoolExecutor(4) as crowd:
        slots = list(crowd.map(lambda n: leases.join(f"x{n}", 1.0, LONG_S).slot, range(4)))
    assert sorted(slots) == [3, 4, 5, 6]


def test_a_worker_without_its_partition_writes_nothing(dsn: str, leases: Leases) -> None:
    with closing(seated(dsn, leases, "a", PARTITIONS)) as store:
        store.save(Batch(entered=(page("h1"),)))
        store.save(Batch(pages=(page("h1", due_at=8.0),)))  # the server's bound is to be settled now
        run_out(dsn, "a")
        after = Page(fingerprint("http://h1/"), "http://h1/", "h1", "site", status=Status.LIVE, visits=1, due_at=9.0)
        for batch in (
            Batch(pages=(after,)),
            Batch(entered=(page("h2"),)),
            Batch(servers=(Server("h1", free_at=99.0),)),
            Batch(memos=(("learnt", b"late"),)),
        ):
            with pytest.raises(LeaseLost):
                store.save(batch)
        with pytest.raises(LeaseLost):
            store.settle_server("h1")
        with pytest.raises(LeaseLost):
            store.make_due(1.0, ids=(after.id,))
        assert store.pages([after.id])[0].visits == 0
        assert store.memo("learnt") is None


def test_one_that_owned_a_partition_before_cannot_write_for_it_though_it_lives(dsn: str, leases: Leases) -> None:
    with closing(seated(dsn, leases, "a", PARTITIONS)) as store:
        store.save(Batch(entered=(page("h1"),)))
        leases.give_back("a", range(PARTITIONS))
        leases.join("b", 1.0, LONG_S)
        leases.claim("b", PARTITIONS)
        with pytest.raises(LeaseLost):
            store.save(Batch(pages=(page("h1", due_at=7.0),)))
        leases.leave("b")
        leases.claim("a", PARTITIONS)  # ours again, by another epoch: what was begun before is void
        with pytest.raises(LeaseLost):
            store.save(Batch(pages=(page("h1", due_at=7.0),)))


def test_nobody_claims_a_partition_while_its_owner_writes(dsn: str, leases: Leases) -> None:
    store = seated(dsn, leases, "a", PARTITIONS)
    leases.join("b", 1.0, LONG_S)
    with closing(store), psycopg.connect(dsn) as writing:
        writing.execute("SELECT id FROM part WHERE id = 3 FOR SHARE")
        run_out(dsn, "a")
        assert len(leases.look("b").free) == PARTITIONS - 1  # the others need not wait
        writing.rollback()
        assert len(leases.look("b").free) == PARTITIONS
    assert [seat.worker for seat in leases.seats()] == ["b"]


def test_links_to_partitions_of_others_are_entered_by_their_owners_once(dsn: str, leases: Leases) -> None:
    found = tuple(page(f"h{number}") for number in range(60))
    with (
        closing(seated(dsn, leases, "a", PARTITIONS // 2)) as one,
        closing(seated(dsn, leases, "b", PARTITIONS // 2)) as other,
    ):
        saved, again = one.save(Batch(entered=found)), one.save(Batch(entered=found))
        entered = saved.entered
        assert 0 < len(entered) < 60
        assert saved.posted == {each.id for each in found} - entered
        assert again.entered == again.posted == set()  # not new a second time, though nobody has entered them yet
        assert one.known([each.id for each in found]) == entered
        assert sum(leases.outbox_sizes().values()) == 60 - len(entered)
        assert other.receive() == 60 - len(entered)
        assert one.receive() == other.receive() == 0
        assert sorted(one.pages([each.id for each in found]), key=lambda it: it.id) == sorted(
            found, key=lambda it: it.id
        )
        assert one.totals().pages == 60
        assert one.save(Batch(entered=found)).posted == set()
        assert leases.outbox_sizes() == {}


def test_a_page_of_another_owner_can_be_asked_for_again(dsn: str, leases: Leases) -> None:
    with (
        closing(seated(dsn, leases, "a", PARTITIONS // 2)) as one,
        closing(seated(dsn, leases, "b", PARTITIONS // 2)) as other,
    ):
        foreign = host_in(set(range(PARTITIONS // 2, PARTITIONS)))
        other.save(Batch(pages=(page(foreign, "/robots.txt", due_at=None),)))
        assert one.save(Batch(pages=(page(foreign, "/robots.txt", due_at=3.0),))).posted == set()  # it is known
        assert other.receive() == 1
        assert [each.due_at for each in other.due(foreign, 4.0, 10)] == [3.0]


@pytest.mark.parametrize("is_read", [False, True], ids=["that waits", "that is just being entered"])
def test_who_asks_for_a_page_again_is_heard_behind_a_letter(dsn: str, leases: Leases, is_read: bool) -> None:
    with (
        closing(seated(dsn, leases, "a", PARTITIONS // 2)) as one,
        closing(seated(dsn, leases, "b", PARTITIONS // 2)) as other,
    ):
        foreign = host_in(set(range(PARTITIONS // 2, PARTITIONS)))
        assert one.save(Batch(entered=(page(foreign),))).posted  # a link, on its way
        other.save(Batch(pages=(page(foreign, due_at=None),)))  # its owner was quicker
        read = other.letters() if is_read else []
        assert one.save(Batch(pages=(page(foreign, due_at=3.0),))).posted == set()
        other.enter(read)
        assert other.receive() == 1
        assert [each.due_at for each in other.due(foreign, 4.0, 10)] == [3.0]
        assert leases.outbox_sizes() == {}


def test_a_letter_says_all_that_was_found_of_a_page() -> None:
    found = Page(
        id=-5, url="http://ä.example/?q=\u20ac", server="ä.example", site="s", kind=Kind.DETAIL, category="books",
        rank=Rank.DETAIL, importance=2.5, depth=3, hops=1, found_from=77, found_at=1.5, due_at=2.5,
        status=Status.NEW, reason="why",
    )  # fmt: skip
    assert page_of(letter_of(found)) == found


def test_partitions_can_be_moved_before_anybody_has_joined(leases: Leases) -> None:
    assert leases.move([3, 5], "") == 2
    with pytest.raises(NotFound, match="no worker is running"):
        leases.move([3], "a")
    leases.join("a", 1.0, LONG_S)
    with pytest.raises(NotFound, match="there are: a"):
        leases.move([3], "b")
    assert leases.move([3], "a") == 1


def test_what_was_moved_to_a_worker_that_leaves_is_open_to_all(dsn: str, leases: Leases) -> None:
    leases.join("a", 1.0, LONG_S)
    leases.join("b", 1.0, LONG_S)
    leases.move([3], "a")
    assert 3 not in leases.claim("b", PARTITIONS)
    leases.wish("a", Wish.LEAVE)
    assert set(leases.claim("b", PARTITIONS)) == {3}


def test_a_worker_can_be_asked_to_leave_and_partitions_to_go_to_somebody(dsn: str, leases: Leases) -> None:
    leases.join("a", 1.0, LONG_S)
    leases.join("b", 1.0, LONG_S)
    leases.wish("a", Wish.LEAVE)
    assert {seat.worker: seat.leaving for seat in leases.seats()} == {"a": True, "b": False}
    assert leases.move([3, 5], "b") == 2
    assert set(leases.claim("a", PARTITIONS)) == set(range(PARTITIONS)) - {3, 5}
    assert set(leases.claim("b", 1)) == {3}
    assert leases.look("b").wanted == {3: "b", 5: "b"}
    leases.move([3, 5], "")
    assert set(leases.claim("a", PARTITIONS)) == {5}
    for missing in (lambda: leases.wish("x", Wish.LEAVE), lambda: leases.move([1], "x")):
        with pytest.raises(NotFound):
            missing()
