"""A conversation over HTTP/2 as a stranger leads it: what is answered, and whether by the rules, is up to the case."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from hpack import Decoder

from recrawl.lab.hostile import frames
from recrawl.lab.hostile.frames import Code, Type
from recrawl.lab.hostile.wire import HTML, Header, Question, Wire

WINDOW = 65_535
MOST_DATA = 16_384

Take = Callable[[Question, "Stream"], Coroutine[Any, Any, None]]


class Conversation:
    """One connection. `take` has a question answered; each has a task of its own, which ends when the client resets
    its stream or leaves."""

    def __init__(self, wire: Wire, take: Take, times: dict[tuple[str, str], int], opening: bytes, deaf: bool) -> None:
        """`deaf`: it does not leave when the client says that it does."""
        self.wire, self._take, self._times, self._opening, self._deaf = wire, take, times, opening, deaf
        self._decoder = Decoder()
        self._answers: dict[int, asyncio.Task[None]] = {}
        self._room: dict[int, int] = {0: WINDOW}
        self._first_room = WINDOW
        self._more_room = asyncio.Event()

    async def run(self) -> None:
        try:
            if await self.wire.exactly(len(frames.PREFACE)) != frames.PREFACE:
                return
            await self.wire.send(self._opening)
            while await self._hear() or self._deaf:
                pass
        finally:
            for answer in self._answers.values():
                answer.cancel()

    async def _hear(self) -> bool:
        """False: the client says that it is going."""
        head = await self.wire.exactly(frames.OWN_HEAD_BYTES)
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
        payload = await self.wire.exactly(int.from_bytes(head[:3], "big"))
        if kind == Type.HEADERS:
            self._begin(stream, payload[5:] if flags & 0x20 else payload)
        elif kind == Type.RST_STREAM and stream in self._answers:
            self._answers.pop(stream).cancel()
        elif kind == Type.WINDOW_UPDATE:
            self._widen(stream, int.from_bytes(payload, "big"))
        elif kind == Type.SETTINGS and not flags & frames.ACK:
            self._learn(payload)
            await self.wire.send(frames.frame(Type.SETTINGS, frames.ACK, 0))
        elif kind == Type.PING and not flags & frames.ACK:
            await self.wire.send(frames.frame(Type.PING, frames.ACK, 0, payload))
        return kind != Type.GOAWAY

    def _begin(self, number: int, block: bytes) -> None:
        fields = {str(name): str(value) for name, value in self._decoder.decode(block)}
        question = self.wire.asked(fields.get(":path", "/"), fields, self._times)
        self._room[number] = self._first_room
        self._answers[number] = task = asyncio.create_task(self._take(question, Stream(self, number)))
        task.add_done_callback(lambda done: self._over(number, done))

    def _over(self, number: int, task: "asyncio.Task[None]") -> None:
        if self._answers.get(number) is task:
            del self._answers[number]
        if not task.cancelled() and task.exception() is not None:
            self.wire.drop()

    def _learn(self, payload: bytes) -> None:
        for at in range(0, len(payload), 6):
            if int.from_bytes(payload[at : at + 2], "big") == frames.Setting.INITIAL_WINDOW_SIZE:
                self._first_room = int.from_bytes(payload[at + 2 : at + 6], "big")

    def _widen(self, stream: int, more: int) -> None:
        self._room[stream] = self._room.get(stream, self._first_room) + more
        self._more_room.set()

    @property
    def under_way(self) -> int:
        return len(self._answers)

    async def take_room(self, stream: int, wanted: int) -> int:
        while (room := min(self._room[0], self._room[stream], wanted)) <= 0:
            self._more_room.clear()
            await self._more_room.wait()
        self._room[0] -= room
        self._room[stream] -= room
        return room


class Stream(Wire):
    """One question's way back. What `Wire` says as a message is said in frames."""

    scheme = "https"

    def __init__(self, talk: Conversation, number: int) -> None:
        self.talk, self.number = talk, number
        self.sent_bytes = 0

    @property
    def here(self) -> tuple[str, int]:
        return self.talk.wire.here

    async def send(self, data: bytes) -> None:
        await self.talk.wire.send(data)
        self.sent_bytes += len(data)

    async def head(self, status: int, *headers: Header, length: int | None = None, end: bool = False) -> None:
        await self.send(frames.headers(self.number, frames.head_block(status, headers, length), end))

    async def answer(self, body: bytes, *headers: Header, status: int = 200, behind: bytes = b"") -> None:
        """In one write, and so within every first window."""
        head = frames.head_block(status, headers or (HTML,), len(body))
        await self.send(frames.headers(self.number, head) + frames.data(self.number, body, end=True) + behind)

    async def body(self, body: bytes, end: bool = True) -> None:
        """As fast as the client makes room."""
        at = 0
        while at < len(body):
            size = await self.talk.take_room(self.number, min(MOST_DATA, len(body) - at))
            await self.send(frames.data(self.number, body[at : at + size], end and at + size == len(body)))
            at += size

    async def refuse(self, code: int = Code.REFUSED_STREAM) -> None:
        await self.send(frames.reset(self.number, code))

    async def leave(self, last_stream: int, code: int = Code.NO_ERROR) -> None:
        """GOAWAY, and then gone."""
        await self.send(frames.goaway(last_stream, code))
        self.hang_up()

    async def idle(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def reset(self) -> None:
        self.talk.wire.reset()
