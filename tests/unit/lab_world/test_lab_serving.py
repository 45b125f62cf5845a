"""A world on real loopback sockets: the same answers as without them, and a true log."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from recrawl.lab.controlled import serve_controlled
from recrawl.lab.faults import FaultKind, FaultPlan, FaultRule
from recrawl.lab.http_answers import Answer
from recrawl.lab.loopback import CLIENT_LEFT, Heard, response_bytes
from recrawl.lab.requests_log import overlapping, parse_lines
from recrawl.lab.serve import serve
from recrawl.lab.static_site import StaticSite
from recrawl.lab.varied import varied_world
from recrawl.lab.world import START_AT, World, answer
from recrawl.lab.world_parts import PageSpec, ServerSpec
from recrawl.model.address import server_of
from recrawl.model.failure import UsageError
from recrawl.model.visit import Ask


@dataclass
class Got:
    status: int
    headers: dict[str, str]
    body: bytes
    raw: bytes


class Client:
    """A connection that asks one thing after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> Got:
        lines = [f"{method} {path} HTTP/1.1", "Host: loopback", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        return await self.receive(method)

    async def receive(self, method: str = "GET") -> Got:
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").strip().split("\r\n")
        got = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        length = 0 if method == "HEAD" else int(got.get("content-length", 0))
        body = await self.reader.readexactly(length)
        return Got(int(first.split()[1]), got, body, head + body)


@asynccontextmanager
async def client(url: str) -> AsyncIterator[Client]:
    host, _, port = server_of(url).partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


def one_page(faults: FaultPlan = FaultPlan()) -> tuple[World, FaultPlan]:
    return World(1, (ServerSpec("one", pages=(PageSpec("/page"),), delay_s=0.0),)), faults


def test_served_and_simulated_answers_are_the_same_bytes() -> None:
    async def main() -> None:
        async with serve(varied_world(5, 2, 40), speed=86_400.0, delay_factor=0.0) as served:
            for spec in served.world.servers:
                async with client(spec.origin) as connection:
                    paths = ["/robots.txt", "/sitemap.xml", "/nowhere", "/shop/?page=2", *(p.path for p in spec.pages)]
                    for path in paths:
                        got = await connection.ask(path, Accept_Encoding="gzip, br")
                        asked = Ask(spec.origin + path, headers=(("Accept-Encoding", "gzip, br"),))
                        expected = answer(served.world, asked, served.log.requests[-1].world_at)
                        assert got.raw == response_bytes(Heard("", "GET", path, {}), expected)

    asyncio.run(main())


def test_the_log_tells_every_request_with_its_conditions_and_its_end(tmp_path: Path) -> None:
    async def main() -> None:
        file = tmp_path / "requests.jsonl"
        async with serve(one_page()[0], log_file=file) as served, client(served.root) as connection:
            first = await connection.ask("/page", User_Agent="recrawl/test")
            again = await connection.ask("/page", If_None_Match=first.headers["etag"])
            dated = await connection.ask("/page", If_Modified_Since=first.headers["last-modified"])
            head = await connection.ask("/page", "HEAD")
            posted = await connection.ask("/page", "POST")
            log = served.log.requests
        assert [got.status for got in (first, again, dated, head, posted)] == [200, 304, 304, 200, 405]
        assert [request.status for request in log] == [200, 304, 304, 200, 405]
        assert [request.conditional for request in log] == [False, True, True, False, False]
        assert [request.sent_bytes for request in log[:2]] == [len(first.raw), len(again.raw)]
        assert log[0].user_agent == "recrawl/test"
        assert log[0].url == served.root + "page"
        assert all(request.start_at <= request.end_at for request in log)
        assert parse_lines(file.read_text()) == log

    asyncio.run(main())


def test_requests_that_meet_at_the_server_show_as_overlapping() -> None:
    async def main() -> None:
        world = World(1, (ServerSpec("one", delay_s=0.05),))
        async with serve(world) as served, client(served.root) as one, client(served.root) as other:
            await asyncio.gather(one.ask("/"), other.ask("/"))
            assert len(overlapping(served.log.requests)) == 1
            await one.ask("/")
            assert len(overlapping(served.log.requests)) == 1

    asyncio.run(main())


def test_pipelined_requests_are_answered_in_order() -> None:
    async def main() -> None:
        world = World(1, (ServerSpec("one", pages=(PageSpec("/page"),), delay_s=0.01),))
        async with serve(world) as served, client(served.root) as connection:
            for path in (b"/page", b"/nowhere", b"/page"):
                connection.writer.write(b"GET " + path + b" HTTP/1.1\r\n\r\n")
            assert [(await connection.receive()).status for _ in range(3)] == [200, 404, 200]
            assert [request.path for request in served.log.requests] == ["/page", "/nowhere", "/page"]
            assert not overlapping(served.log.requests)

    asyncio.run(main())


@pytest.mark.parametrize(
    "words", [b"GET /\r\n\r\n", b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
)
def test_what_is_not_http_gets_400_and_an_end(words: bytes) -> None:
    async def main() -> None:
        async with serve(one_page()[0]) as served, client(served.root) as connection:
            connection.writer.write(words)
            assert (await connection.reader.read()).startswith(b"HTTP/1.1 400 ")

    asyncio.run(main())


@pytest.mark.parametrize(("version", "more"), [("1.0", ""), ("1.1", "Connection: close\r\n")])
def test_a_client_that_wants_no_kept_connection_gets_none(version: str, more: str) -> None:
    async def main() -> None:
        async with serve(one_page()[0]) as served, client(served.root) as connection:
            connection.writer.write(f"GET /page HTTP/{version}\r\n{more}\r\n".encode())
            assert (await connection.reader.read()).endswith(b"</html>\n")

    asyncio.run(main())


def test_broken_answers_are_broken_on_the_wire() -> None:
    async def received(kind: FaultKind) -> bytes | None:
        world, faults = one_page(FaultPlan(1, (FaultRule(kind, path="/page"),)))
        async with serve(world, faults=faults) as served, client(served.root) as connection:
            connection.writer.write(b"GET /page HTTP/1.1\r\n\r\n")
            try:
                return await connection.reader.read()
            except ConnectionResetError:
                return None

    async def main() -> None:
        assert await received(FaultKind.RESET) is None
        truncated = await received(FaultKind.TRUNCATED)
        assert truncated is not None
        head, _, body = truncated.partition(b"\r\n\r\n")
        assert f"Content-Length: {2 * len(body)}".encode()[:-1] in head
        gibberish = await received(FaultKind.GIBBERISH)
        assert gibberish is not None
        assert not gibberish.startswith(b"HTTP/")

    asyncio.run(main())


def test_a_stalled_request_is_logged_when_the_client_leaves() -> None:
    async def main() -> None:
        stall = FaultPlan(
            1, (FaultRule(FaultKind.STALL, path="/page"), FaultRule(FaultKind.SLOW, path="/", delay_s=60))
        )
        async with serve(one_page()[0], faults=stall) as served:
            for path in (b"/page", b"/"):
                async with client(served.root) as connection:
                    connection.writer.write(b"GET " + path + b" HTTP/1.1\r\n\r\n")
                    await connection.writer.drain()
                    while not connection.reader.at_eof() and not connection.writer.is_closing():
                        connection.writer.write_eof()
                        await connection.reader.read()
            assert [(request.status, request.fault) for request in served.log.requests] == [
                (0, FaultKind.STALL),
                (0, CLIENT_LEFT),
            ]

    asyncio.run(main())


def test_a_server_in_a_spell_of_refusal_refuses_and_is_back_afterwards() -> None:
    async def main() -> None:
        refusing = FaultPlan(1, (FaultRule(FaultKind.CONNECT, until_at=START_AT + 100),))
        at = START_AT
        async with serve(one_page()[0], faults=refusing, world_now=lambda: at) as served:
            with pytest.raises(ConnectionRefusedError):
                async with client(served.root):
                    pass
            at = START_AT + 100
            await served.attend()
            async with client(served.root) as connection:
                assert (await connection.ask("/page")).status == 200
            at = START_AT
            await served.attend()
            with pytest.raises(ConnectionRefusedError):
                async with client(served.root):
                    pass

    asyncio.run(main())


def test_only_loopback_is_served() -> None:
    async def main() -> None:
        with pytest.raises(UsageError, match="loopback"):
            async with serve(one_page()[0], host="0.0.0.0"):
                pass

    asyncio.run(main())


def test_a_static_page_changes_when_it_is_told_to_and_at_no_other_time() -> None:
    async def main() -> None:
        site = StaticSite(pages=60, noisy=2, traps=2)
        async with serve_controlled(site) as served, client(served.root) as connection:
            calm = [path for path in site.paths if path not in site.noisy]
            first = {path: await connection.ask(path) for path in calm}
            site.change("/p/7.html", "/p/8.html", "/p/9.html", "/p/10.html")
            changed = []
            for path, got in first.items():
                tag, date = got.headers.get("etag", ""), got.headers.get("last-modified", "")
                assert tag or date
                again = (
                    await connection.ask(path, If_None_Match=tag)
                    if tag
                    else await connection.ask(path, If_Modified_Since=date)
                )
                if again.status == 200:
                    assert again.body != got.body
                    changed.append(path)
            assert changed == ["/p/7.html", "/p/8.html", "/p/9.html", "/p/10.html"]
            noisy = [(await connection.ask(site.noisy[0])) for _ in range(2)]
            assert noisy[0].body != noisy[1].body
            assert "etag" not in noisy[0].headers

    asyncio.run(main())


def test_two_changes_within_a_second_are_two_to_a_page_that_has_only_a_date() -> None:
    async def main() -> None:
        site = StaticSite(pages=20)
        async with serve_controlled(site) as served, client(served.root) as connection:
            dates = []
            for _ in range(5):
                got = await connection.ask("/p/2.html")
                assert "etag" not in got.headers
                dates.append(got.headers["last-modified"])
                site.change("/p/2.html")
                assert (await connection.ask("/p/2.html", If_Modified_Since=dates[-1])).status == 200
            assert len(set(dates)) == 5

    asyncio.run(main())


def test_every_static_page_can_be_reached_and_traps_are_linked_but_disallowed() -> None:
    async def main() -> None:
        site = StaticSite(pages=230, traps=3, paragraphs=1, crawl_delay_s=0.5)
        seen, waiting = {"/"}, ["/"]
        async with serve_controlled(site) as served, client(served.root) as connection:
            robots = (await connection.ask("/robots.txt")).body
            while waiting:
                got = await connection.ask(waiting.pop())
                hrefs = {part.partition('"')[0] for part in got.body.decode().split('href="')[1:]}
                waiting += sorted(hrefs - seen)
                seen |= hrefs
        assert robots == b"User-agent: *\nDisallow: /private/\nCrawl-delay: 0.5\n"
        assert seen == {*site.paths, *site.forbidden}
        assert len(site.paths) == 230

    asyncio.run(main())


def test_the_control_port_changes_moves_and_removes_pages_and_shows_the_log() -> None:
    async def main() -> None:
        async with (
            serve_controlled(StaticSite(pages=20)) as served,
            client(served.root) as front,
            client(served.controls) as back,
        ):
            before = (await front.ask("/p/3.html")).body
            orders = {"change": ["/p/3.html"], "remove": ["/p/4.html"], "move": {"/p/5.html": "/p/6.html"}}
            told = await back.ask("/_control", "POST", json.dumps(orders).encode())
            assert told.status == 200
            assert (await front.ask("/p/3.html")).body != before
            assert (await front.ask("/p/4.html")).status == 404
            moved = await front.ask("/p/5.html")
            assert (moved.status, moved.headers["location"]) == (301, served.root + "p/6.html")
            assert len(json.loads((await back.ask("/_control/paths")).body)) == 18
            log = parse_lines((await back.ask("/_control/log")).body.decode())
            assert [request.path for request in log] == ["/p/3.html", "/p/3.html", "/p/4.html", "/p/5.html"]
            assert (await back.ask("/_control", "POST", b'{"change": ["/nowhere"]}')).status == 400

    asyncio.run(main())


@pytest.mark.parametrize(
    "command",
    [
        ["recrawl.lab.serve", "--seed", "1", "--pages", "30"],
        ["recrawl.lab.serve", "--living", "--speed", "3600"],
        ["recrawl.lab.static_site", "--pages", "30"],
    ],
)
def test_as_a_process_it_prints_its_address_serves_and_ends_when_told(command: list[str], tmp_path: Path) -> None:
    async def asked(root: str) -> Got:
        async with client(root) as connection:
            return await connection.ask("/")

    log = tmp_path / "log.jsonl"
    words = [sys.executable, "-m", *command, "--port", "0", "--log", str(log)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        root = process.stdout.readline().strip()
        assert root.startswith("http://127.0.0.1:")
        assert asyncio.run(asked(root)).status == 200
        process.terminate()
        assert process.wait(timeout=20) == 0
    assert [request.path for request in parse_lines(log.read_text())] == ["/"]


def test_an_answer_to_head_has_no_body() -> None:
    said = Answer(200, (("Content-Length", "3"),), b"abc", b"abc", 0.0)
    assert response_bytes(Heard("", "HEAD", "/", {}), said) == b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
