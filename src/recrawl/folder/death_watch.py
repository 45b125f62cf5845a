"""Which page a worker was reading when it died: one that takes several with it is left alone for a while.

A parser that crashes, or an answer that takes all memory, ends the whole process, and the next one would meet the same
page. So the page at hand stands in a file that outlives the worker; whoever starts next counts it in a table that all
workers of the folder share. Until what was read is written the last page stays at hand: a kill from outside blames an
innocent one, but hardly the same three times in a row.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import Struct

from recrawl.agent.whole import write_whole
from recrawl.fetch.worker_files import dead_files, opened

SUFFIX = ".reading"
MOST_DEATHS = 3  # so many in a row, and the page rests
MOST_PAGES = 100  # that are remembered
MOST_READ_BYTES = 4096
_AT_HAND = Struct("<q")
NOBODY = _AT_HAND.pack(0)

Table = dict[int, int]  # deaths by page, those met last at the end


class DeathWatch:
    """Of one worker. `folder` holds the files of all of them."""

    def __init__(self, folder: Path, worker: str) -> None:
        folder.mkdir(exist_ok=True)
        self._folder, self._file = folder, folder / "deaths"
        self.table, self._stamp = Table(), (0, 0)
        self._suspects: set[int] = set()  # read again, and not written yet
        self.look()
        self._count_dead()
        self._path, self._handle = opened(folder, worker, SUFFIX)
        self._at_hand = 0

    def deaths(self, page: int) -> int:
        """In a row, while its answers were read, as far as was known at the last look."""
        return self.table.get(page, 0)

    def look(self) -> None:
        """Other workers count, too."""
        try:
            stat = self._file.stat()
        except OSError:
            self.table, self._stamp = {}, (0, 0)
            return
        if self._stamp != (stamp := (stat.st_mtime_ns, stat.st_ino)):
            self.table, self._stamp = _read(self._file), stamp

    def begin(self, page: int) -> None:
        """What came for this page is read next."""
        if page == self._at_hand:
            return
        self._at_hand = page
        if page in self.table:
            self._suspects.add(page)
        self._set_at_hand(_AT_HAND.pack(page))

    def settled(self, pages: Iterable[int]) -> None:
        """What was read of these pages is written, so they have killed nobody this time."""
        if self._at_hand:
            self._at_hand = 0
            self._set_at_hand(NOBODY)
        if self._suspects and (survived := self._suspects.intersection(pages)):
            self._suspects -= survived
            with self._changing() as table:
                for page in survived:
                    table.pop(page, None)

    def rested(self, page: int) -> None:
        """It is left alone for now; when its time comes again it has one more try."""
        with self._changing() as table:
            table[page] = MOST_DEATHS - 1

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._handle)

    def _set_at_hand(self, page: bytes) -> None:
        try:  # with every page: `suppress` would cost as much again
            os.pwrite(self._handle, page, 0)
        except OSError:
            return  # a full disk: whoever must write says so

    def _count_dead(self) -> None:
        """Each of them once, whoever comes first."""
        if not any(self._folder.glob(f"*{SUFFIX}")):
            return
        with self._changing() as table:
            for path, left in dead_files(self._folder, SUFFIX, MOST_READ_BYTES):
                page = _AT_HAND.unpack(left)[0] if len(left) == _AT_HAND.size else 0
                if page:
                    table[page] = table.pop(page, 0) + 1
                path.unlink(missing_ok=True)

    @contextmanager
    def _changing(self) -> Iterator[Table]:
        """One worker at a time. What cannot be written is known to this one alone."""
        place = os.open(self._folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(place, fcntl.LOCK_EX)
            self.look()
            yield (table := self.table)
            for page in list(table)[:-MOST_PAGES]:
                del table[page]
            with suppress(OSError):
                if table:
                    write_whole(self._file, json.dumps(table).encode())
                else:
                    self._file.unlink(missing_ok=True)
        finally:
            os.close(place)


def _read(file: Path) -> Table:
    """Nothing where a power cut has torn it."""
    try:
        return {int(page): int(deaths) for page, deaths in json.loads(file.read_bytes()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
