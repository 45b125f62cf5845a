"""HTTP/2 that goes wrong (`recrawl.lab.hostile`): what becomes of the connection, and of those who use it too."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
from tests.unit.fetch.fetching import LOOPS, SMALL, a_fetcher, run

from recrawl.fetch.client import CurlFetcher
from recrawl.lab.hostile import frames
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Case
from recrawl.lab.hostile.certificates import Notary
from recrawl.lab.hostile.frames import Code, Type
from recrawl.lab.hostile.http2 import closed_in_silence, legal, once_more, resetting
from recrawl.lab.hostile.server import HANDSHAKE, Host, Server
from recrawl.lab.hostile.stream import Stream
from recrawl.lab.hostile.table import cases
from recrawl.lab.hostile.wire import Question
from recrawl.lab.loopback import RequestLog
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Reply

HOST = "127.0.0.1"
PING = frames.frame(Type.PING, 0, 0, bytes(8))

pytestmark = pytest.mark.usefixtures("both_ways")


@dataclass
class Stranger:
    port: int
    log: RequestLog
    fetcher: CurlFetcher

    async def get(self, path: str, fresh: bool = False) -> Reply:
        ask = Ask(f"https://{HOST}:{self.port}{path}", own=(HOST,), limits=SMALL)
        return await self.fetcher.fetch(replace(ask, fresh=fresh))

    def asked(self, path: str) -> int:
        return sum(one.path == path and not one.status for one in self.log.requests)


@contextlib.asynccontextmanager
async def a_stranger(case: Case) -> AsyncIterator[Stranger]:
    notary, log = Notary(), RequestLog()
    with tempfile.NamedTemporaryFile() as trust:
        trust.write(notary.trusted)
        trust.flush()
        server = Server({HOST: Host(case.name, case)}, log, notary)
        async with (
            await asyncio.start_server(server.connected, HOST, 0) as listening,
            a_fetcher(ca_file=trust.name) as fetcher,
        ):
            yield Stranger(listening.sockets[0].getsockname()[1], log, fetcher)


FATAL = (
    "h2-beyond-the-window",
    "h2-continuation-without-end",
    "h2-header-bomb",
    "h2-header-bomb-in-trailers",
    "h2-closed-amid-a-body",
    "h2-goaway-amid-a-body",
    "h2-reset-stream",
    "h2-longer-than-said",
)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", FATAL)
def test_a_connection_over_which_a_request_failed_carries_no_other(name: str, loop: str) -> None:
    async def story() -> None:
        async with a_stranger(*cases([name])) as stranger:
            assert (await stranger.get(FRONT)).failure is None
            assert (await stranger.get(BAD)).failure is not None
            for _ in range(4):
                assert (await stranger.get(GOOD)).failure is None
            assert stranger.asked(HANDSHAKE) == 2
            assert stranger.asked(GOOD) == 4

    run(story(), loop)


def test_a_request_that_fails_leaves_those_alone_that_share_its_connection() -> None:
    begun, over = asyncio.Event(), asyncio.Event()

    async def answer(question: Question, stream: Stream) -> None:
        if question.path != BAD:
            begun.set()
            await over.wait()
            await stream.answer(b"late, but whole")
        else:
            await stream.refuse(Code.INTERNAL_ERROR)

    async def story() -> None:
        case = legal("shared", answer)
        case = replace(case, routes={**case.routes, "/late": case.routes[BAD]})
        async with a_stranger(case) as stranger:
            assert (await stranger.get(FRONT)).failure is None
            late = asyncio.create_task(stranger.get("/late"))
            await begun.wait()
            assert (await stranger.get(BAD)).failure is Failure.PROTOCOL
            over.set()
            assert (await late).body == b"late, but whole"
            assert stranger.asked(HANDSHAKE) == 1

    run(story())


def test_a_connection_that_speaks_while_nobody_asks_is_replaced_once_and_not_for_ever() -> None:
    async def answer(question: Question, stream: Stream) -> None:
        await stream.answer(b"whole", behind=PING if question.times == 1 else b"")

    async def story() -> None:
        async with a_stranger(legal("talkative", answer)) as stranger:
            for _ in range(5):
                assert (await stranger.get(BAD)).body == b"whole"
            assert stranger.asked(BAD) == 5
            assert stranger.asked(HANDSHAKE) <= 2  # one where the ping came with the answer and was read with it

    run(story())


@pytest.mark.parametrize("code", [Code.REFUSED_STREAM, Code.HTTP_1_1_REQUIRED])
@pytest.mark.parametrize("is_new", [True, False])
def test_what_a_server_did_not_take_is_told_and_may_be_asked_for_in_http_1(code: int, is_new: bool) -> None:
    async def story() -> None:
        async with a_stranger(once_more("not-taken", resetting(code))) as stranger:
            if not is_new:
                assert (await stranger.get(FRONT)).failure is None
            reply = await stranger.get(BAD)
            assert (reply.failure, reply.unanswered, stranger.asked(BAD)) == (Failure.RESET, True, 1)
            reply = await stranger.get(BAD, fresh=True)
            assert (reply.failure, reply.status) == (None, 200)
            assert reply.raw_head.startswith(b"HTTP/1.1 200")

    run(story())


def test_what_is_not_taken_a_second_time_has_failed() -> None:
    async def story() -> None:
        async with a_stranger(*cases(["h2-refused-stream-always"])) as stranger:
            assert (await stranger.get(BAD)).unanswered
            reply = await stranger.get(BAD, fresh=True)
            assert (reply.failure, reply.unanswered) == (Failure.RESET, False)

    run(story())


def test_a_new_connection_that_ends_without_a_word_is_a_failure() -> None:
    async def story() -> None:
        async with a_stranger(legal("closed", closed_in_silence)) as stranger:
            reply = await stranger.get(BAD)
            assert (reply.failure, reply.unanswered, stranger.asked(BAD)) == (Failure.RESET, False, 1)

    run(story())
