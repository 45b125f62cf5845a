"""A web server with its agent in a process of its own, a real mail server that delivers to a Maildir, and a robot."""

import json
import mailbox
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import Any

from aiosmtpd.controller import Controller

from tests.flow.conftest import RECRAWL, called, started

EMAIL = "robot@search.example"


def free_port() -> int:
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


ASKED = threading.Condition()  # somebody asked one of the servers for something


class Documents(SimpleHTTPRequestHandler):
    """The tree as any web server would serve it, with a log of what was asked."""

    def __init__(self, *arguments: Any, log: list[tuple[str, int]], **named: Any) -> None:
        self._log = log
        super().__init__(*arguments, **named)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        with ASKED:
            self._log.append((self.path, int(code)))
            ASKED.notify_all()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class ToMaildir:
    def __init__(self, folder: Path) -> None:
        self._box = mailbox.Maildir(folder)

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        self._box.add(envelope.content)
        return "250 OK"


@dataclass
class Town:
    """Everything a test touches."""

    folder: Path
    url: str
    agent_url: str
    log: list[tuple[str, int]]
    environment: dict[str, str] = field(default_factory=dict)
    written: int = 0

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def maildir(self) -> Path:
        return self.folder / "maildir"

    def write(self, name: str, text: str | bytes) -> None:
        """A new text is a second younger than all before it: servers date documents by the second."""
        self.written += 1
        (self.root / name).write_bytes(text.encode() if isinstance(text, str) else text)
        at = 1_600_000_000 + self.written
        os.utime(self.root / name, (at, at))

    def run(self, *words: object, expect: int = 0) -> list[dict[str, Any]]:
        """The crawl in a process of its own (it forks), every other command in this one."""
        done = (started if words[0] == "run" else called)([str(word) for word in words], self.folder)
        assert done.code == expect, f"{words}\n{done.out}\n{done.err}"
        return [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]

    def agent(self, *words: object, expect: int = 0) -> dict[str, Any]:
        return self.run("agent", *words, "--state", "agent", "--json", expect=expect)[0]

    def robot(self, *words: object, expect: int = 0) -> dict[str, Any]:
        said = self.run("robot", *words, "--folder", "crawl", "--json", expect=expect)
        return said[0] if said else {}

    def crawl(self) -> None:
        self.run("run", "crawl", "--once")

    def wait_for(self, path: str) -> None:
        """Until the web server has been asked for it."""
        with ASKED:
            assert ASKED.wait_for(lambda: path in {one for one, _ in self.log}, timeout=120), f"{path}: {self.log}"

    def asked(self) -> list[tuple[str, int]]:
        """What the web server was asked since the last call, robots.txt aside."""
        taken = [one for one in self.log if one[0] != "/robots.txt"]
        self.log.clear()
        return taken


@contextmanager
def web_town(folder: Path) -> Iterator[Town]:
    """The web server alone."""
    (folder / "root").mkdir(parents=True)
    log: list[tuple[str, int]] = []
    web = ThreadingHTTPServer(("127.0.0.1", 0), partial(Documents, directory=str(folder / "root"), log=log))
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield Town(folder, f"http://127.0.0.1:{web.server_address[1]}/", "", log)
    finally:
        web.shutdown()
        thread.join()
        web.server_close()


@contextmanager
def town(folder: Path) -> Iterator[Town]:
    """With its agent and a mail server."""
    with web_town(folder) as made:
        smtp, listen = free_port(), f"127.0.0.1:{free_port()}"
        post = Controller(ToMaildir(folder / "maildir"), hostname="127.0.0.1", port=smtp)
        post.start()
        made.agent_url = f"http://{listen}/"
        try:
            with _agent(made, smtp, listen):
                yield made
        finally:
            post.stop()


@contextmanager
def _agent(made: Town, smtp: int, listen: str) -> Iterator[None]:
    folder = made.folder
    made.agent("init", "--root", "root", "--base", made.url, "--smtp", f"127.0.0.1:{smtp}", "--listen", listen)
    process = subprocess.Popen(
        [*RECRAWL, "agent", "serve", "--state", "agent"], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("listening")
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)
