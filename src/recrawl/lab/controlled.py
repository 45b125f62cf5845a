"""A site behind two doors of loopback: one for the crawler, logged, and a back door for whoever plays fate."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from recrawl.lab.http_answers import Answer
from recrawl.lab.loopback import Door, Heard, RequestLog
from recrawl.model.values import dataclass
from recrawl.ports import Clock

CONTROL_PATH = "/_control"


class Controlled(Protocol):
    """`answer` is what the crawler hears, `control` what the back door does."""

    @property
    def clock(self) -> Clock: ...

    def answer(self, heard: Heard) -> tuple[Answer, float]: ...

    def control(self, heard: Heard, log: RequestLog) -> tuple[Answer, float]: ...


S = TypeVar("S", bound=Controlled)


@dataclass(frozen=True, slots=True)
class Served(Generic[S]):
    """`root` is the address to crawl, `controls` that of the back door."""

    site: S
    log: RequestLog
    root: str
    controls: str


@asynccontextmanager
async def serve_controlled(site: S, port: int = 0, log_file: Path | None = None) -> AsyncIterator[Served[S]]:
    door, back_door, log, unlogged = Door(port=port), Door(), RequestLog(log_file), RequestLog()
    try:
        await door.open(site.answer, site.clock, log)
        await back_door.open(lambda heard: site.control(heard, log), site.clock, unlogged)
        yield Served(site, log, f"http://{door.authority}/", f"http://{back_door.authority}{CONTROL_PATH}")
    finally:
        door.close()
        back_door.close()
        log.close()
