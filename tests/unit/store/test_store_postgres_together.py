"""Many who write to one PostgreSQL store at the same time, and a server that goes away meanwhile."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest
from tests.postgres import PostgresServer

from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import StoreAway
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Visit, Why
from recrawl.store.postgres import open_postgres

WRITERS, ROUNDS, LINKS = 4, 12, 6


def page(number: int, due_at: float | None = None, server: str = "") -> Page:
    key = server or f"{number % 3}.example"
    url = f"https://{key}/{number}"
    return Page(fingerprint(url), url, key, site="one", due_at=due_at)


def visit(of: Page, at: float, change: Change) -> Visit:
    return Visit(of.id, at, Why.DUE, 200, Evidence.DOCUMENT, change)


def all_at_once(*work: Callable[[], object]) -> list[object]:
    with ThreadPoolExecutor(len(work)) as pool:
        return [future.result() for future in [pool.submit(one) for one in work]]


def test_events_of_many_writers_are_followed_without_a_gap(postgres_store: str) -> None:
    """A cursor handed out earlier is never committed later: who follows the cursors misses nothing."""
    done = threading.Event()
    stores = [open_postgres(postgres_store) for _ in range(WRITERS + 1)]

    def write(writer: int) -> list[int]:
        told: list[int] = []
        try:
            for turn in range(ROUNDS):
                events = tuple(
                    Event(EventKind.ADDED, float(turn), page=1 + writer * 1000 + turn * 10 + n, site="s")
                    for n in range(3)
                )
                told += stores[writer].save(Batch(events=events)).cursors
        finally:
            done.set() if writer == 0 else None
        return told

    def follow() -> list[int]:
        seen: list[int] = []
        while not done.is_set() or len(seen) < WRITERS * ROUNDS * 3:
            more = stores[-1].events(seen[-1] if seen else 0)
            if done.is_set() and not more:
                break
            seen += [event.cursor for event in more]
        return seen

    *told, seen = all_at_once(*(lambda n=n: write(n) for n in range(WRITERS)), follow)
    seen += [event.cursor for event in stores[-1].events(seen[-1] if seen else 0)]
    for store in stores:
        store.close()
    assert seen == sorted(cursor for one in told for cursor in one) == list(range(1, WRITERS * ROUNDS * 3 + 1))


def test_an_address_found_by_many_at_once_enters_once_and_is_counted_once(postgres_store: str) -> None:
    stores = [open_postgres(postgres_store) for _ in range(WRITERS)]
    links = [page(number) for number in range(ROUNDS * LINKS)]

    def find(writer: int) -> list[int]:
        """Each in another order, with servers and visits of its own."""
        order = links if writer % 2 else links[::-1]
        entered: list[int] = []
        for turn in range(ROUNDS):
            piece = tuple(order[turn * LINKS : (turn + 1) * LINKS])
            servers = tuple(Server(f"{n}.example", requests=0) for n in (range(3) if writer % 2 else (2, 1, 0)))
            entered += stores[writer].save(Batch(entered=piece, servers=servers)).entered
        return entered

    found = all_at_once(*(lambda n=n: find(n) for n in range(WRITERS)))
    everything = [number for one in found for number in one]
    assert sorted(everything) == sorted(one.id for one in links)
    assert stores[0].totals().pages == len(links)
    for store in stores:
        store.close()


def test_a_server_is_never_settled_past_a_page_that_enters_meanwhile(postgres_store: str) -> None:
    first, second, third = (open_postgres(postgres_store) for _ in range(3))
    first.save(Batch(pages=(page(0, 1e6, "a.example"),)))

    def enter() -> None:
        for number in range(1, 25):
            first.save(Batch(entered=(page(number, 1e6 - number, "a.example"),)))

    def settle() -> None:
        for _ in range(40):
            second.settle_server("a.example")

    def hasten() -> None:
        for number in range(24):
            third.make_due(5e5 - number, ids=[page(0, server="a.example").id])

    all_at_once(enter, settle, hasten)
    server = first.server("a.example")
    assert server is not None and server.next_due_at is not None
    assert server.next_due_at <= min(one.due_at or 0.0 for one in first.scan())
    for store in (first, second, third):
        store.close()


@pytest.mark.parametrize("fault", ["kill", "stop -m immediate", "stop -m fast"])
def test_every_acknowledged_visit_survives_the_server_and_writers_go_on_by_themselves(
    postgres_victim: PostgresServer, fault: str
) -> None:
    dsn = postgres_victim.with_tables()
    under_way, came_back = threading.Event(), threading.Event()
    stores = [open_postgres(dsn) for _ in range(3)]

    def write(writer: int) -> list[tuple[int, float]]:
        """Before, during and after the outage."""
        acknowledged: list[tuple[int, float]] = []
        one, number, more_after = page(writer), 0, 5
        with closing(stores[writer]) as store:
            while more_after:
                number += 1
                more_after -= came_back.is_set()
                seen = visit(one, float(number), Change.SAME)
                store.save(Batch(pages=(one,), visits=(seen,)))
                acknowledged.append((one.id, seen.at))
                under_way.set() if number > 10 else None
        return acknowledged

    def break_it() -> None:
        assert under_way.wait(120)
        postgres_victim.kill() if fault == "kill" else postgres_victim.stop(fault.split()[-1])
        postgres_victim.start()
        came_back.set()

    *written, _ = all_at_once(*(lambda n=n: write(n) for n in range(3)), break_it)
    with closing(open_postgres(dsn)) as store:
        for acknowledged in written:
            kept = {(visit.page, visit.at) for visit in store.visits(acknowledged[0][0], limit=1_000_000)}
            assert kept == set(acknowledged)
        assert store.totals().visits == sum(len(acknowledged) for acknowledged in written)
    postgres_victim.drop(dsn)


def test_a_server_that_stays_away_is_given_up_in_words(postgres_victim: PostgresServer) -> None:
    dsn = postgres_victim.with_tables()
    waits: list[float] = []
    with closing(open_postgres(dsn, patience_s=(0.1, 0.2), wait=waits.append)) as store:
        postgres_victim.stop()
        with pytest.raises(StoreAway, match="does not answer"):
            store.save(Batch(memos=(("k", b"v"),)))
        postgres_victim.start()
        store.save(Batch(memos=(("k", b"w"),)))
        assert store.memo("k") == b"w"
    assert waits[:2] == [0.1, 0.2]
    postgres_victim.drop(dsn)


def test_a_change_that_is_written_while_visits_are_compacted_stays(postgres_store: str) -> None:
    """Between those that proved a change being kept and all of them being forgotten."""
    x, y = page(1), page(2)
    with closing(open_postgres(postgres_store)) as store, psycopg.connect(postgres_store, autocommit=True) as gate:
        store.save(Batch(entered=(x, y), visits=(visit(x, 1.0, Change.CHANGED), visit(x, 2.0, Change.SAME))))
        gate.execute(
            "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'"
        )
        gate.execute("CREATE TRIGGER wait BEFORE INSERT ON visit FOR EACH STATEMENT EXECUTE FUNCTION wait()")
        gate.execute("SELECT pg_advisory_lock(1)")
        with ThreadPoolExecutor(1) as pool:
            forgotten = pool.submit(store.compact, 5.0)
            while not gate.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").fetchone():
                pass
            with closing(open_postgres(postgres_store)) as other:
                other.save(Batch(visits=(visit(y, 1.5, Change.CHANGED),)))
            gate.execute("SELECT pg_advisory_unlock(1)")
            assert forgotten.result() == 1
        assert [seen.at for seen in store.visits(x.id)] == [1.0]
        assert [seen.at for seen in store.visits(y.id)] == [1.5]
