"""A power cut took records that the store knows: they are taken back, and the feed says so."""

import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from tests.unit.archive.exchanges import NOON, capture, open_archive

from recrawl.archive.names import OPEN, WARC
from recrawl.archive.repair import Torn, repair, torn
from recrawl.folder.mending import take_back
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.capture import Place
from recrawl.model.event import CHANGES, EventKind
from recrawl.model.page import Page, Rank, Status
from recrawl.model.record import Record
from recrawl.model.visit import Version
from recrawl.store.memory import MemoryStore

STEM = "recrawl-w0-20231114221320-00000"
NOW = NOON + 100
URLS = [f"http://example.com/{number}" for number in range(4)]


def digest(body: bytes) -> bytes:
    return sha256(body).digest()


def version(url: str, at: float, body: bytes, place: Place) -> Version:
    kept = f"sha256:{digest(body).hex()}"
    return Version(fingerprint(url), at, kept, place.file, place.offset, place.length, len(body), 0)


def written(root: Path) -> tuple[MemoryStore, list[Version], Path]:
    """Four pages kept, one a record; the first once more behind them. The folder as a power cut finds it: unfinished,
    and nobody writes it any more."""
    bodies = [(URLS[number % 4], NOON + number, b"%d" % number * 40) for number in range(5)]
    places = open_archive(root / "live").append([capture(url, at, body) for url, at, body in bodies])
    versions = [version(*one, place) for one, place in zip(bodies, places, strict=True)]
    newest = {one[0]: one for one in bodies}
    pages = [
        Page(
            fingerprint(url), url, "example.com", "s", status=Status.LIVE, etag='"e"', body_digest=digest(body),
            text_digest=b"text", changed_at=at, checked_at=at, due_at=NOW + 999, interval_s=50.0,
        )
        for url, at, body in newest.values()
    ]  # fmt: skip
    store = MemoryStore()
    records = tuple(Record(one.page, one.at, data={"title": "x"}) for one in versions)
    store.save(Batch(pages=tuple(pages), versions=tuple(versions), records=records))
    return store, versions, Path(shutil.copytree(root / "live", root / "cut"))


def end_at(folder: Path, size: int) -> None:
    with (folder / (STEM + WARC)).open("r+b") as file:
        file.truncate(size)


def test_versions_behind_the_last_whole_record_are_forgotten_and_their_pages_due_as_they_were(tmp_path: Path) -> None:
    store, versions, folder = written(tmp_path)
    end_at(folder, versions[3].warc_offset + 5)
    files = torn(folder)
    assert [one.file for one in files] == [STEM + WARC]
    assert take_back(store, files, NOW) == 2
    again, gone = store.pages([versions[0].page, versions[3].page])
    assert store.versions(again.id) == [versions[0]]
    assert (again.status, again.body_digest, again.changed_at) == (Status.LIVE, digest(b"0" * 40), versions[0].at)
    assert (gone.status, gone.body_digest, gone.changed_at) == (Status.NEW, b"", None)
    for page in (again, gone):
        assert (page.etag, page.text_digest, page.due_at, page.rank) == ("", b"", NOW, Rank.NOTICED)
    assert store.versions(gone.id) == [] == store.records([gone.id])
    assert store.totals().versions == 3
    told = store.events(kinds=CHANGES)
    assert {(event.kind, event.url, event.facts["left"]) for event in told} == {
        (EventKind.LOST, URLS[0], 1),
        (EventKind.LOST, URLS[3], 0),
    }
    assert take_back(store, files, NOW + 1) == 0  # again, after a crash in between
    assert len(store.events()) == 2


def test_what_stays_can_be_read_after_the_cut(tmp_path: Path) -> None:
    store, versions, folder = written(tmp_path)
    end_at(folder, versions[4].warc_offset + 1)
    take_back(store, torn(folder), NOW)
    repair(folder)
    assert torn(folder) == []
    archive = open_archive(folder, "reader")
    kept = [one for url in URLS for one in store.versions(fingerprint(url))]
    assert [archive.read(Place(one.warc_file, one.warc_offset, one.warc_length)).body for one in kept] == [
        b"%d" % number * 40 for number in range(4)
    ]


@pytest.mark.parametrize("thorough", [False, True])
def test_a_hole_among_whole_records_is_seen_where_records_were_not_flushed(tmp_path: Path, thorough: bool) -> None:
    store, versions, folder = written(tmp_path)
    hole = versions[1]
    with (folder / (STEM + WARC)).open("r+b") as file:
        file.seek(hole.warc_offset)
        file.write(bytes(hole.warc_length))
    expected = [Torn(STEM + WARC, hole.warc_offset)] if thorough else []
    assert torn(folder, thorough) == expected
    assert take_back(store, torn(folder, thorough), NOW) == (4 if thorough else 0)
    [done] = repair(folder, thorough=thorough)
    assert done.torn is thorough


def test_a_file_that_vanished_takes_its_versions_with_it(tmp_path: Path) -> None:
    store, versions, folder = written(tmp_path)
    (folder / (STEM + WARC)).unlink()
    assert take_back(store, torn(folder), NOW) == len(versions)
    assert store.totals().versions == 0


def test_an_index_with_a_hole_is_made_again_from_the_records_behind_it(tmp_path: Path) -> None:
    store, versions, folder = written(tmp_path)
    sidecar = folder / (STEM + OPEN)
    lines = sidecar.read_bytes().splitlines(keepends=True)
    sidecar.write_bytes(lines[0] + bytes(len(lines[1]) - 1) + b"\n" + b"".join(lines[2:]))
    [done] = repair(folder)
    assert done.rebuilt_lines == 4
    assert len(list(open_archive(folder, "reader").walk())) == len(versions)
    assert take_back(store, torn(folder), NOW) == 0
