"""What the compiled part sends and receives over a connection is what a socket would."""

import socket
from collections.abc import Iterator

import pytest

from recrawl.native import compiled

pytestmark = pytest.mark.compiled


@pytest.fixture
def wires() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    near.setblocking(False)
    far.setblocking(False)
    with near, far:
        yield near, far


def test_what_is_sent_is_received(wires: tuple[socket.socket, socket.socket]) -> None:
    near, far = wires
    assert compiled.sent(near.fileno(), b"GET / HTTP/1.1\r\n\r\n") == 18
    assert compiled.received(far.fileno()) == b"GET / HTTP/1.1\r\n\r\n"


def test_nothing_has_come_yet(wires: tuple[socket.socket, socket.socket]) -> None:
    with pytest.raises(BlockingIOError):
        compiled.received(wires[0].fileno())


def test_no_more_goes_out_than_the_system_takes(wires: tuple[socket.socket, socket.socket]) -> None:
    near, far = wires
    data, sent = bytes(range(256)) * 64_000, 0
    with pytest.raises(BlockingIOError):
        while True:
            sent += compiled.sent(near.fileno(), data[sent:])
    assert 0 < sent < len(data)
    came = b""
    while len(came) < sent:
        piece = compiled.received(far.fileno())
        assert 0 < len(piece) <= 65_536
        came += piece
    assert came == data[:sent]


def test_the_end_is_nothing_and_a_broken_connection_an_error(wires: tuple[socket.socket, socket.socket]) -> None:
    near, far = wires
    far.close()
    assert compiled.received(near.fileno()) == b""
    with pytest.raises(BrokenPipeError):
        compiled.sent(near.fileno(), b"x")
    number = near.fileno()
    near.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        compiled.received(number)
    with pytest.raises(OSError, match="Bad file descriptor"):
        compiled.sent(number, b"x")


@pytest.mark.parametrize("wrong", [("x", b"y"), (1, "y"), (1,), (1 << 80, b"y")])
def test_anything_else_is_refused(wrong: tuple[object, ...]) -> None:
    with pytest.raises((TypeError, OverflowError)):
        compiled.sent(*wrong)
    if not isinstance(wrong[0], int) or wrong[0] > 1:
        with pytest.raises((TypeError, OverflowError)):
            compiled.received(wrong[0])
