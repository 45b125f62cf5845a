"""An HTTP server of the standard library with an end to its patience: so many conversations at once, and no more."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from recrawl.model.failure import UsageError


class BoundedServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, listen: str, conversation: type[BaseHTTPRequestHandler], connections: int) -> None:
        """`listen`: host:port; port 0 takes any free one."""
        host, _, port = listen.rpartition(":")
        if not port.isdecimal() or not host:
            raise UsageError(f"{listen!r} is no place to listen: write HOST:PORT, as 127.0.0.1:8790")
        self._room = threading.BoundedSemaphore(connections)
        try:
            super().__init__((host.strip("[]"), int(port)), conversation)
        except (OSError, OverflowError) as error:  # the latter: there is no such port
            why = (error.strerror if isinstance(error, OSError) else "") or "there is no such port"
            raise UsageError(f"cannot listen on {listen}: {why}; choose another with --listen") from error

    def process_request(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        """At most so many at once; the others wait in the kernel's queue."""
        self._room.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()
