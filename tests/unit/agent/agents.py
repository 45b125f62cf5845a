"""An agent in a folder of its own, its endpoint and a real mail server on loopback."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import Any

from aiosmtpd.controller import Controller

from recrawl.agent.command import main
from recrawl.agent.place import Place
from recrawl.agent.service import Desk, serve
from recrawl.formats import notice_mail
from recrawl.formats.registration import Action, Answer, Request, parse_answer, render_form, render_json


@dataclass
class Inbox:
    """What a mail server took, newest last."""

    mails: list[EmailMessage] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)  # as they came over the wire

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        self.raw.append(envelope.content)
        return "250 OK"

    def token(self) -> str:
        return notice_mail.parse_confirmation(self.mails[-1].get_content())[1]


@contextmanager
def mail_server() -> Iterator[tuple[str, Inbox]]:
    inbox = Inbox()
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield f"127.0.0.1:{port}", inbox
    finally:
        controller.stop()


@dataclass
class Endpoint:
    """The agent's registration endpoint, served by a thread."""

    desk: Desk
    address: tuple[str, int]

    def post(self, body: bytes, content_type: str = "application/x-www-form-urlencoded") -> tuple[int, bytes]:
        connection = HTTPConnection(*self.address, timeout=20)
        try:
            connection.request("POST", "/", body, {"Content-Type": content_type})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def form(self, action: Action, **fields: Any) -> bytes:
        status, body = self.post(render_form(Request(action, **fields)))
        assert status == 200
        return body

    def json(self, action: Action, **fields: Any) -> Answer:
        return parse_answer(self.post(render_json(Request(action, **fields)), "application/json")[1])


@contextmanager
def endpoint(desk: Desk) -> Iterator[Endpoint]:
    server = serve(desk, "127.0.0.1:0")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Endpoint(desk, ("127.0.0.1", server.server_address[1]))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def new_agent(folder: Path, smtp: str = "127.0.0.1:1", base: str = "http://www.example.com/", more: str = "") -> Place:
    """An agent folder with an empty document tree beside it."""
    root, state = folder / "root", folder / "state"
    root.mkdir(parents=True)
    assert main(["init", "--root", str(root), "--base", base, "--state", str(state), "--smtp", smtp]) == 0
    place = Place(state)
    place.settings_file.write_text(place.settings_file.read_text() + more)
    return place


@dataclass
class Listener:
    """A web server of a robot: serves what it is told to, and keeps what is posted to it."""

    url: str = ""
    serves: bytes = b""
    answers: int = 200
    posts: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    gets: list[str] = field(default_factory=list)


@contextmanager
def listener() -> Iterator[Listener]:
    heard = Listener()

    class Conversation(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.gets.append(self.path)
            self._answer()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.posts.append((self.path, dict(self.headers), body))
            self._answer()

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

        def _answer(self) -> None:
            self.send_response(heard.answers)
            self.send_header("Content-Length", str(len(heard.serves)))
            self.end_headers()
            self.wfile.write(heard.serves)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Conversation)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    heard.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
