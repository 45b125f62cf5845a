"""Which page a worker was reading when it died: one that takes several with it is left alone for a while.

A parser that crashes, or an answer that takes all memory, ends the whole process, and the next one would meet the same
page. So the page at hand stands in a file that outlives the worker. Until what was read is written the last page stays
there: a kill from outside blames an innocent one, but hardly the same three times in a row.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from struct import Struct

from recrawl.fetch.worker_files import dead_files, opened

SUFFIX = ".reading"
MOST_DEATHS = 3  # so many in a row, and the page rests
MOST_PAGES = 100  # that are remembered
MOST_READ_BYTES = 1024 * 1024
_AT_HAND = Struct("<q")
NOBODY = _AT_HAND.pack(0)


class DeathWatch:
    """Of one worker. `folder` holds the files of all of them."""

    def __init__(self, folder: Path, worker: str) -> None:
        folder.mkdir(exist_ok=True)
        dead = dead_files(folder, SUFFIX, MOST_READ_BYTES)
        self._deaths = _counted(data for _, data in dead)
        self._path, self._handle = opened(folder, worker, SUFFIX)
        self._at_hand = False
        self._suspects: set[int] = set()  # read again, and not written yet
        self._write()
        for path, _ in dead:
            with suppress(OSError):  # another worker was faster, or it is not ours
                path.unlink()

    def deaths(self, page: int) -> int:
        """In a row, while its answers were read."""
        return self._deaths.get(page, 0)

    def begin(self, page: int) -> None:
        """What came for this page is read next."""
        self._at_hand = True
        if page in self._deaths:
            self._suspects.add(page)
        with suppress(OSError):  # a full disk: whoever must write says so
            os.pwrite(self._handle, _AT_HAND.pack(page), 0)

    def settled(self, pages: Iterable[int]) -> None:
        """What was read of these pages is written, so they have killed nobody this time."""
        if self._at_hand:
            self._at_hand = False
            with suppress(OSError):
                os.pwrite(self._handle, NOBODY, 0)
        if self._suspects and (survived := self._suspects.intersection(pages)):
            self._suspects -= survived
            for page in survived:
                del self._deaths[page]
            self._write()

    def rested(self, page: int) -> None:
        """It is left alone for now; when its time comes again it has one more try."""
        self._deaths[page] = MOST_DEATHS - 1
        self._write()

    def _write(self) -> None:
        known = json.dumps(dict(list(self._deaths.items())[-MOST_PAGES:])).encode()
        with suppress(OSError):
            os.ftruncate(self._handle, _AT_HAND.size)
            os.pwrite(self._handle, known, _AT_HAND.size)

    def close(self) -> None:
        if not self._deaths:
            self._path.unlink(missing_ok=True)
        with suppress(OSError):
            os.pwrite(self._handle, NOBODY, 0)
        os.close(self._handle)


def _counted(files: Iterable[bytes]) -> dict[int, int]:
    """By page, with the death of whoever left each file."""
    deaths: dict[int, int] = {}
    for data in files:
        known = _known(data[_AT_HAND.size :])
        at_hand = _AT_HAND.unpack_from(data)[0] if len(data) >= _AT_HAND.size else 0
        if at_hand:
            known[at_hand] = known.get(at_hand, 0) + 1
        for page, count in known.items():
            deaths[page] = max(count, deaths.get(page, 0))
    return deaths


def _known(data: bytes) -> dict[int, int]:
    """Nothing where a power cut has torn it."""
    try:
        return {int(page): int(count) for page, count in json.loads(data).items()}
    except (ValueError, TypeError, AttributeError):
        return {}
