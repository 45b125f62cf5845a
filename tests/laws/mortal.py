"""What dies: a store and an archive behind which a worker can be killed, in the middle of whatever it writes."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from recrawl.model.batch import Batch, Saved
from recrawl.model.capture import Capture, Laid, Payload, Place
from recrawl.model.failure import DiskFull
from recrawl.model.visit import Reply
from recrawl.ports import Archive, Store
from tests.laws.story import Life


class Killed(BaseException):
    """Stands for kill -9: nothing that happens afterwards reaches disk or store."""


class Fate:
    """When this life ends, and whether it has. Shared by all workers of the life: the whole tree dies."""

    def __init__(self, life: Life) -> None:
        self.life, self.writes, self.dead = life, 0, False

    def comes(self, moment: str) -> bool:
        return not self.dead and self.life.death == moment and self.writes >= self.life.at_write

    def strike(self) -> None:
        self.dead = True
        raise Killed

    def check(self) -> None:
        if self.dead:
            raise Killed


class MortalArchive:
    """`tear(before, dice)` leaves the files as a kill in the middle of a write would."""

    def __init__(self, inner: Archive, fate: Fate, tear: Callable[[Sequence[Capture]], None]) -> None:
        self._inner, self._fate, self._tear = inner, fate, tear

    def append(self, captures: Sequence[Capture]) -> list[Place]:
        fate = self._fate
        fate.check()
        fate.writes += 1
        if fate.comes("before archive"):
            fate.strike()
        if fate.comes("disk full"):
            raise DiskFull("the disk is full")
        if captures and fate.comes("torn archive"):
            self._tear(captures)
            fate.strike()
        places = self._inner.append(captures)
        if fate.comes("before commit"):
            fate.strike()
        return places

    def lay(self, captures: Sequence[Capture]) -> Laid:
        self._fate.check()
        return Laid(partial(self.append, captures))

    def needs_body(self, reply: Reply) -> bool:
        return self._inner.needs_body(reply)

    def read(self, place: Place, body_bytes: int = 0) -> Payload:
        self._fate.check()
        return self._inner.read(place, body_bytes)

    def walk(self) -> Iterator[tuple[Place, Payload]]:
        return self._inner.walk()

    def close(self) -> None:
        """Only those who live close what they opened."""


class MortalStore:
    """The store as it is, until the worker is dead."""

    def __init__(self, inner: Store, fate: Fate) -> None:
        self._inner, self._fate = inner, fate

    def save(self, batch: Batch) -> Saved:
        self._fate.check()
        saved = self._inner.save(batch)
        if self._fate.comes("after commit"):
            self._fate.strike()
        return saved

    def __getattr__(self, name: str) -> Any:
        self._fate.check()
        return getattr(self._inner, name)


def tear_files(folder: Path, captures: Sequence[Capture], inner: Archive, share: float) -> None:
    """Write, and cut the newest file within what was just written: a record that ends in the middle."""
    before = {file: file.stat().st_size for file in folder.glob("*.warc.gz")}
    inner.append(captures)
    for file in folder.glob("*.warc.gz"):
        grown = file.stat().st_size - before.get(file, 0)
        if grown > 0:
            with file.open("r+b") as torn:
                torn.truncate(before.get(file, 0) + int(grown * share))
