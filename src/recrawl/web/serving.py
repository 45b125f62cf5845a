"""The dashboard on a socket: for `recrawl serve`, and beside the demo in a thread of its own."""

import asyncio
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from recrawl.folder.folder import Folder
from recrawl.model.failure import UsageError
from recrawl.web.app import create_app
from recrawl.web.settings import WebSettings

STOP_WITHIN_S = 2


def listening(settings: WebSettings) -> socket.socket:
    """Before anything is promised; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in settings.bind else socket.AF_INET
    try:
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((settings.bind.strip("[]"), settings.port))
        bound.listen(128)  # from now on a browser that comes early waits instead of failing
    except OSError as error:
        bound.close()
        raise UsageError(f"cannot listen on {settings.bind}:{settings.port}: {error.strerror}; try --port") from error
    return bound


def free_port(wanted: int = WebSettings().port) -> int:
    """The wanted one if nobody has it, else 0: any other."""
    try:
        listening(WebSettings(port=wanted)).close()
    except UsageError:
        return 0
    return wanted


def address_of(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class Dashboard(uvicorn.Server):
    """Tells live pages to let go before it waits for the last answers."""

    def __init__(self, app: FastAPI) -> None:
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_WITHIN_S,
            lifespan="on",
        )
        super().__init__(config)
        self._closing: asyncio.Event = app.state.closing

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A signal is the usual way to end it, and no error; in a thread the one who started it says when."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, old in before.items():
                signal.signal(number, old)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._closing.set()
        await super().shutdown(sockets)


def server_of(folder: Folder, settings: WebSettings, now: Callable[[], float] = time.time) -> Dashboard:
    return Dashboard(create_app(folder, settings, now))


@contextmanager
def beside(folder: Folder, settings: WebSettings, now: Callable[[], float] = time.time) -> Iterator[str]:
    """Serve in a thread as long as the block runs; the address."""
    settings.check()
    bound = listening(settings)
    server = server_of(folder, settings, now)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="dashboard", daemon=True)
    thread.start()
    try:
        yield address_of(bound)
    finally:
        server.should_exit = True
        thread.join(STOP_WITHIN_S + 3)
        bound.close()
