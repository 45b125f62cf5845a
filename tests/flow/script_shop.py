"""A shop whose pages are empty without their scripts, on loopback, and what was asked of it when."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHELL = """<!doctype html><html><head><title>Shop</title><link rel="stylesheet" href="/look.css">{scripts}</head>
<body><div id="shop">Loading…</div></body></html>"""
APP = """
const from = (path) => fetch(path).then((answer) => answer.json());
const show = (html) => { document.getElementById("shop").innerHTML = html; };
addEventListener("DOMContentLoaded", async () => {
  await import("/parts.js");
  const name = location.pathname.slice(1) || "front";
  const page = await from(`/data/${name}.json`);
  fetch("/private/count.json").catch(() => 0);
  fetch("/order", {method: "POST", body: "x"}).catch(() => 0);
  const links = page.links.map((one) => `<li><a href="/${one}">${one}</a></li>`).join("");
  show(`<main><h1>${page.title}</h1><p>${page.text}</p><ul>${links}</ul><img src="/big.png"></main>`);
});
"""
LONG = "A paragraph that is long enough to be taken for the text of a page by whoever reads it, and longer. " * 4


class Shop:
    """`data` is what the pages show; `shells` may replace the HTML of a path, `other` stands for another server."""

    def __init__(self) -> None:
        self.data: dict[str, dict[str, object]] = {
            "front": {"title": "Front", "text": "Everything we sell. " + LONG, "links": ["red", "blue"]},
            "red": {"title": "Red", "text": "The red one costs 10. " + LONG, "links": ["blue"]},
            "blue": {"title": "Blue", "text": "The blue one costs 20. " + LONG, "links": []},
        }
        self.shells: dict[str, str] = {}
        self.broken: set[str] = set()  # paths that answer 500
        self.slow: set[str] = set()  # paths that take a second to answer
        self.asked: list[tuple[float, str, str]] = []  # when, method, path
        self.agents: set[str] = set()
        self.url = self.other = ""

    def paths(self) -> list[str]:
        return [path for _, _, path in self.asked]

    def answer(self, path: str) -> tuple[int, str, str]:
        if path in self.slow:
            time.sleep(1.0)
        if path in self.broken:
            return 500, "text/plain", "broken"
        if path == "/robots.txt":
            return 200, "text/plain", "User-agent: *\nDisallow: /private/\n"
        if path == "/app.js":
            return 200, "text/javascript", APP
        if path == "/parts.js":
            return 200, "text/javascript", "export const parts = 1;"
        if path.startswith("/data/"):
            found = self.data.get(path.removeprefix("/data/").removesuffix(".json"))
            return (404, "text/plain", "no") if found is None else (200, "application/json", json.dumps(found))
        if path.strip("/") in ("", *self.data) or path in self.shells:
            scripts = f'<script src="{self.other}far.js"></script><script src="/app.js"></script>'
            return 200, "text/html; charset=utf-8", self.shells.get(path) or SHELL.format(scripts=scripts)
        return 404, "text/plain", "no"


@contextmanager
def open_shop() -> Iterator[Shop]:
    shop = Shop()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            shop.asked.append((time.monotonic(), self.command, self.path))
            shop.agents.add(self.headers.get("User-Agent", ""))
            status, kind, text = shop.answer(self.path)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", '"never-changes"')
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    servers = [ThreadingHTTPServer((host, 0), Handler) for host in ("127.0.0.1", "127.0.0.2")]
    shop.url, shop.other = (f"http://{server.server_address[0]}:{server.server_port}/" for server in servers)
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield shop
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
