"""A world on loopback: one port for each of its servers, its time as fast as asked.

As a context manager in a test, or as a process of its own:

    python -m recrawl.lab.serve --seed 1 --pages 2000 --port 0 --log requests.jsonl

whose first line is the address of the world's root. Only loopback addresses are ever listened on.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

from recrawl.engine.clock import SystemClock
from recrawl.lab.faults import CALM, FaultPlan, has_refusals, refuses
from recrawl.lab.http_answers import Answer
from recrawl.lab.living import living_faults, living_world
from recrawl.lab.loopback import Door, Heard, RequestLog, Site, method_not_allowed
from recrawl.lab.varied import varied_world
from recrawl.lab.world import World, answer
from recrawl.model.failure import UsageError
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask
from recrawl.ports import Clock

WATCH_S = 0.02  # how often a server that has spells of refusal looks at the time


@dataclass(frozen=True, slots=True)
class Served:
    """`world` is the world as served, its servers at their loopback authorities: ask it for the truth."""

    world: World
    log: RequestLog
    world_now: Callable[[], float]
    attend: Callable[[], Awaitable[None]]  # shut and open its doors as the faults of this moment want it

    @property
    def root(self) -> str:
        return self.world.root

    @property
    def authorities(self) -> tuple[str, ...]:
        return tuple(self.world.maps)

    def base(self, name: str) -> str:
        """`http://127.0.0.1:port` of the server of that name."""
        return next(spec.origin for spec in self.world.servers if spec.name == name)


@asynccontextmanager
async def serve(
    world: World,
    clock: Clock | None = None,
    faults: FaultPlan = CALM,
    speed: float = 1.0,
    delay_factor: float = 1.0,
    ports: Mapping[str, int] | None = None,
    host: str = "127.0.0.1",
    log_file: Path | None = None,
    world_now: Callable[[], float] | None = None,
) -> AsyncIterator[Served]:
    """World time begins at the world's start and runs `speed` times as fast as the clock, unless `world_now` tells
    it. Answers are delayed by `delay_factor` times what the world says, in real seconds."""
    if not ip_address(host).is_loopback:
        raise UsageError(f"a world is served on loopback only: {host} is not; use 127.0.0.1")
    steady = clock or SystemClock()
    began_at = steady.now()
    now = world_now or (lambda: world.start_at + speed * (steady.now() - began_at))
    doors = {spec.name: Door(host, (ports or {}).get(spec.name, 0)) for spec in world.servers}
    here = world.at_authorities({name: door.authority for name, door in doors.items()})
    log = RequestLog(log_file)
    site = site_of(here, now, faults, delay_factor)

    async def attend() -> None:
        for name, door in doors.items():
            if refuses(faults, name, now()):
                door.shut()
            elif not door.is_open:
                await door.open(site, steady, log)

    moody = any(has_refusals(faults, name) for name in doors)
    watch = asyncio.create_task(_watch(attend, steady)) if moody else None
    try:
        await attend()
        yield Served(here, log, now, attend)
    finally:
        if watch:
            watch.cancel()
        for door in doors.values():
            door.close()
        log.close()


async def _watch(attend: Callable[[], Awaitable[None]], clock: Clock) -> None:
    while True:
        await clock.sleep(WATCH_S)
        await attend()


def site_of(world: World, now: Callable[[], float], faults: FaultPlan = CALM, delay_factor: float = 1.0) -> Site:
    """The world as something a connection can ask."""

    def site(heard: Heard) -> tuple[Answer, float]:
        at = now()
        if heard.method not in ("GET", "HEAD"):
            return method_not_allowed(at), at
        said = answer(world, _ask(heard), at, faults)
        return replace(said, delay_s=said.delay_s * delay_factor), at

    return site


def _ask(heard: Heard) -> Ask:
    path = heard.path.partition("://")[2] if "://" in heard.path.partition("?")[0] else heard.path
    path = path[path.find("/") :] if "/" in path else "/"
    headers = (("Accept-Encoding", heard.headers.get("accept-encoding", "")),)
    tag, date = heard.headers.get("if-none-match", ""), heard.headers.get("if-modified-since", "")
    return Ask(f"http://{heard.server}{path}", tag, date, headers=headers)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m recrawl.lab.serve", description="Serve a seeded world on loopback.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=200, help="pages in all, shelves and navigation not counted")
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--port", type=int, default=0, help="of the first server; the others follow it; 0: any")
    parser.add_argument("--speed", type=float, default=1.0, help="world seconds in a second")
    parser.add_argument("--delay-factor", type=float, default=1.0, help="0: answer at once")
    parser.add_argument("--living", action="store_true", help="serve the living site of the demo instead")
    parser.add_argument("--log", type=Path, default=None, help="append one JSON object a request to this file")
    return parser


async def _main(arguments: argparse.Namespace) -> None:
    world, faults = living_world(arguments.seed), living_faults(arguments.seed)
    if not arguments.living:
        world = varied_world(arguments.seed, arguments.servers, max(1, arguments.pages // arguments.servers))
        faults = CALM
    ports = {spec.name: arguments.port + place if arguments.port else 0 for place, spec in enumerate(world.servers)}
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with serve(
        world, None, faults, arguments.speed, arguments.delay_factor, ports, log_file=arguments.log
    ) as served:
        sys.stdout.write("\n".join([served.root, *(f"http://{name}/" for name in served.authorities[1:])]) + "\n")
        sys.stdout.flush()
        await ended.wait()


if __name__ == "__main__":
    asyncio.run(_main(_parser().parse_args()))
