"""Answers for every stranger and every neighbour, each on an address of its own."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from recrawl.engine.clock import SystemClock
from recrawl.lab.hostile.case import FRONT, GOOD, ROBOTS, Answer, Case, Door, Kind, page, saying
from recrawl.lab.hostile.certificates import Notary
from recrawl.lab.hostile.frames import settings
from recrawl.lab.hostile.shield import HTTP_2, NAMED_AT, NAMED_UNDER, Gate
from recrawl.lab.hostile.stream import Conversation
from recrawl.lab.hostile.table import cases
from recrawl.lab.hostile.wire import HEAD_BYTES, HTML, Gone, Question, Wire
from recrawl.lab.loopback import RequestLog
from recrawl.lab.requests_log import Request
from recrawl.model.values import dataclass

NEIGHBOURS = 3
NEIGHBOUR_PAGES = 12
HANDSHAKE = "(handshake)"
ALLOW_ALL = saying(b"User-agent: *\nAllow: /\n", ("Content-Type", "text/plain"))
NOT_FOUND = saying(b"<html><title>nothing here</title>nothing here", HTML, status=404)


def address_of(number: int) -> str:
    return f"127.80.{number // 200}.{number % 200 + 1}"


def host_of(case: Case, number: int) -> str:
    """A name where it has one."""
    return (case.shield.host if case.shield else "") or address_of(number)


def door_of(host: str) -> str:
    return NAMED_AT if host.endswith(NAMED_UNDER) else host


def neighbour_address(number: int) -> str:
    return f"127.79.0.{number + 1}"


def neighbour_paths() -> list[str]:
    return [FRONT, *(f"/n/{number}.html" for number in range(NEIGHBOUR_PAGES))]


@dataclass(slots=True)
class Host:
    """One server: who it is, and who answers for it."""

    name: str
    case: Case | None

    @property
    def door(self) -> Door:
        return self.case.door if self.case else Door.OPEN

    def answer(self, path: str) -> Answer:
        if self.case and (found := self.case.answer(path)) is not None:
            return found
        if path == ROBOTS:
            return ALLOW_ALL
        if path == GOOD and self.case:
            return saying(page(f"Good page of {self.name}"))
        if path == FRONT:
            return saying(page(f"Front page of {self.name}", *(self.case.bad if self.case else ()), *self._own()))
        if path in self._own():
            return saying(page(f"Page {path} of {self.name}"))
        return NOT_FOUND

    def _own(self) -> list[str]:
        return [GOOD] if self.case else neighbour_paths()[1:]


class Server:
    """Every connection is answered by the host whose address it came to."""

    def __init__(self, hosts: dict[str, Host], log: RequestLog, notary: Notary) -> None:
        self._hosts, self._log = hosts, log
        self._gate = Gate(
            {at: host.case.shield for at, host in hosts.items() if host.case and host.case.shield}, notary
        )
        self._clock = SystemClock()
        self._times: dict[tuple[str, str], int] = {}

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(reader, writer)
        host, port = wire.here
        case = self._case_of(host)
        with contextlib.suppress(Gone, ConnectionError, OSError):
            if case and case.greeting:
                await self._take(Question(host, port, "(connected)"), case.greeting, wire)
            if (self._gate.stands_at(host) or (case and case.handshake)) and await wire.speaks_tls():
                if case and case.handshake:
                    await self._take(Question(host, port, HANDSHAKE), case.handshake, wire)
                await self._talk_behind(wire)
            else:
                await self._talk(wire)
        writer.transport.abort() if writer.is_closing() else writer.close()

    def _case_of(self, host: str) -> Case | None:
        return self._hosts[host].case if host in self._hosts else None

    async def _talk(self, wire: Wire) -> None:
        while (question := await wire.question(self._times)) is not None:
            await self._answer(question, wire)

    async def _talk_behind(self, plain: Wire) -> None:
        """TLS, and what is said over it."""
        wire = self._gate.wire(plain)
        await self._take(Question(*wire.here, HANDSHAKE), wire.shake_hands, plain)
        case = self._case_of(wire.here[0])
        pump = asyncio.create_task(wire.pump())
        try:
            if wire.protocol == HTTP_2:
                opening, deaf = (case.opening, case.deaf) if case else (settings(), False)
                await Conversation(wire, self._answer, self._times, opening, deaf).run()
            else:
                await self._talk(wire)
            await wire.goodbye()
        finally:
            pump.cancel()

    async def _answer(self, question: Question, wire: Wire) -> None:
        host = self._hosts.get(question.host)
        await self._take(question, host.answer(question.path) if host else ALLOW_ALL, wire)

    async def _take(self, question: Question, answer: Answer, wire: Wire) -> None:
        start_at, before = self._clock.now(), wire.sent_bytes
        self._note(question, start_at, start_at, 0)
        await asyncio.sleep(0)  # the line is written before the answer: a client may be gone before the answer is
        try:
            await answer(question, wire)
        finally:
            self._note(question, start_at, self._clock.now(), wire.sent_bytes - before)

    def _note(self, question: Question, start_at: float, end_at: float, sent_bytes: int) -> None:
        """A line when it comes and another when it is over: the latter has a status."""
        agent = question.headers.get("user-agent", "")
        self._log.add(
            Request(
                start_at,
                end_at,
                f"{question.host}:{question.port}",
                "GET",
                question.path,
                0 if start_at == end_at else 1,
                sent_bytes,
                user_agent=agent,
            )
        )


def hosts_of(chosen: Sequence[Case]) -> dict[str, Host]:
    every = {case.name: number for number, case in enumerate(cases())}
    hosts = {host_of(case, every[case.name]): Host(case.name, case) for case in chosen}
    for number in range(NEIGHBOURS):
        hosts[neighbour_address(number)] = Host(f"neighbour-{number}", None)
    return hosts


def doors_of(addresses: Sequence[str]) -> list[socket.socket]:
    """One listening socket an address, all on one port."""
    doors: list[socket.socket] = []
    for address in addresses:
        door = socket.socket()
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((address, doors[0].getsockname()[1] if doors else 0))
        door.listen(128)
        doors.append(door)
    return doors


def closed_as(kind: Door, door: socket.socket) -> list[socket.socket]:
    """What must stay open for it. Before a door that is shut so many wait that further connections hang."""
    if kind is Door.NONE:
        door.close()
        return []
    door.listen(0)
    waiting = [socket.socket() for _ in range(3)]
    for one in waiting:
        one.setblocking(False)
        one.connect_ex(door.getsockname())
    return [door, *waiting]


async def serve(doors: Sequence[socket.socket], hosts: dict[str, Host], log: RequestLog, notary: Notary) -> None:
    server = Server(hosts, log, notary)
    for door in doors:
        await asyncio.start_server(server.connected, sock=door, limit=HEAD_BYTES)
    over = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    await over.wait()


def serve_all(hosts: dict[str, Host], inner: Sequence[str], file: Path | None, trust: Path | None = None) -> None:
    """`inner` are addresses that nobody may ask; they listen all the same. `trust` will hold the certificate of the
    authority that is to be trusted. The neighbours have a process of their own,
    and so has every kind of stranger: one that is busy making megabytes must not look like slowness of another."""
    notary = Notary()
    if trust:
        trust.write_bytes(notary.trusted)
    doors = doors_of([*dict.fromkeys(map(door_of, hosts)), *inner])
    named = {door.getsockname()[0]: door for door in doors}
    port = doors[0].getsockname()[1]
    sys.stdout.write(json.dumps({"port": port, "hosts": {host.name: at for at, host in hosts.items()}}) + "\n")
    sys.stdout.flush()
    closed = [closed_as(host.door, named.pop(at)) for at, host in hosts.items() if host.door is not Door.OPEN]
    kinds = sorted({_crew_of(at, hosts) for at in named})
    for kind in kinds[1:]:
        if os.fork() == 0:
            kinds = [kind]
            break
    mine = [door for at, door in named.items() if _crew_of(at, hosts) == kinds[0]]
    asyncio.run(serve(mine, hosts, RequestLog(file), notary))
    del closed  # as long as this runs


def _crew_of(address: str, hosts: dict[str, Host]) -> str:
    case = hosts[address].case if address in hosts else None
    return Kind.TLS if address == NAMED_AT else case.kind if case else ""
