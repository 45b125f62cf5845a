"""Inside a network name space without a route: every forbidden address on the loopback device, a listener on each, and
the real command line led towards them in every way a stranger has. Prints one JSON object: who was touched.

    unshare -n python -m tests.flow.ssrf_ground FOLDER
"""

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from recrawl.agent import outward
from tests.unit.fetch.rough_server import name_server

RECRAWL = (sys.executable, "-m", "recrawl")
OWN_PORT, PORT, DNS_PORT = 8001, 8002, 5353
PUBLIC = "93.184.216.34"
V4 = ("10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "198.18.0.1",
      "192.0.0.192", "192.0.2.1", "198.51.100.1", "203.0.113.7", "240.0.0.1", "168.63.129.16", "1.2.3.0")  # fmt: skip
V6 = ("fd00:ec2::254", "fc00::1", "fec0::1", "2001:db8::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::",
      "2002:a00:1::1", "2001:0:7f00:1::", "2001:0:5ef5:79fd::80ff:fffe", "100::1", "3fff::1", "5f00::1",
      "2001:4860::5efe:a00:1")  # fmt: skip
SPELLINGS = (
    "127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1",
    "017700000001", "0x7f.0x0.0x0.0x1", "00000177.0.0.1", "127.0.0.1.", "127.0.0.1%2e", "%31%32%37.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1", "127．0．0．1", "①②⑦.⓪.⓪.①", "0", "0.0.0.0", "0x0", "localhost", "LOCALHOST.", "a.localhost",
    "loc%61lhost", "ⓛocalhost", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[::127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[fe80::1]", "224.0.0.1", "255.255.255.255",
    "[ff02::1]", "3232235521", "167772161", "2852039166", "0xa9fea9fe", "10.1", "192.168.1", "0251.0376.0251.0376",
    "user:pass@127.0.0.1", "example.com@127.0.0.1", "127.0.0.1#@example.com",
    *V4[:-2], *(f"[{address}]" for address in V6),
)  # fmt: skip
NAMES = {
    "inside.test": [["10.0.0.1"]],
    "mixed.test": [[PUBLIC, "10.0.0.1", "127.0.0.1"]],
    "rebind.test": [[PUBLIC], ["127.0.0.1"]],
    "metadata.test": [["169.254.169.254"]],
    "public.test": [[PUBLIC]],
}


def goals() -> list[str]:
    hosts = [*SPELLINGS, *(name for name in NAMES if name != "public.test")]
    return [f"http://{host if '#' in host else f'{host}:{PORT}'}/{place}" for place, host in enumerate(hosts)]


class OwnSite(BaseHTTPRequestHandler):
    """A stranger's site (owned here only so that it can be asked): every way to lead a crawler elsewhere."""

    def do_GET(self) -> None:
        path = self.path
        told = goals()
        if path == "/robots.txt":
            lines = [f"Sitemap: {goal}" for goal in told] + [f"Sitemap: http://127.0.0.1:{OWN_PORT}/sitemap.xml"]
            self._say("text/plain", "User-agent: *\nDisallow: /never\n" + "\n".join(lines))
        elif path == "/sitemap.xml":
            rows = "".join(f"<url><loc>{goal.replace('&', '&amp;')}</loc></url>" for goal in told)
            self._say("application/xml", f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>')
        elif path == "/feed.xml":
            rows = "".join(f"<item><title>x</title><link>{goal}</link></item>" for goal in told)
            self._say("application/rss+xml", f'<rss version="2.0"><channel><title>f</title>{rows}</channel></rss>')
        elif path.startswith("/r/"):
            self.send_response(302)
            self.send_header("Location", told[int(path[3:])].encode("utf-8").decode("latin-1"))
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._say("text/html; charset=utf-8", self._page(told))

    def _page(self, told: list[str]) -> str:
        links = "".join(f'<a href="{goal}">x</a><a href="/r/{place}">y</a>' for place, goal in enumerate(told))
        loads = "".join(f'<iframe src="{goal}"></iframe><img src="{goal}">' for goal in told)
        head = f'<link rel="alternate" type="application/rss+xml" href="/feed.xml"><link rel="hub" href="{told[0]}">'
        refresh = f'<meta http-equiv="refresh" content="0; url={told[0]}"><link rel="canonical" href="{told[1]}">'
        away = f'<a href="http://public.test:{PORT}/">public</a>'
        return f"<!doctype html><title>t</title>{head}{refresh}<p>{'words ' * 50}</p>{links}{loads}{away}"

    def _say(self, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        SEEN.append(self.path)


HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
ROBOTS_ELSEWHERE = (  # even robots.txt leads inside
    f"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1:{PORT}/robots.txt\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n"
).encode()
SEEN: list[str] = []
TOUCHED: list[str] = []


def listen(family: int, where: str, port: int) -> None:
    """Takes every connection and notes to which address it was made; the public one gets an answer."""
    server = socket.socket(family, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    server.bind((where, port))
    server.listen(200)

    def take() -> None:
        while True:
            connection, _ = server.accept()
            TOUCHED.append(str(connection.getsockname()[0]))
            robots = connection.recv(4000).startswith(b"GET /robots.txt")
            connection.sendall(ROBOTS_ELSEWHERE if robots else HELLO)
            connection.close()

    threading.Thread(target=take, daemon=True).start()


def set_up() -> None:
    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True)

    ip("link", "set", "lo", "up")
    for address in (*V4, PUBLIC):
        ip("addr", "add", f"{address}/32", "dev", "lo")
    for address in (*V6, "fe80::1"):
        ip("-6", "addr", "add", f"{address}/128", "dev", "lo", "nodad")
    for port in (80, PORT):
        listen(socket.AF_INET, "0.0.0.0", port)
        listen(socket.AF_INET6, "::", port)
    threading.Thread(target=ThreadingHTTPServer(("127.0.0.1", OWN_PORT), OwnSite).serve_forever, daemon=True).start()


def reached_without_guard() -> int:
    """How many of the goals answer a client that guards nothing: the listeners listen."""
    count = 0
    for address in ("127.0.0.1", *V4[:-2], *V6):
        with socket.create_connection((address, PORT), 10):
            count += 1
    return count


def called_back() -> int:
    """The agent's own requests (callbacks, webhooks, IndexNow), asked for by strangers: how many were not sent."""
    count = 0
    for goal in goals()[: len(SPELLINGS)]:  # names would ask the machine's own name server
        try:
            outward.ask("POST", goal, b"x")
        except (outward.NotSent, ValueError):
            count += 1
    return count


async def crawl(folder: Path) -> None:
    async with name_server(NAMES) as dns:
        for words in steps(folder, dns.port):
            silent = asyncio.subprocess.DEVNULL
            process = await asyncio.create_subprocess_exec(*RECRAWL, *words, stdout=silent, stderr=silent)
            await process.wait()


def steps(folder: Path, dns_port: int) -> Iterator[list[str]]:
    own = f"127.0.0.1:{OWN_PORT}"
    (folder / "sites").mkdir(parents=True)
    settings = f'[operator]\ncontact = "me@example.org"\n\n[fetch]\nresolver = "127.0.0.1:{dns_port}"\n'
    (folder / "recrawl.toml").write_text(settings)
    text = f'seeds = ["http://{own}/"]\nown = ["{own}"]\nhosts = ["*"]\n'
    (folder / "sites" / "stranger.toml").write_text(text)
    yield ["run", str(folder), "--once", "--workers", "1"]
    yield ["run", str(folder), "--once", "--workers", "1", "--all"]


def main() -> int:
    folder = Path(sys.argv[1])
    set_up()
    listening = reached_without_guard()
    while len(TOUCHED) < listening:
        threading.Event().wait(0.01)
    TOUCHED.clear()
    asyncio.run(crawl(folder))
    unsent = called_back()
    inside = sorted({address for address in TOUCHED if address != PUBLIC})
    found = {
        "spellings": len(goals()),
        "listening": listening,
        "touched": inside,
        "unsent": unsent,
        "callbacks": len(SPELLINGS),
    }
    print(json.dumps(found | {"public": TOUCHED.count(PUBLIC), "asked": sorted(set(SEEN))}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
