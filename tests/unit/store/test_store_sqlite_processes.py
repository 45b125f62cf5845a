"""One SQLite file, several processes: real ones, some of them killed."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from recrawl.model.batch import Batch
from recrawl.model.event import EventKind
from recrawl.store.sqlite import open_sqlite

# Commits batch after batch under its own name and says the number of each after the commit.
WRITER = """
import sys
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Page, Status
from recrawl.model.visit import Evidence, Version, Visit, Why
from recrawl.store.sqlite import open_sqlite

path, name, first, batches = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
store = open_sqlite(path)

def page(number, server=f"{name}.example", **known):
    url = f"http://{server}/{number}"
    return Page(fingerprint(url), url, server, "one", **known)

shared = tuple(page(number, server="all.example") for number in range(50))
for number in range(first, first + batches):
    visited = page(number, status=Status.LIVE, visits=1, due_at=float(number))
    found = tuple(page(f"{number}/{link}", due_at=1.0) for link in range(20))
    store.save(
        Batch(
            pages=(visited,),
            entered=found + shared,
            visits=(Visit(visited.id, float(number), Why.FIRST, 200, Evidence.DOCUMENT, "new", received_bytes=7),),
            versions=(Version(visited.id, float(number), "x", "w", 0, 1, 2, 3),),
            events=(Event(EventKind.ADDED, float(number), visited.url, "one", visited.id),),
        )
    )
    print(number, flush=True)
"""


def writer(path: Path, name: str, first: int = 0, batches: int = 1_000_000) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", WRITER, str(path), name, str(first), str(batches)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def sound(path: Path) -> bool:
    with sqlite3.connect(path) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_four_writers_on_a_new_file_all_get_their_turn_and_lose_nothing(tmp_path: Path) -> None:
    path, batches = tmp_path / "s.db", 60
    writers = [writer(path, f"w{number}", batches=batches) for number in range(4)]
    ends = [(process.communicate(timeout=120), process.returncode) for process in writers]
    assert [(code, errors) for (_, errors), code in ends] == [(0, "")] * 4
    store = open_sqlite(path, readonly=True)
    totals = store.totals(now=1e9)
    assert totals.pages == 4 * batches * 21 + 50
    assert (totals.visits, totals.versions, totals.bytes, totals.visited) == (240, 240, 240 * 7, 240)
    events = store.events(kinds=[EventKind.ADDED], limit=10_000)
    assert [event.cursor for event in events] == list(range(1, 241))
    for name in ("w0", "w1", "w2", "w3"):
        own = [event.at for event in events if event.url.startswith(f"http://{name}.")]
        assert own == sorted(own)
    store.close()
    assert sound(path)


def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    path, first = tmp_path / "s.db", 0
    acknowledged: list[int] = []
    for patience in (1, 7, 20, 45):
        process = writer(path, "w", first=first)
        assert process.stdout is not None
        for _ in range(patience):
            acknowledged.append(int(process.stdout.readline()))
        process.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in process.stdout.read().splitlines()]
        process.communicate()
        first = acknowledged[-1] + 1
    store = open_sqlite(path)
    stored = [int(event.at) for event in store.events(limit=100_000)]
    assert set(acknowledged) <= set(stored) and len(stored) == len(set(stored))
    totals = store.totals()
    assert totals.visits == totals.versions == totals.visited == len(stored)
    assert totals.pages == len(store.scan(limit=1_000_000)) == 21 * len(stored) + 50
    store.close()
    assert sound(path)


def test_a_reader_sees_the_store_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    process = writer(path, "w")
    assert process.stdout is not None
    process.stdout.readline()
    store = open_sqlite(path, readonly=True)
    seen = []
    for _ in range(20):
        process.stdout.readline()
        seen.append(store.totals().visits)
    process.kill()
    process.communicate()
    assert seen == sorted(seen) and seen[-1] > seen[0] >= 1
    store.close()


def test_a_store_is_at_hand_unless_another_process_is_writing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_sqlite(path)
    assert store.at_hand()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not store.at_hand()
        assert store.at_hand(to_read=True)
        other.execute("ROLLBACK")
    assert store.at_hand()
    store.save(Batch(memos=(("kept", b"1"),)))
    assert store.memo("kept") == b"1"
    store.close()
