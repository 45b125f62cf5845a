"""Large bodies under way share one room: whoever finds it full waits, and its server with it.

Small bodies do not count: a page made for people is read whatever else is going on. The first of the large ones may
always go on to its own limit, so that somebody comes to an end and the others go on after it.
"""

from typing import Protocol

SMALL_BYTES = 1024 * 1024


class Carrier(Protocol):
    def resume(self) -> None: ...


class Ballast:
    def __init__(self, room_bytes: int) -> None:
        self._room_bytes = room_bytes
        self._held: dict[Carrier, int] = {}  # in the order in which they grew large
        self._waiting: set[Carrier] = set()

    @property
    def held_bytes(self) -> int:
        return sum(self._held.values())

    def takes(self, carrier: Carrier, body_bytes: int) -> bool:
        """Whether a body may grow to this size now; if not, its carrier is resumed when there is room."""
        others = self.held_bytes - self._held.get(carrier, 0)
        first = next(iter(self._held), carrier)
        if others + body_bytes > self._room_bytes and first is not carrier:
            self._waiting.add(carrier)
            return False
        self._held[carrier] = body_bytes
        return True

    def release(self, carrier: Carrier) -> None:
        self._waiting.discard(carrier)
        if self._held.pop(carrier, None) is None:
            return
        waiting, self._waiting = self._waiting, set()
        for other in waiting:
            other.resume()
