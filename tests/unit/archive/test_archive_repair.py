"""A kill at any byte: what was acknowledged stays, what was torn is cut, other tools find nothing wrong."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.archive.exchanges import NOON, capture, not_modified, open_archive, warcs
from tests.unit.archive.warcio_check import problems

from recrawl.archive.cdxj_index import merge
from recrawl.archive.folder import WarcArchive
from recrawl.archive.names import FINISHED, OPEN, WARC
from recrawl.archive.repair import Repair, repair
from recrawl.model.capture import Place

STEM = "recrawl-w0-20231114221320-00000"


def killed(live: Path, copy: Path) -> Path:
    """The folder as a kill would leave it at this moment: what the kernel holds, without our last words."""
    return Path(shutil.copytree(live, copy))


def two_batches(folder: Path) -> tuple[WarcArchive, list[Place], int, int]:
    """An archive with two acknowledged batches; the sizes of WARC file and sidecar after the first."""
    archive = open_archive(folder)
    first = capture(body=b"one" * 50, coding="gzip")
    places = archive.append([first, capture("http://example.com/2", NOON + 1, b"two" * 50)])
    sizes = (folder / (STEM + WARC)).stat().st_size, (folder / (STEM + OPEN)).stat().st_size
    places += archive.append([capture("http://example.com/3", NOON + 2, b"three"), not_modified(first, NOON + 3)])
    return archive, places, *sizes


def bodies(folder: Path) -> list[bytes]:
    return [payload.body for _, payload in open_archive(folder, "reader").walk()]


def test_a_kill_at_any_byte_of_the_last_batch_keeps_the_batches_before_it(tmp_path: Path) -> None:
    archive, places, acknowledged, indexed = two_batches(tmp_path / "live")
    whole = (tmp_path / "live" / (STEM + WARC)).read_bytes()
    sidecar = (tmp_path / "live" / (STEM + OPEN)).read_bytes()[:indexed]
    clean: set[int] = set()
    for size in range(acknowledged, len(whole)):
        folder = tmp_path / "killed"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / (STEM + WARC)).write_bytes(whole[:size])
        (folder / (STEM + OPEN)).write_bytes(sidecar)
        reopened = open_archive(folder)
        [done] = reopened.repairs
        assert acknowledged <= done.kept_bytes <= size
        assert done.cut_bytes == size - done.kept_bytes
        assert [reopened.read(place).body for place in places[:2]] == [b"one" * 50, b"two" * 50]
        assert (folder / (STEM + WARC)).read_bytes() == whole[: done.kept_bytes]
        if done.kept_bytes not in clean:
            assert problems(folder / (STEM + WARC)) == []
            assert open_archive(folder).repairs == []
            clean.add(done.kept_bytes)
        assert not (folder / (STEM + OPEN)).exists()
        assert len((folder / (STEM + FINISHED)).read_bytes().splitlines()) == 2 + done.rebuilt_lines
    assert len(clean) == 4  # every record boundary of the batch was met
    archive.close()


def test_a_kill_at_any_byte_of_the_index_rebuilds_it(tmp_path: Path) -> None:
    archive, places, _, indexed = two_batches(tmp_path / "live")
    sidecar = (tmp_path / "live" / (STEM + OPEN)).read_bytes()
    copy = killed(tmp_path / "live", tmp_path / "killed")
    archive.close()
    finished = (tmp_path / "live" / (STEM + FINISHED)).read_bytes()
    for size in [*range(0, indexed, 37), *range(indexed, len(sidecar) + 1)]:
        (copy / (STEM + FINISHED)).unlink(missing_ok=True)
        (copy / (STEM + OPEN)).write_bytes(sidecar[:size])
        [done] = repair(copy)
        assert (done.cut_bytes, done.rebuilt_lines) == (0, 4 - sidecar[:size].count(b"\n"))
        assert (copy / (STEM + FINISHED)).read_bytes() == finished
    assert len(places) == 4


def test_the_first_record_of_a_file_torn_leaves_no_file(tmp_path: Path) -> None:
    two_batches(tmp_path / "live")
    (tmp_path / "killed").mkdir()
    torn = (tmp_path / "live" / (STEM + WARC)).read_bytes()[:100]
    (tmp_path / "killed" / (STEM + WARC)).write_bytes(torn)
    (tmp_path / "killed" / (STEM + OPEN)).touch()
    assert repair(tmp_path / "killed") == [Repair(STEM + WARC, kept_bytes=0, cut_bytes=100)]
    assert list((tmp_path / "killed").iterdir()) == []


@pytest.mark.parametrize("tail", [bytes(5000), b"\x1f\x8b" + b"garbage" * 99])
def test_what_a_power_loss_left_behind_the_records_is_cut(tmp_path: Path, tail: bytes) -> None:
    _archive, places, *_ = two_batches(tmp_path / "live")
    copy = killed(tmp_path / "live", tmp_path / "killed")
    with (copy / (STEM + WARC)).open("ab") as file:
        file.write(tail)
    reopened = open_archive(copy)
    assert [done.cut_bytes for done in reopened.repairs] == [len(tail)]
    assert reopened.read(places[3]).body == b"one" * 50
    assert problems(copy / (STEM + WARC)) == []


def test_index_lines_that_point_behind_the_cut_are_dropped(tmp_path: Path) -> None:
    _archive, places, acknowledged, _ = two_batches(tmp_path / "live")
    copy = killed(tmp_path / "live", tmp_path / "killed")
    os.truncate(copy / (STEM + WARC), acknowledged + 10)
    assert repair(copy) == [Repair(STEM + WARC, acknowledged, cut_bytes=10, dropped_lines=2)]
    assert bodies(copy) == [b"one" * 50, b"two" * 50]
    assert len(places) == 4


def test_a_lost_sidecar_is_rebuilt_from_the_records(tmp_path: Path) -> None:
    archive, *_ = two_batches(tmp_path)
    archive.close()
    finished = (tmp_path / (STEM + FINISHED)).read_bytes()
    (tmp_path / (STEM + FINISHED)).unlink()
    [done] = repair(tmp_path)
    assert (done.rebuilt_lines, done.torn) == (4, False)
    assert (tmp_path / (STEM + FINISHED)).read_bytes() == finished


def test_a_kill_just_after_finishing_needs_only_a_broom(tmp_path: Path) -> None:
    archive, *_ = two_batches(tmp_path)
    archive.close()
    (tmp_path / (STEM + OPEN)).write_bytes(b"left over")
    before = (tmp_path / (STEM + FINISHED)).read_bytes()
    assert repair(tmp_path) == []
    assert not (tmp_path / (STEM + OPEN)).exists()
    assert (tmp_path / (STEM + FINISHED)).read_bytes() == before


def test_a_kill_just_before_the_first_record_needs_only_a_broom(tmp_path: Path) -> None:
    (tmp_path / (STEM + OPEN)).touch()
    assert repair(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_a_living_worker_writes_is_left_alone(tmp_path: Path) -> None:
    archive, places, *_ = two_batches(tmp_path)
    assert repair(tmp_path) == []
    assert open_archive(tmp_path, "w0").repairs == []
    places += archive.append([capture("http://example.com/5", NOON + 9, b"five")])
    archive.close()
    assert [archive.read(place).body for place in places[2:]] == [b"three", b"one" * 50, b"five"]


def test_a_worker_mends_only_its_own_files_and_whoever_holds_the_folder_all(tmp_path: Path) -> None:
    for worker in ("w0", "w1", "w1-2"):
        archive = open_archive(tmp_path / "live", worker)
        archive.append([capture(f"http://example.com/{worker}")])
        copy = killed(tmp_path / "live", tmp_path / worker)
    assert [done.file for done in open_archive(copy, "w1").repairs] == ["recrawl-w1-20231114221320-00000.warc.gz"]
    assert len(repair(copy)) == 2
    assert repair(copy) == []


def test_finished_files_and_files_of_others_are_never_opened(tmp_path: Path) -> None:
    archive, *_ = two_batches(tmp_path)
    archive.close()
    (tmp_path / (STEM + WARC)).write_bytes(b"finished long ago")
    (tmp_path / "mine.warc.gz").write_bytes(b"no business of ours")
    assert repair(tmp_path) == []
    assert (tmp_path / (STEM + WARC)).read_bytes() == b"finished long ago"
    assert (tmp_path / "mine.warc.gz").read_bytes() == b"no business of ours"


def test_a_restart_begins_a_new_file_beside_the_mended_one(tmp_path: Path) -> None:
    _archive, places, *_ = two_batches(tmp_path / "live")
    copy = killed(tmp_path / "live", tmp_path / "killed")
    os.truncate(copy / (STEM + WARC), (copy / (STEM + WARC)).stat().st_size - 3)
    reopened = open_archive(copy)
    [place] = reopened.append([not_modified(capture(body=b"one" * 50, coding="gzip"), NOON + 60)])
    reopened.close()
    assert place.file != places[0].file
    assert reopened.read(place).body == b"one" * 50
    assert merge(copy, copy / "index.cdxj") == 4


WRITER = """
import sys
from pathlib import Path
from tests.unit.archive.exchanges import NOON, capture, open_archive
archive = open_archive(Path(sys.argv[1]), file_bytes=200_000)
number = 0
while True:
    batch = [capture(f"http://example.com/{number + i}", NOON + number + i, b"x%d" % (number + i)) for i in range(5)]
    for place in archive.append(batch):
        print(number, place.file, place.offset, place.length, flush=True)
        number += 1
"""


def test_everything_acknowledged_before_a_real_kill_reads_back(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=root
    ) as writer:
        assert writer.stdout is not None
        told = [next(writer.stdout) for _ in range(1500)]
        writer.send_signal(signal.SIGKILL)
        told += [line for line in writer.stdout if line.endswith("\n")]
    archive = open_archive(tmp_path, now=NOON + 99)
    assert len(archive.repairs) <= 1
    for number, file, offset, length in (line.split() for line in told):
        assert archive.read(Place(file, int(offset), int(length))).body == b"x" + number.encode()
    assert [problems(path) for path in warcs(tmp_path)] == [[]] * len(warcs(tmp_path))
    assert len(warcs(tmp_path)) > 1
