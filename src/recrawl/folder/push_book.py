"""What receivers and crawl both write beside the store: WebSub subscriptions, and the counts of what came.

Several processes share the files (a receiver, the crawl, the command line): each change is made under a lock.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from recrawl.agent.whole import write_whole
from recrawl.model.late import late_module
from recrawl.model.values import dataclass

if TYPE_CHECKING:
    from recrawl.notices.websub import Subscription

_REGISTRATIONS = late_module("recrawl.notices.registrations")  # most folders have neither
_WEBSUB = late_module("recrawl.notices.websub")


@contextmanager
def held(folder: Path, what: str) -> Iterator[None]:
    """One process, and one of its threads, at a time; the others wait."""
    handle = os.open(folder / f"{what}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class PushBook:
    folder: Path

    @property
    def _file(self) -> Path:
        return self.folder / "websub.json"

    def subscriptions(self) -> "list[Subscription]":
        found: list[Subscription] = _WEBSUB.read(self._file.read_bytes() if self._file.exists() else None)
        return found

    def put(self, subscription: "Subscription") -> None:
        """Add it, or let it stand for the one of its number."""
        with held(self.folder, "websub"):
            others = [one for one in self.subscriptions() if one.number != subscription.number]
            self._write([*others, subscription])

    def change(self, change: "Callable[[Subscription], Subscription]") -> "list[Subscription]":
        """Every subscription as `change` makes it; those that it changed."""
        with held(self.folder, "websub"):
            before = self.subscriptions()
            after = [change(one) for one in before]
            if after != before:
                self._write(after)
        return [new for old, new in zip(before, after, strict=True) if new != old]

    def count(self, counts: Mapping[str, int]) -> None:
        file = self.folder / "robot.json"
        with held(self.folder, "robot"):
            _REGISTRATIONS.write(file, _REGISTRATIONS.read(file).counted(counts))

    def _write(self, subscriptions: "Sequence[Subscription]") -> None:
        write_whole(self._file, _WEBSUB.write(subscriptions), private=True)
