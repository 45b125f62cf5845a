"""Receivers of notices inside the dashboard: open to the world, each with its own key, bounded in size and rate."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from recrawl.folder.folder import Folder
from recrawl.folder.push_book import PushBook
from recrawl.messages.push import Push, pushing
from recrawl.model.failure import RecrawlError

RENEW_EVERY_S = 60.0


@dataclass(slots=True)
class Reception:
    """Opened when the first notice comes; nothing is written before."""

    folder: Folder
    now: Callable[[], float]
    _push: Push | None = None
    _open: ExitStack = field(default_factory=ExitStack)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def push(self) -> Push:
        with self._lock:
            if self._push is None:
                self._push = self._open.enter_context(pushing(self.folder, self.now))
            return self._push

    def renew(self) -> None:
        """Leases that near their end; a folder without subscriptions stays untouched."""
        with suppress(RecrawlError):  # a store in trouble is tried again in a minute
            if PushBook(self.folder.path).subscriptions():
                self.push.renew()

    def close(self) -> None:
        with self._lock:
            self._open.close()
            self._push = None

    @asynccontextmanager
    async def renewing(self) -> AsyncIterator[None]:
        async def again() -> None:
            while True:
                await run_in_threadpool(self.renew)
                await asyncio.sleep(RENEW_EVERY_S)

        task = asyncio.create_task(again())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            self.close()


async def body_within(request: Request, most_bytes: int) -> bytes | None:
    """None: there is more of it."""
    pieces, length = [], 0
    async for piece in request.stream():
        length += len(piece)
        if length > most_bytes:
            return None
        pieces.append(piece)
    return b"".join(pieces)
