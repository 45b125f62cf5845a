"""A site on loopback whose pages a test writes by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Pages:
    """`html` by path; what is not there is missing. `posted` is what was sent to it, `fail` how often it says 503."""

    url: str = ""
    html: dict[str, str] = field(default_factory=dict)
    posted: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    fail: int = 0

    def write(self, path: str, title: str, body: str, head: str = "", language: str = "en") -> None:
        self.html[path] = (
            f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
            f"<body><main>{body}</main></body></html>"
        )

    def link(self) -> None:
        """A start page that leads to every other."""
        links = "".join(f'<li><a href="{path}">{path}</a></li>' for path in sorted(self.html) if path != "/")
        self.write("/", "Start", f"<h1>Start</h1><ul>{links}</ul>")


@contextmanager
def serving(pages: Pages) -> Iterator[Pages]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = pages.html.get(self.path)
            self.answer(404 if text is None else 200, (text or "not here").encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            if pages.fail > 0:
                pages.fail -= 1
                self.answer(503, b"later")
                return
            pages.posted.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.answer(200, b"")

        def answer(self, status: int, body: bytes) -> None:
            etag = f'"{sha256(body).hexdigest()[:16]}"'
            if status == 200 and self.headers.get("if-none-match") == etag:
                status, body = 304, b""
            self.send_response(status)
            self.send_header("content-type", "text/html")
            self.send_header("etag", etag)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    pages.url = f"http://127.0.0.1:{server.server_port}/"
    try:
        yield pages
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
