"""Inside a network name space without a route: a page that tries every way a browser has to reach somebody, listeners
where it wants to go, and the real command line that renders it. Prints one JSON object: who was touched.

    unshare -n python -m tests.flow.render_ground FOLDER CHROMIUM
"""

import json
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

RECRAWL = (sys.executable, "-m", "recrawl")
OWN_PORT, PORT = 8001, 8002
FAR = "203.0.113.7"
PROXY_PORT = 9  # where whatever is not handed to the crawl would go
PAGE = f"""<!doctype html><html><head><title>Tricks</title>
<link rel="dns-prefetch" href="//far.test"><link rel="preconnect" href="http://{FAR}:{PORT}">
<link rel="prefetch" href="http://{FAR}:{PORT}/prefetch"><link rel="prerender" href="http://{FAR}:{PORT}/prerender">
<link rel="preload" as="script" href="http://{FAR}:{PORT}/preload"><link rel="icon" href="http://{FAR}:{PORT}/icon">
<link rel="modulepreload" href="http://{FAR}:{PORT}/module"><link rel="manifest" href="http://{FAR}:{PORT}/manifest">
<link rel="stylesheet" href="http://{FAR}:{PORT}/style"><style>@import "http://{FAR}:{PORT}/import";
@font-face {{ font-family: x; src: url(http://{FAR}:{PORT}/font); }}
p {{ font-family: x; background: url(http://{FAR}:{PORT}/back); }}</style>
<script src="http://{FAR}:{PORT}/script"></script><script src="/ok.js"></script></head><body><p>words</p>
<img src="http://{FAR}:{PORT}/image"><iframe src="http://{FAR}:{PORT}/frame"></iframe>
<iframe src="/frame"></iframe><object data="http://{FAR}:{PORT}/object"></object>
<embed src="http://{FAR}:{PORT}/embed"><video src="http://{FAR}:{PORT}/video"></video>
<a href="/away">x</a><a href="/post">y</a><a id="ping" href="/ok.js"
ping="http://{FAR}:{PORT}/ping" download></a><script>
const far = "http://{FAR}:{PORT}/", attempts = [
  () => fetch(far + "fetch", {{mode: "no-cors"}}),
  () => fetch("http://far.test:{PORT}/name"),
  () => fetch("http://127.0.0.1:{PORT}/inside"),
  () => fetch("/redirect"),
  () => fetch("file:///etc/passwd"),
  () => navigator.sendBeacon(far + "beacon", "x"),
  () => new WebSocket("ws://{FAR}:{PORT}/socket"),
  () => new EventSource(far + "events"),
  () => new Worker(URL.createObjectURL(new Blob([`fetch("${{far}}worker")`]))),
  () => navigator.serviceWorker.register("/worker.js"),
  () => window.open(far + "window"),
  () => document.getElementById("ping").click(),
  () => {{ const line = new RTCPeerConnection({{iceServers: [{{urls: "stun:{FAR}:{PORT}"}}]}});
    line.createDataChannel("x"); return line.createOffer().then((offer) => line.setLocalDescription(offer)); }},
  () => new WebTransport("https://{FAR}:{PORT}/transport"),
];
let done = 0;
for (const attempt of attempts) {{ try {{ Promise.resolve(attempt()).catch(() => 0); }} catch (error) {{}} done += 1; }}
setTimeout(() => document.body.append(`all ${{done}} tricks tried`), 300);
</script></body></html>"""
AWAY = f'<html><body>away<script>location.href = "http://{FAR}:{PORT}/location"</script></body></html>'
POST = f'<form id="form" method="post" action="http://{FAR}:{PORT}/form"></form><script>form.submit()</script>'
PAGES = {
    "/": ("text/html", PAGE), "/away": ("text/html", AWAY), "/post": ("text/html", POST),
    "/ok.js": ("text/javascript", "1"), "/robots.txt": ("text/plain", ""),
}  # fmt: skip
SEEN: list[str] = []
TOUCHED: list[str] = []


class OwnSite(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        SEEN.append(self.path)
        if self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", f"http://{FAR}:{PORT}/redirected")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        kind, text = PAGES.get(self.path, ("text/plain", "no"))
        self.send_response(200 if self.path in PAGES else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


def listen(kind: socket.SocketKind, port: int) -> None:
    """On every address; notes who comes."""
    server = socket.socket(socket.AF_INET, kind)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("0.0.0.0", port))
    if kind is socket.SOCK_STREAM:
        server.listen(100)

    def take() -> None:
        while True:
            if kind is socket.SOCK_DGRAM:
                said = server.recv(2000)
            else:
                connection, _ = server.accept()
                said = connection.recv(2000)
                connection.close()
            TOUCHED.append(f"{kind.name} {port}: {said[:60]!r}")

    threading.Thread(target=take, daemon=True).start()


def main(folder: Path, chromium: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "addr", "add", f"{FAR}/32", "dev", "lo"], check=True)
    for kind, port in (
        (socket.SOCK_STREAM, PORT), (socket.SOCK_DGRAM, PORT), (socket.SOCK_STREAM, PROXY_PORT),
        (socket.SOCK_DGRAM, 53), (socket.SOCK_STREAM, 80), (socket.SOCK_STREAM, 443),
    ):  # fmt: skip
        listen(kind, port)
    threading.Thread(target=ThreadingHTTPServer(("127.0.0.1", OWN_PORT), OwnSite).serve_forever, daemon=True).start()
    with socket.create_connection((FAR, PORT), 10) as control:
        control.sendall(b"control")
    own = f"127.0.0.1:{OWN_PORT}"
    (folder / "sites").mkdir(parents=True)
    (folder / "recrawl.toml").write_text(f'[render]\nchromium = "{chromium}"\n')
    (folder / "sites" / "own.toml").write_text(f'render = ["/"]\nseeds = ["http://{own}/"]\nown = ["{own}"]\n')
    subprocess.run([*RECRAWL, "run", str(folder), "--once", "--workers", "1"], check=False, stdout=subprocess.DEVNULL)
    said = {path: said_by("show", f"http://{own}{path}", "--text", "--folder", str(folder)) for path in ("/",)}
    said |= {path: said_by("why", f"http://{own}{path}", "--folder", str(folder)) for path in ("/away", "/post")}
    print(json.dumps({"touched": TOUCHED, "asked": sorted(SEEN), "said": said}))


def said_by(*words: str) -> str:
    return subprocess.run([*RECRAWL, *words], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
