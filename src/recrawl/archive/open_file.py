"""One WARC file that is being written, with the sidecar of its index lines.

The sidecar is made first and locked, so a WARC file without a living writer can be told from one with (the kernel
drops the lock at a kill). Records are written past any buffer of ours, and index lines after them: a kill leaves at
most a torn tail. A write that fails leaves nothing: both files are cut back to where they were.
"""

import errno
import fcntl
import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import merge
from io import BufferedReader
from itertools import accumulate, islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, NoReturn

from recrawl.archive.names import BUILDING, FINISHED, OPEN, WARC
from recrawl.model.failure import DiskFull
from recrawl.native import compiled

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
FLAGS = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
flush_to_disk = getattr(os, "fdatasync", os.fsync)  # macOS has only the latter
RUN = 4096  # lines sorted at once …
RUN_BYTES = 1 << 20  # … and, where all are sorted at once, written

Span = tuple[int, int]  # start and length of an index line in the open sidecar


class OpenFile:
    """Use `begin`. `size` is the length of the WARC file, always the end of a whole record."""

    def __init__(self, folder: Path, stem: str, warc: int, sidecar: int, sync: bool) -> None:
        self.folder, self.stem, self.size = folder, stem, 0
        self._warc, self._sidecar, self._sync = warc, sidecar, sync
        self._sidecar_size = 0

    @classmethod
    def begin(cls, folder: Path, stem: str, sync: bool) -> "OpenFile | None":
        """None if the name is taken."""
        if (folder / (stem + WARC)).exists() or (folder / (stem + FINISHED)).exists():
            return None
        try:
            sidecar = os.open(folder / (stem + OPEN), FLAGS, 0o644)
        except FileExistsError:
            return None
        except OSError as wrong:
            raise_as_ours(wrong, folder)
        fcntl.flock(sidecar, fcntl.LOCK_EX)
        if not _is_still(folder / (stem + OPEN), sidecar):  # a repair swept it away before the lock was ours
            os.close(sidecar)
            return None
        try:
            warc = os.open(folder / (stem + WARC), FLAGS, 0o644)
        except OSError as wrong:
            (folder / (stem + OPEN)).unlink()
            os.close(sidecar)
            raise_as_ours(wrong, folder)
        sync_folder(folder)  # once a file: a power cut may take what is in it, never its name
        return cls(folder, stem, warc, sidecar, sync)

    @property
    def name(self) -> str:
        return self.stem + WARC

    def append(self, records: bytes, lines: Sequence[bytes], flush: bool) -> int:
        """Write whole records, then their index lines; where these begin in the sidecar. All or nothing. What is not
        flushed to the disk (nobody will point at it) is so with what comes later."""
        text = b"".join(lines)
        if os.fstat(self._warc).st_size != self.size:  # an earlier write was interrupted and could not be undone
            self._cut_back()
        try:
            write_all(self._warc, records)
            if flush:
                flush_to_disk(self._warc)
            write_all(self._sidecar, text)
        except BaseException as wrong:
            self._cut_back()
            if isinstance(wrong, OSError):
                raise_as_ours(wrong, self.folder)
            raise
        begin = self._sidecar_size
        self.size += len(records)
        self._sidecar_size += len(text)
        return begin

    def line_at(self, span: Span) -> bytes:
        return os.pread(self._sidecar, span[1], span[0])

    def finish(self) -> None:
        """Sort the index: from now on the file is finished. An empty file leaves no trace."""
        if self.size == 0:
            self.discard()
            return
        with (self.folder / (self.stem + OPEN)).open("rb") as lines:
            finish_sidecar(self.folder, self.stem, partial(write_in_order, lines), self._sync)
        self.abandon()

    def discard(self) -> None:
        (self.folder / self.name).unlink(missing_ok=True)
        (self.folder / (self.stem + OPEN)).unlink(missing_ok=True)
        self.abandon()

    def abandon(self) -> None:
        """Let go of the files as they are; an unfinished one is finished by the next opening."""
        os.close(self._warc)
        os.close(self._sidecar)

    def _cut_back(self) -> None:
        os.ftruncate(self._warc, self.size)
        os.ftruncate(self._sidecar, self._sidecar_size)


def _is_still(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def write_all(file: int, data: bytes) -> None:
    """A short write is continued; the call after it says why it was short."""
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def read_at(path: Path | str, offset: int, length: int) -> bytes:
    """Fewer where the file ends before."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.pread(file, length, offset)
        while len(data) < length and (more := os.pread(file, length - len(data), offset + len(data))):
            data += more
        return data
    finally:
        os.close(file)


def write_in_order(lines: BufferedReader, into: IO[bytes]) -> None:
    """The sorted lines of a file, by the compiled part where it lies in memory as a whole, 16 bytes a line."""
    if compiled is None or not os.fstat(lines.fileno()).st_size:
        into.writelines(in_order(lines))
        return
    with mmap(lines.fileno(), 0, access=ACCESS_READ) as text:
        compiled.write_in_order(text, into.write, RUN_BYTES)


def in_order(lines: BufferedReader) -> Iterator[bytes]:
    """The sorted lines of a file, some thousands in memory at once: a large file's index is many megabytes."""
    runs: list[array[int]] = []
    end = 0
    while batch := list(islice(lines, RUN)):
        *starts, end = accumulate(map(len, batch), initial=end)
        ordered = sorted(zip(batch, starts, strict=True))
        runs.append(array("q", [number for line, start in ordered for number in (start, len(line))]))
    return merge(*(_lines_at(lines.fileno(), run) for run in runs))


def _lines_at(file: int, spans: "array[int]") -> Iterator[bytes]:
    for start, length in zip(spans[::2], spans[1::2], strict=True):
        yield os.pread(file, length, start)


def finish_sidecar(folder: Path, stem: str, put_lines: Callable[[IO[bytes]], None], sync: bool) -> None:
    """The sorted sidecar appears whole, then the open one goes."""
    building = folder / (stem + BUILDING)
    try:
        with building.open("wb") as file:
            put_lines(file)
            file.flush()
            if sync:
                flush_to_disk(file.fileno())
        building.replace(folder / (stem + FINISHED))
    except OSError as wrong:
        building.unlink(missing_ok=True)
        raise_as_ours(wrong, folder)
    if sync:
        sync_folder(folder)
    (folder / (stem + OPEN)).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def raise_as_ours(wrong: OSError, folder: Path) -> NoReturn:
    if wrong.errno in FULL:
        raise DiskFull(
            f"the disk is full, no room left for the archive in {folder}: free some space or move the folder, "
            "then run again; everything archived before is whole"
        ) from wrong
    raise wrong
