"""An exported WARC replays in pywb; an exported mirror opens in a browser without a network."""

import http.client
import json
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.flow.conftest import Ran
from tests.flow.pages import Pages, serving
from tests.peers import pywb_environment

Run = Callable[..., Ran]
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


@pytest.fixture
def town(recrawl: Run) -> Iterator[Pages]:
    pages = Pages()
    pages.write(
        "/a",
        "First",
        '<h1>First</h1><a id="on" href="/b?x=1&y=2#part">on</a><script>document.title = "hacked"</script>',
    )
    pages.write("/b?x=1&y=2", "둘째", '<p id="part">둘째 쪽</p><a id="back" href="/a">back</a>', language="ko")
    pages.html["/"] = '<html><head><title>Start</title></head><a href="/a">a</a><a href="/b?x=1&amp;y=2">b</a></html>'
    with serving(pages):
        recrawl("add", pages.url, "--own", "--folder", "D")
        recrawl("run", "D", "--once")
        yield pages


def test_the_warc_replays_in_pywb(town: Pages, recrawl: Run, tmp_path: Path) -> None:
    recrawl("export", "D", "--format", "warc", "--output", "x.warc.gz")
    manager = str(pywb_environment() / "wb-manager")
    subprocess.run([manager, "init", "site"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run([manager, "add", "site", "x.warc.gz"], cwd=tmp_path, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(pywb_environment() / "wayback"), "--bind", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert server.stdout is not None
        assert any("Starting Gevent Server" in line for line in server.stdout)
        for path, words in (("a", "<h1>First</h1>"), ("b?x=1&y=2", "둘째 쪽")):
            body = fetched(server, port, f"/site/id_/{town.url}{path}")
            assert words in body.decode("utf-8"), body[:500]
    finally:
        server.kill()
        server.communicate()


def fetched(server: "subprocess.Popen[str]", port: int, path: str) -> bytes:
    """It says that it starts a moment before it listens."""
    while server.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", path.replace(" ", "%20"))
            return connection.getresponse().read()
        except ConnectionRefusedError:
            continue
    raise AssertionError("wayback has gone")


def test_the_mirror_opens_in_a_browser_and_asks_nobody(town: Pages, recrawl: Run, tmp_path: Path) -> None:
    recrawl("export", "D", "--format", "mirror", "--output", "mirror")
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_context(offline=True).new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((tmp_path / "mirror" / "index.html").as_uri())
        page.click("text=/a$/")
        assert page.title() == "First"  # its script did not run
        page.click("#on")
        assert page.title() == "둘째"
        assert page.url.endswith("#part")
        assert page.inner_text("#part") == "둘째 쪽"
        page.click("#back")
        assert page.inner_text("h1") == "First"
        browser.close()
    assert len(asked) == 4
    assert all(re.match("file://", url) for url in asked), json.dumps(asked)
