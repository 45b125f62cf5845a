"""A full disk: one clear failure, nothing torn, nothing lost, and on with the work once there is room."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.archive.exchanges import NOON, capture, open_archive, warcs
from tests.unit.archive.warcio_check import problems

from recrawl.archive.names import FINISHED, OPEN, WARC
from recrawl.model.failure import DiskFull

STEM = "recrawl-w0-20231114221320-00000"


@contextmanager
def no_file_beyond(limit_bytes: int) -> Iterator[None]:
    """A disk on which no file can grow past this size: writes come back short, then fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def noise(number: int, size: int) -> bytes:
    """Bytes that do not compress much."""
    return b"".join(b"%08x" % ((number + at) * 2654435761 % 2**32) for at in range(size // 8))


def test_a_write_that_does_not_fit_leaves_nothing_torn_and_the_next_goes_on(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    places = archive.append([capture(body=b"kept")])
    before = (tmp_path / (STEM + WARC)).read_bytes(), (tmp_path / (STEM + OPEN)).read_bytes()
    large = capture("http://example.com/large", NOON + 1, noise(1, 400_000))
    with no_file_beyond(100_000), pytest.raises(DiskFull, match="free some space"):
        archive.append([capture("http://example.com/small", NOON + 2), large])
    assert ((tmp_path / (STEM + WARC)).read_bytes(), (tmp_path / (STEM + OPEN)).read_bytes()) == before
    places += archive.append([large])
    archive.close()
    assert [archive.read(place).body for place in places] == [b"kept", large.reply.body]
    assert problems(tmp_path / (STEM + WARC)) == []


def test_a_disk_too_full_for_the_first_record_leaves_no_file(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    with no_file_beyond(100), pytest.raises(DiskFull):
        archive.append([capture()])
    assert list(tmp_path.iterdir()) == []
    [place] = archive.append([capture(body=b"now")])
    assert archive.read(place).body == b"now"


def test_an_index_that_does_not_fit_takes_its_records_back(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, requests=False, metadata=False)
    tiny = [capture(f"http://example.com/{number}/" + "a" * 900, NOON + number, b"") for number in range(60)]
    archive.append(tiny[:1])
    warc, sidecar = tmp_path / (STEM + WARC), tmp_path / (STEM + OPEN)
    before = warc.stat().st_size, sidecar.stat().st_size
    with no_file_beyond(60_000), pytest.raises(DiskFull):
        archive.append(tiny[1:])
    assert (warc.stat().st_size, sidecar.stat().st_size) == before
    assert len(archive.append(tiny[1:])) == 59
    archive.close()
    assert len((tmp_path / (STEM + FINISHED)).read_bytes().splitlines()) == 60


def test_a_file_that_cannot_be_finished_is_finished_by_the_next_opening(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    places = archive.append([capture(f"http://example.com/{number}", NOON + number) for number in range(50)])
    with no_file_beyond(1000):
        archive.close()
    assert not (tmp_path / (STEM + FINISHED)).exists()
    reopened = open_archive(tmp_path)
    assert [(done.file, done.torn) for done in reopened.repairs] == [(STEM + WARC, False)]
    assert len([reopened.read(place) for place in places]) == 50
    assert len(warcs(tmp_path)) == 1


def test_what_failed_on_the_way_to_a_new_file_keeps_the_old_one_whole(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, file_bytes=3000)
    captures = [capture(f"http://example.com/{number}", NOON + number, noise(number, 3000)) for number in range(20)]
    places = archive.append(captures[:3])
    with no_file_beyond(2000), pytest.raises(DiskFull):
        archive.append(captures[3:])
    places += archive.append(captures[3:])
    archive.close()
    assert [archive.read(place).body for place in places] == [one.reply.body for one in captures]
    assert [problems(path) for path in warcs(tmp_path)] == [[]] * len(warcs(tmp_path))
