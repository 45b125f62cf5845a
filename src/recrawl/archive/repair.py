"""Mends what a kill or a power cut left: a torn tail is cut at the last whole record, the index is made whole and
sorted.

Only files without a finished sidecar are opened, and of those only what lies behind the last record whose index line
was written; the cost does not grow with the archive. Where records were not flushed to the disk as they were written
(`thorough`), every record of such a file is read, and the file ends before the first that is not whole. A file that a
living process writes is left alone.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import IO

from recrawl.archive.cdxj_index import readable, written_lines
from recrawl.archive.member import BrokenMember, inflated, members
from recrawl.archive.names import BUILDING, FINISHED, OPEN, WARC, safe, stems, worker_of
from recrawl.archive.open_file import finish_sidecar, flush_to_disk
from recrawl.archive.reading import index_line
from recrawl.archive.record import BrokenRecord, parse
from recrawl.formats.cdxj import CdxLine, render
from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done to one unfinished file: `kept_bytes` of whole records stay, `cut_bytes` behind them went,
    `rebuilt_lines` were missing from the index, `dropped_lines` pointed at nothing whole."""

    file: str
    kept_bytes: int
    cut_bytes: int = 0
    rebuilt_lines: int = 0
    dropped_lines: int = 0

    @property
    def torn(self) -> bool:
        return self.cut_bytes > 0


@dataclass(frozen=True, slots=True)
class Torn:
    """A file that ended before its time: what a repair would keep of it."""

    file: str
    kept_bytes: int


def torn(folder: Path, thorough: bool = False) -> list[Torn]:
    """Files that nobody writes any more and that a repair would cut, or that are gone; nothing is changed."""
    return [one for stem in _unfinished(folder) if (one := _torn(folder, stem, thorough)) is not None]


def repair(folder: Path, worker: str | None = None, sync: bool = False, thorough: bool = False) -> list[Repair]:
    """Finish every unfinished file (of one worker, or all) that nobody writes any more; one value for each."""
    mine = [stem for stem in _unfinished(folder) if worker is None or worker_of(stem) == safe(worker)]
    return [done for stem in mine if (done := _mend(folder, stem, sync, thorough)) is not None]


def _unfinished(folder: Path) -> list[str]:
    unfinished = set(stems(folder, WARC)) | set(stems(folder, OPEN))
    return sorted(unfinished - (set(stems(folder, FINISHED)) - set(stems(folder, OPEN))))


def _torn(folder: Path, stem: str, thorough: bool) -> Torn | None:
    with _held(folder / (stem + OPEN)) as held:
        warc = folder / (stem + WARC)
        if not held or (folder / (stem + FINISHED)).exists():
            return None
        if not warc.exists():
            return Torn(warc.name, 0)
        with warc.open("rb") as file:
            _, _, kept_bytes = _whole(file, _written(folder, stem), thorough)
            return Torn(warc.name, kept_bytes) if kept_bytes < file.seek(0, os.SEEK_END) else None


def _written(folder: Path, stem: str) -> list[CdxLine]:
    """Index lines in order of writing, up to the first that a power cut took."""
    read = (readable([line]) for line in written_lines(folder / (stem + OPEN)))
    return [line for [line] in takewhile(bool, read)]


def _mend(folder: Path, stem: str, sync: bool, thorough: bool) -> Repair | None:
    with _held(folder / (stem + OPEN)) as held:
        if not held:
            return None
        warc, sidecar = folder / (stem + WARC), folder / (stem + OPEN)
        (folder / (stem + BUILDING)).unlink(missing_ok=True)
        if (folder / (stem + FINISHED)).exists() or not warc.exists():
            sidecar.unlink(missing_ok=True)  # the kill came just after finishing, or just before the first record
            return None
        return _cut_and_index(warc, stem, _written(folder, stem), sync, thorough)


@contextmanager
def _held(sidecar: Path) -> Iterator[bool]:
    """True if the lock was free: no living process writes the file."""
    handle = os.open(sidecar, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _whole(file: IO[bytes], lines: Sequence[CdxLine], thorough: bool) -> tuple[list[CdxLine], list[CdxLine], int]:
    """Index lines to trust, those found behind them, and where the last whole record ends."""
    good, known_end = ([], 0) if thorough else _trusted(file, sorted(lines, key=lambda line: line.offset))
    found, kept_bytes = _rest(file, known_end, Path(file.name).name)
    return good, found, kept_bytes


def _cut_and_index(warc: Path, stem: str, lines: Sequence[CdxLine], sync: bool, thorough: bool) -> Repair | None:
    with warc.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        good, found, kept_bytes = _whole(file, lines, thorough)
        file.truncate(kept_bytes)
        if sync:
            flush_to_disk(file.fileno())
    dropped = max(0, len(lines) - len(found)) if thorough else len(lines) - len(good)
    done = Repair(warc.name, kept_bytes, size - kept_bytes, len(found), dropped)
    if kept_bytes == 0:
        warc.unlink()
        warc.with_name(stem + OPEN).unlink(missing_ok=True)
        return done if done.torn else None
    sorted_lines = sorted((render(line) + "\n").encode() for line in (*good, *found))
    finish_sidecar(warc.parent, stem, lambda file: file.writelines(sorted_lines), sync)
    return done


def _trusted(file: IO[bytes], lines: list[CdxLine]) -> tuple[list[CdxLine], int]:
    """Index lines up to the last one whose record is whole, and where that record ends."""
    good = list(lines)
    while good:
        if _is_whole(file, good[-1]):
            return good, good[-1].offset + good[-1].length
        good.pop()
    return [], 0


def _is_whole(file: IO[bytes], line: CdxLine) -> bool:
    file.seek(line.offset)
    try:
        parse(inflated(file.read(line.length)))
        return True
    except (BrokenMember, BrokenRecord):
        return False


def _rest(file: IO[bytes], offset: int, name: str) -> tuple[list[CdxLine], int]:
    """Index lines of the whole records from `offset` on, and where the last of them ends."""
    found, end = list[CdxLine](), offset
    for member in members(file, offset):
        try:
            line = index_line(parse(member.data), member.offset, member.length, name)
        except BrokenRecord:
            break
        found += [line] if line else []
        end = member.offset + member.length
    return found, end
