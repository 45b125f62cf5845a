"""pywb replays the archive: its own index agrees with ours, and pages come back through `wayback` on loopback."""

import http.client
import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.peers import pywb_environment
from tests.unit.archive.exchanges import CODERS, NOON, capture, not_modified, open_archive, warcs

from recrawl.archive.cdxj_index import merge
from recrawl.archive.record import timestamp14
from recrawl.formats.cdxj import parse, urlkey

PAGE = "http://www.example.com/Page?b=2&a=1"
DAY = 86_400.0
FIRST = capture(PAGE, NOON, b"<html><body>first</body></html>", coding="gzip")
SECOND = capture(PAGE, NOON + DAY, b"<html><body>second</body></html>", coding="gzip")
AGAIN = capture(PAGE, NOON + 2 * DAY, b"<html><body>second</body></html>", coding="gzip", same_as=SECOND)
UNMODIFIED = not_modified(SECOND, NOON + 3 * DAY)
CODED = [
    capture(
        f"http://example.com/coded/{number}",
        NOON,
        b"<html><body>coded in %s</body></html>" % coding.encode(),
        coding=coding,
        headers=[("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")],
    )
    for number, coding in enumerate(CODERS)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("replay")
    archive = open_archive(folder / "warc", file_bytes=2000)
    archive.append([FIRST, *CODED])
    archive.append([SECOND])
    archive.append([AGAIN, UNMODIFIED, capture("http://example.com/gone", NOON, b"gone", status=404)])
    archive.close()
    merge(folder / "warc", folder / "index.cdxj")
    return folder


@pytest.fixture(scope="module")
def replay(folder: Path) -> Iterator[int]:
    """The port of a running `wayback`."""
    places = {"index_paths": str(folder / "index.cdxj"), "archive_paths": str(folder / "warc") + "/"}
    (folder / "config.yaml").write_text(json.dumps({"collections": {"site": places}}))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(pywb_environment() / "wayback"), "--bind", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    try:
        said = []
        for line in server.stdout:
            said.append(line)
            if "Starting Gevent Server" in line:
                break
        else:
            raise AssertionError("wayback did not start:\n" + "".join(said))
        wait_until_it_listens(port, server)
        yield port
    finally:
        server.kill()
        server.communicate()


def wait_until_it_listens(port: int, server: subprocess.Popen[str]) -> None:
    """It says that it starts a moment before it listens."""
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            continue
    raise AssertionError("wayback has gone")


def fetch(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.read()


@pytest.mark.parametrize(
    ("at", "body"),
    [
        (FIRST.at, b"<html><body>first</body></html>"),
        (SECOND.at, b"<html><body>second</body></html>"),
        (AGAIN.at, b"<html><body>second</body></html>"),
        (UNMODIFIED.at, b"<html><body>second</body></html>"),
    ],
    ids=["first version", "second version", "equal payload", "304"],
)
def test_every_moment_of_a_page_is_replayed(replay: int, at: float, body: bytes) -> None:
    assert fetch(replay, f"/site/{timestamp14(at)}id_/{PAGE}") == (200, body)


@pytest.mark.parametrize("number", range(len(CODERS)), ids=[coding or "plain" for coding in CODERS])
def test_every_coding_is_replayed_and_rewritten(replay: int, number: int) -> None:
    seen = CODED[number]
    status, body = fetch(replay, f"/site/{timestamp14(seen.at)}mp_/{seen.url}")
    assert status == 200
    assert b"coded in %s</body>" % list(CODERS)[number].encode() in body


def test_a_missing_page_is_replayed_as_missing(replay: int) -> None:
    assert fetch(replay, f"/site/{timestamp14(NOON)}id_/http://example.com/gone") == (404, b"gone")


def test_the_index_of_pywb_agrees_with_ours(folder: Path) -> None:
    command = [str(pywb_environment() / "cdx-indexer"), "-j", "-s", "-v", *map(str, warcs(folder / "warc"))]
    theirs = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    ours = (folder / "index.cdxj").read_text().splitlines()
    assert len(ours) == len(theirs) > 8
    for our_line, their_line in zip(sorted(ours), sorted(theirs), strict=True):
        our, their = parse(our_line), parse(their_line)
        for name in ("urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename"):
            assert getattr(our, name) == getattr(their, name), name


SURT = "import json, sys; from surt import surt; json.dump([surt(url) for url in json.load(sys.stdin)], sys.stdout)"
HOSTS = [
    "example.com",
    "WWW.Example.COM",
    "www2.a.b.co.uk",
    "127.0.0.1",
    "[::1]",
    "bücher.de",
    "u:pw@h.org",
    "a..b.",
    "한국.kr",
]
PORTS = ("", "", ":80", ":443", ":8080", ":")
PARTS = ["", "a", "B", "%41", "%2541", ".", "..", "%2F", "%20", "é", "%C3%A9", "한", "~x", "a;b=c", "x.aspx", "a+b"]
PARTS += ['"', "|", "[]", "^", "`", "%zz", "%", "\\", "{}", "'"]
PAIRS = ["", "a=1", "B=2", "b=", "b", "=", "sid=" + "b" * 32, "cfid=1&cftoken=2", "x=%26", "x=é", "?", "+", "a=b=c"]


def test_keys_are_those_of_the_library_that_pywb_asks() -> None:
    dice = Random(1)
    urls = []
    for _ in range(3000):
        url = dice.choice(["http://", "https://", "HTTP://", ""]) + dice.choice(HOSTS) + dice.choice(PORTS)
        url += "".join("/" + dice.choice(PARTS) for _ in range(dice.randrange(5)))
        url += dice.choice(["", "", "#part", "?" + "&".join(dice.choices(PAIRS, k=dice.randrange(4)))])
        urls.append(url)
    python = str(pywb_environment() / "python")
    run = subprocess.run([python, "-W", "ignore", "-c", SURT], input=json.dumps(urls), capture_output=True, text=True)
    theirs = json.loads(run.stdout)
    assert [(url, urlkey(url)) for url in urls] == list(zip(urls, theirs, strict=True))
