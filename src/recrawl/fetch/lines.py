"""Kept connections of our own, by where they lead: those that rest, and those that carry a request."""

import asyncio
import socket

from recrawl.fetch.driver import Driver
from recrawl.fetch.ears import NOTHING, READ, ears_for
from recrawl.fetch.exchange import Permit
from recrawl.fetch.line import Line

OLD_S = 118.0  # as libcurl has it: whoever has rested for longer was most likely given up by the server


class Lines:
    """At most so many rest; who has rested longest is let go first."""

    def __init__(self, driver: Driver, kept: int, permit: Permit | None) -> None:
        self._driver, self._kept, self._permit = driver, kept, permit
        self._loop: asyncio.AbstractEventLoop = driver.loop
        self._ears = ears_for(driver.loop)
        self._by_descriptor: dict[int, Line] = {}
        self._resting: dict[str, list[Line]] = {}  # by origin
        self._rest = 0  # of them
        self._waiting: list[Line] = []  # to send

    @property
    def all(self) -> list[Line]:
        return list(self._by_descriptor.values())

    @property
    def busy(self) -> list[Line]:
        resting = {line for lines in self._resting.values() for line in lines}
        return [line for line in self._by_descriptor.values() if line not in resting]

    def take(self, origin: str, address: str) -> Line | None:
        """One that leads there, the last one used first."""
        lines = self._resting.get(origin)
        while lines:
            line = lines[-1] if lines[-1].address == address else _leading_to(address, lines)
            if line is None:
                break
            if line.loop_time() - line.rested_at < OLD_S:
                if line is lines[-1]:
                    lines.pop()
                else:
                    lines.remove(line)
                self._rest -= 1
                return line
            line.close()
        return None

    def give_back(self, line: Line) -> None:
        """After a request; one that is spent is forgotten already."""
        if line.is_spent:
            return
        line.rested_at = line.loop_time()
        lines = self._resting.get(line.origin)
        if lines is None:
            lines = self._resting[line.origin] = []
        lines.append(line)
        self._rest += 1
        if self._rest > self._kept:
            self._let_go()

    def adopt(self, wire: socket.socket, origin: str, address: str) -> None:
        """A connection that stands and has carried a request to its end."""
        line = Line(self._driver, self, wire, origin, address, self._permit)
        self._by_descriptor[line.descriptor] = line
        self._ears.listen(line.descriptor, READ, line.stirred)
        self.give_back(line)

    def listen(self) -> None:
        """What has come until now is told to whom it is for."""
        self._ears.hear()

    def close(self) -> None:
        for line in self.all:
            line.close()
        self._resting.clear()
        self._ears.close()

    def _let_go(self) -> None:
        min((lines[0] for lines in self._resting.values() if lines), key=lambda line: line.rested_at).close()

    # what lines need

    def send_soon(self, line: Line) -> None:
        """With all others that are begun in this turn of the loop: requests that go out together wake a server once."""
        if not self._waiting:
            self._loop.call_soon(self._send_all)
        self._waiting.append(line)

    def watch(self, what: int, line: Line) -> None:
        self._ears.listen(line.descriptor, what, line.stirred)

    def forget(self, line: Line) -> None:
        """It is about to be closed."""
        self._ears.listen(line.descriptor, NOTHING, line.stirred)
        del self._by_descriptor[line.descriptor]
        self._driver.vigil.forget(line)
        lines = self._resting.get(line.origin, [])
        if line in lines:
            lines.remove(line)
            self._rest -= 1
        if not lines:
            self._resting.pop(line.origin, None)

    def _send_all(self) -> None:
        """Whoever was closed meanwhile is seen before."""
        waiting, self._waiting = self._waiting, []
        self.listen()
        for line in waiting:
            line.send()


def _leading_to(address: str, lines: list[Line]) -> Line | None:
    return next((line for line in reversed(lines) if line.address == address), None)
