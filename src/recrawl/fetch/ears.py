"""Watching connections of our own for the loop: each stays watched from one request to the next, at no system call.

Where there is epoll they stand in one of ours, which the loop watches as one descriptor; elsewhere it watches each.
"""

import asyncio
import select
from collections.abc import Callable
from functools import partial
from typing import Protocol

Stirred = Callable[[bool], None]  # whether it can be written to, and no more

READ, WRITE, NOTHING = 1, 2, 0
CAN_WRITE = 4  # as epoll says it


class Ears(Protocol):
    def listen(self, descriptor: int, what: int, stirred: Stirred) -> None:
        """From now on. To NOTHING before it is closed."""
        ...

    def hear(self) -> None:
        """What has stirred until now, as far as that can be told."""
        ...

    def close(self) -> None: ...


def ears_for(loop: asyncio.AbstractEventLoop) -> Ears:
    return EpollEars(loop) if hasattr(select, "epoll") else LoopEars(loop)


class EpollEars:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._epoll = select.epoll()
        self._masks = (0, select.EPOLLIN | select.EPOLLRDHUP, select.EPOLLOUT, select.EPOLLIN | select.EPOLLOUT)
        self._heard: dict[int, Stirred] = {}
        loop.add_reader(self._epoll.fileno(), self.hear)

    def listen(self, descriptor: int, what: int, stirred: Stirred) -> None:
        if descriptor in self._heard:
            if what == NOTHING:
                del self._heard[descriptor]
                self._epoll.unregister(descriptor)
            else:
                self._epoll.modify(descriptor, self._masks[what])
        elif what != NOTHING:
            self._heard[descriptor] = stirred
            self._epoll.register(descriptor, self._masks[what])

    def hear(self) -> None:
        heard = self._heard
        for descriptor, events in self._epoll.poll(0):
            if descriptor in heard:  # nobody has closed it meanwhile
                heard[descriptor](events == CAN_WRITE)

    def close(self) -> None:
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()


class LoopEars:
    """Works on every loop that has `add_reader`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._heard: dict[int, int] = {}

    def listen(self, descriptor: int, what: int, stirred: Stirred) -> None:
        changed = self._heard.get(descriptor, NOTHING) ^ what
        if changed & READ:
            self._set_reader(descriptor, bool(what & READ), stirred)
        if changed & WRITE:
            self._set_writer(descriptor, bool(what & WRITE), stirred)
        self._heard[descriptor] = what
        if what == NOTHING:
            del self._heard[descriptor]

    def hear(self) -> None:
        """The loop tells in its next turn."""

    def close(self) -> None:
        for descriptor in list(self._heard):
            self.listen(descriptor, NOTHING, _unheard)

    def _set_reader(self, descriptor: int, on: bool, stirred: Stirred) -> None:
        if on:
            self._loop.add_reader(descriptor, partial(stirred, False))
        else:
            self._loop.remove_reader(descriptor)

    def _set_writer(self, descriptor: int, on: bool, stirred: Stirred) -> None:
        if on:
            self._loop.add_writer(descriptor, partial(stirred, True))
        else:
            self._loop.remove_writer(descriptor)


def _unheard(_can_write: bool) -> None:
    """Nothing is listened to any more."""
