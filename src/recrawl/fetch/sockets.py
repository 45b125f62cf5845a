"""Watching libcurl's sockets for the loop.

A kept connection is asked for and let go at every request. Where there is epoll, its sockets stand in an epoll
of our own that the loop watches as one descriptor, and stay there as long as they are wanted for the same: that costs
neither a system call nor a Python object a request. Elsewhere the loop watches each socket.
"""

import asyncio
import select
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import pycurl

Act = Callable[[Sequence[tuple[int, int]]], None]  # descriptors, each with the kernel's bits

READ, WRITE, REMOVE = int(pycurl.POLL_IN), int(pycurl.POLL_OUT), int(pycurl.POLL_REMOVE)
CAN_READ, CAN_WRITE, BROKEN = int(pycurl.CSELECT_IN), int(pycurl.CSELECT_OUT), int(pycurl.CSELECT_ERR)

# The kernel's bits (in 1, out 4, error 8, hang-up 16, end of what the other side says) and libcurl's, each in terms of
# the other.
SAYS_NO_MORE = 0x2000
MASKS = (0, 1 | SAYS_NO_MORE, 4, 5 | SAYS_NO_MORE)
READY = tuple(
    (CAN_READ if bits & 1 else 0) | (CAN_WRITE if bits & 4 else 0) | (CAN_READ | BROKEN if bits & 24 else 0)
    for bits in range(32)
)


class Watcher(Protocol):
    """`watch` has the form of libcurl's socket callback. `masks`: what is waited for at each descriptor, wanted or let
    go, of which nothing has been heard since."""

    masks: dict[int, int]

    def watch(self, what: int, descriptor: int, multi: object, data: object) -> None: ...

    def watched(self) -> list[int]:
        """The descriptors that are waited for; any thread may ask."""
        ...

    def look(self) -> None:
        """See which of those let go have stirred until now."""
        ...

    def opened(self) -> None:
        """A new connection may get the descriptor of one that was closed."""
        ...

    def passing(self, descriptor: int) -> None:
        """The connection will outlive it: it is not left registered when it is let go."""
        ...

    def close(self) -> None: ...


def watcher_for(loop: asyncio.AbstractEventLoop, act: Act) -> Watcher:
    return EpollWatcher(loop, act) if hasattr(select, "epoll") else LoopWatcher(loop, act)


class LoopWatcher:
    """Works on every loop that has `add_reader`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, act: Act) -> None:
        self._loop = loop
        self._act = act
        self._watched: dict[int, int] = {}
        self.masks: dict[int, int] = {}  # those let go are not waited for

    def watch(self, what: int, descriptor: int, multi: object, data: object) -> None:
        wanted = 0 if what == REMOVE else what
        had = self._watched.get(descriptor, 0)
        if (wanted ^ had) & READ:
            self._set_reader(descriptor, bool(wanted & READ))
        if (wanted ^ had) & WRITE:
            self._set_writer(descriptor, bool(wanted & WRITE))
        if wanted:
            self._watched[descriptor] = wanted
        else:
            self._watched.pop(descriptor, None)

    def watched(self) -> list[int]:
        return list(self._watched)

    def look(self) -> None:
        pass

    def opened(self) -> None:
        pass

    def passing(self, descriptor: int) -> None:
        pass

    def close(self) -> None:
        for descriptor in list(self._watched):
            self.watch(REMOVE, descriptor, None, None)

    def _set_reader(self, descriptor: int, on: bool) -> None:
        if on:
            self._loop.add_reader(descriptor, partial(self._act, [(descriptor, MASKS[READ])]))
        else:
            self._loop.remove_reader(descriptor)

    def _set_writer(self, descriptor: int, on: bool) -> None:
        if on:
            self._loop.add_writer(descriptor, partial(self._act, [(descriptor, MASKS[WRITE])]))
        else:
            self._loop.remove_writer(descriptor)


class EpollWatcher:
    """A socket let go stays registered until it stirs: most are wanted again at once, and for the same. The kernel
    forgets a socket when it is closed; so that a descriptor used again is never mistaken for the one before, nothing is
    taken for registered once a connection was opened."""

    def __init__(self, loop: asyncio.AbstractEventLoop, act: Act) -> None:
        self._loop = loop
        self._act = act
        self._epoll = select.epoll()
        self._wanted: set[int] = set()
        self._passing: set[int] = set()
        self.masks: dict[int, int] = {}
        loop.add_reader(self._epoll.fileno(), self._on_ready)

    def watch(self, what: int, descriptor: int, multi: object, data: object) -> None:
        if what == REMOVE or not what:
            self._wanted.discard(descriptor)
            if descriptor in self._passing:
                self._passing.remove(descriptor)
                self._forget(descriptor)
            return
        self._wanted.add(descriptor)
        if self.masks.get(descriptor) == what:
            return
        try:
            self._epoll.modify(descriptor, MASKS[what])
        except FileNotFoundError:
            self._epoll.register(descriptor, MASKS[what])
        self.masks[descriptor] = what

    def watched(self) -> list[int]:
        return list(self._wanted)

    def look(self) -> None:
        """What is ready and wanted is ready still when the loop comes to it."""
        if self.masks:
            self._ready()

    def opened(self) -> None:
        self.masks.clear()

    def passing(self, descriptor: int) -> None:
        self._passing.add(descriptor)

    def close(self) -> None:
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    def _on_ready(self) -> None:
        if ready := self._ready():
            self._act(ready)

    def _ready(self) -> list[tuple[int, int]]:
        """Those that are wanted; others are forgotten."""
        ready, wanted = self._epoll.poll(0), self._wanted
        idle = [descriptor for descriptor, _ in ready if descriptor not in wanted]
        for descriptor in idle:
            self._forget(descriptor)
        return [one for one in ready if one[0] in wanted] if idle else ready

    def _forget(self, descriptor: int) -> None:
        """An idle connection stirred: the other side closed it, which libcurl will see when it wants it."""
        self.masks.pop(descriptor, None)
        try:
            self._epoll.unregister(descriptor)
        except OSError:
            return  # closed meanwhile
