"""A small HTTP server for those who push, by the standard library: for a machine without the web face."""

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler

from recrawl.agent.bounded import BoundedServer
from recrawl.messages.push import Push

SLOWEST_S = 15.0
CONNECTIONS = 32


class PushServer(BoundedServer):
    def __init__(self, listen: str, push: Push) -> None:
        self.push = push
        super().__init__(listen, Conversation, CONNECTIONS)


class Conversation(BaseHTTPRequestHandler):
    server: PushServer
    timeout = SLOWEST_S
    server_version = "recrawl"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self._send(HTTPStatus.LENGTH_REQUIRED, "say Content-Length")
        if int(length) > self.server.push.most_bytes:
            return self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too large")
        return self._answer(self.rfile.read(int(length)))

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: `recrawl robot list` has the counts."""

    def _answer(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        sender = str(self.client_address[0])
        received = self.server.push.receive(self.command, self.path, headers, body, sender)
        self._send(received.status, received.text)

    def _send(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
