"""Watching libcurl's sockets for the loop.

A kept connection is asked for and let go at every request. Where there is epoll, its sockets stand in an epoll
of our own that the loop watches as one descriptor: that costs a system call a request and no Python object.
Elsewhere the loop watches each socket.
"""

import asyncio
import select
from collections.abc import Callable
from functools import partial
from typing import Protocol

import pycurl

Act = Callable[[int, int, bool], None]  # descriptor, CSELECT_… bits, whether it is sure that there is something to read

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
    """`watch` has the form of libcurl's socket callback."""

    def watch(self, what: int, descriptor: int, multi: object, data: object) -> None: ...

    def watched(self) -> list[int]:
        """The descriptors that are waited for; any thread may ask."""
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

    def close(self) -> None:
        for descriptor in list(self._watched):
            self.watch(REMOVE, descriptor, None, None)

    def _set_reader(self, descriptor: int, on: bool) -> None:
        if on:
            self._loop.add_reader(descriptor, partial(self._act, descriptor, CAN_READ, False))
        else:
            self._loop.remove_reader(descriptor)

    def _set_writer(self, descriptor: int, on: bool) -> None:
        if on:
            self._loop.add_writer(descriptor, partial(self._act, descriptor, CAN_WRITE, False))
        else:
            self._loop.remove_writer(descriptor)


class EpollWatcher:
    """A socket let go stays registered until it stirs: most are wanted again at once. The kernel forgets a
    socket when it is closed, and every wish is a system call of its own, so a descriptor used again for another
    connection is never mistaken for the old one."""

    def __init__(self, loop: asyncio.AbstractEventLoop, act: Act) -> None:
        self._loop = loop
        self._act = act
        self._epoll = select.epoll()
        self._wanted: set[int] = set()
        loop.add_reader(self._epoll.fileno(), self._on_ready)

    def watch(self, what: int, descriptor: int, multi: object, data: object) -> None:
        if what == REMOVE or not what:
            self._wanted.discard(descriptor)
            return
        self._wanted.add(descriptor)
        mask = MASKS[what]
        try:
            self._epoll.modify(descriptor, mask)
        except FileNotFoundError:
            self._epoll.register(descriptor, mask)

    def watched(self) -> list[int]:
        return list(self._wanted)

    def close(self) -> None:
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    def _on_ready(self) -> None:
        for descriptor, events in self._epoll.poll(0):
            if descriptor in self._wanted:
                self._act(descriptor, READY[events & 0x1F], events == 1)
            else:
                self._forget(descriptor)

    def _forget(self, descriptor: int) -> None:
        """An idle connection stirred: the other side closed it, which libcurl will see when it wants it."""
        try:
            self._epoll.unregister(descriptor)
        except OSError:
            return  # closed meanwhile
