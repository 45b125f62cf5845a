"""Large bodies share one room, from their first bytes until nobody needs the answer any more.

Whoever finds it full waits, and its server with it. Small bodies do not count: a page made for people is read whatever
else is going on. Somebody may always go on: the first of those under way where no answer is kept, else one that has
waited for long.
"""

import weakref
from collections.abc import Callable
from functools import partial
from typing import Protocol

from recrawl.model.visit import Reply

SMALL_BYTES = 256 * 1024
PATIENCE_S = 2.0


Later = Callable[[Callable[[], None]], None]


class Carrier(Protocol):
    def resume(self) -> None: ...


def at_once(work: Callable[[], None]) -> None:
    work()


class Ballast:
    """`later` calls something on the loop: an answer may be let go by another thread."""

    def __init__(self, room_bytes: int, later: Later = at_once) -> None:
        self._room_bytes = room_bytes
        self._later = later
        self._held: dict[Carrier, int] = {}  # by those under way
        self._kept_bytes = 0  # by answers handed out
        self._waiting: dict[Carrier, None] = {}  # in the order in which they came
        self._favoured: Carrier | None = None

    @property
    def held_bytes(self) -> int:
        return sum(self._held.values()) + self._kept_bytes

    @property
    def is_overfull(self) -> bool:
        return (bool(self._held) or self._kept_bytes > 0) and self.held_bytes > self._room_bytes

    def takes(self, carrier: Carrier, body_bytes: int) -> bool:
        """Whether a body may grow to this size now; if not, its carrier is resumed when there is room."""
        others = self.held_bytes - self._held.get(carrier, 0)
        if others + body_bytes > self._room_bytes and not self.lets_on(carrier):
            self._waiting[carrier] = None
            return False
        self._held[carrier] = body_bytes
        return True

    def wait(self, carrier: Carrier) -> None:
        """Resume it when there may be room."""
        self._waiting[carrier] = None

    def lets_on(self, carrier: Carrier) -> bool:
        """Whether it need not wait, however full the room is."""
        return carrier is self._favoured or (not self._kept_bytes and carrier is next(iter(self._held), carrier))

    def favour(self, carrier: Carrier) -> None:
        """It has waited for long: let it go on, unless somebody else was let go on already."""
        if self._favoured is None and carrier in self._waiting:
            self._favoured = carrier
            del self._waiting[carrier]
            carrier.resume()

    def release(self, carrier: Carrier) -> None:
        """It is under way no more; what it brought may be kept (see `keep`)."""
        self._waiting.pop(carrier, None)
        if self._favoured is carrier:
            self._favoured = None
        if self._held.pop(carrier, None) is not None:
            self._wake()

    def keep(self, reply: Reply) -> None:
        """An answer takes room for as long as anybody holds it."""
        size = len(reply.body) + (0 if reply.sent_body is reply.body else len(reply.sent_body))
        if size > SMALL_BYTES:
            self._kept_bytes += size
            weakref.finalize(reply, self._later, partial(self._let_go, size))

    def _let_go(self, size: int) -> None:
        self._kept_bytes -= size
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for carrier in waiting:
            carrier.resume()
