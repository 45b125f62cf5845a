"""A call into libcurl that does not come back is ended by shutting its socket down."""

import socket
from collections.abc import Callable, Iterator

import pytest

from recrawl.fetch.lifeline import Lifeline

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    with socket.create_server(("127.0.0.1", 0)) as door, socket.create_connection(door.getsockname()) as there:
        here, _ = door.accept()
        with here:
            here.setblocking(False)
            yield here, there


def busy_until(over: Callable[[], bool]) -> None:
    while not over():
        sum(range(1000))


def is_shut(wire: socket.socket) -> bool:
    try:
        return wire.recv(1) == b""
    except BlockingIOError:
        return False


@pytest.mark.parametrize("named", [True, False])
def test_the_socket_of_a_call_that_is_busy_for_long_is_shut_down(pair: Pair, named: bool) -> None:
    here, _ = pair
    lifeline = Lifeline(lambda: [here.fileno()])
    lifeline.hold()
    lifeline.descriptor = here.fileno() if named else -1
    lifeline.turn += 1
    busy_until(lambda: is_shut(here))
    lifeline.turn += 1
    lifeline.close()


def test_a_loop_that_is_busy_with_many_calls_is_left_alone(pair: Pair) -> None:
    here, there = pair
    lifeline = Lifeline(lambda: [here.fileno()])
    lifeline.hold()
    lifeline.descriptor = here.fileno()
    looks = 0

    def turned() -> bool:
        nonlocal looks
        lifeline.turn += 2
        looks += 1
        return looks > 40_000

    lifeline.turn += 1
    busy_until(turned)
    lifeline.close()
    there.send(b"x")
    here.setblocking(True)
    assert here.recv(1) == b"x"


def test_one_that_never_held_closes() -> None:
    Lifeline(list).close()
