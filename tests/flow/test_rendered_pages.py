"""Pages that are empty without their scripts, shown by a real Chromium that reaches nobody by itself."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.flow.conftest import RECRAWL, Ran
from tests.flow.script_shop import Shop, open_shop

SECONDS = 60  # that a page may take where it is to be shown: the machine may be busy
FEW_SECONDS = 10  # where one of them never comes to an end
COMPUTES_FIRST = """<html><body><div id="shop">Loading…</div><script>
setTimeout(async () => {
  for (const end = Date.now() + 1500; Date.now() < end;) {}
  const page = await (await fetch("/data/red.json")).json();
  document.getElementById("shop").textContent = page.text;
}, 100)</script></body></html>"""
CHROMIUM = os.environ.get("RECRAWL_CHROMIUM", "/usr/bin/chromium")


@pytest.fixture
def shop() -> Iterator[Shop]:
    with open_shop() as opened:
        yield opened


@pytest.fixture
def crawl(shop: Shop, recrawl: Callable[..., Ran], tmp_path: Path) -> Callable[..., Ran]:
    """The shop added, all its pages to be rendered; runs once, over all pages."""
    recrawl("add", shop.url, "--own", "--name", "shop", "--folder", "crawl")
    site = tmp_path / "crawl" / "sites" / "shop.toml"
    site.write_text('render = ["/"]\n' + site.read_text())
    settings = tmp_path / "crawl" / "recrawl.toml"
    settings.write_text(settings.read_text() + f'\n[render]\nchromium = "{CHROMIUM}"\nseconds = {SECONDS}\n')

    def run(*words: str, expect: int | None = 0) -> Ran:
        return recrawl("run", "crawl", "--once", "--all", *words, expect=expect)

    return run


def text_of(recrawl: Callable[..., Ran], url: str) -> str:
    return recrawl("show", url, "--text", "--folder", "crawl").out


def test_what_scripts_show_is_read_kept_and_compared(
    shop: Shop, crawl: Callable[..., Ran], recrawl: Callable[..., Ran], tmp_path: Path
) -> None:
    assert "3 visits: 3 new" in crawl().out
    assert "The red one costs 10." in text_of(recrawl, f"{shop.url}red")
    paths = shop.paths()
    assert paths.count("/app.js") == paths.count("/parts.js") == 1  # kept for all pages
    assert not {"/private/count.json", "/look.css", "/big.png", "/far.js"} & set(paths)
    assert {method for _, method, _ in shop.asked} == {"GET"}
    assert len(shop.agents) == 1 and "recrawl" in shop.agents.pop()

    shop.asked.clear()
    assert "0 new, 0 changed, 3 unchanged" in crawl().out  # though no answer was a 304
    assert shop.paths().count("/data/red.json") == 1

    shop.data["red"]["text"] = str(shop.data["red"]["text"]).replace("costs 10", "costs 12")
    assert "0 new, 1 changed, 2 unchanged" in crawl().out
    changes = recrawl("changes", "--folder", "crawl", "--kind", "updated", "--json").lines
    assert [line["url"] for line in changes] == [f"{shop.url}red"]
    difference = recrawl("diff", f"{shop.url}red", "--folder", "crawl").out
    assert "12" in difference and "10" in difference
    assert "The red one costs 12." in text_of(recrawl, f"{shop.url}red")

    kinds = [
        (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"))
        for file in sorted((tmp_path / "crawl" / "warc").glob("*.warc.gz"))
        for record in ArchiveIterator(file.open("rb"), check_digests="raise")
    ]
    assert kinds.count(("conversion", f"{shop.url}red")) == 2 and kinds.count(("conversion", f"{shop.url}blue")) == 1
    assert kinds.count(("response", f"{shop.url}red")) == 2  # beside each of them, as it came
    assert kinds.count(("revisit", f"{shop.url}blue")) == 2


def test_what_was_shown_is_exported_replayable_and_imported_again(
    shop: Shop, crawl: Callable[..., Ran], recrawl: Callable[..., Ran], tmp_path: Path
) -> None:
    crawl()
    recrawl("export", "--format", "warc", "-o", "out.warc.gz", "--folder", "crawl")
    with (tmp_path / "out.warc.gz").open("rb") as file:
        shown = {
            record.rec_headers.get_header("WARC-Target-URI"): record.content_stream().read().decode()
            for record in ArchiveIterator(file, check_digests="raise")
            if record.rec_type == "resource"
        }
    assert "The red one costs 10." in shown[f"{shop.url}red"] and len(shown) == 3
    recrawl("add", shop.url, "--own", "--name", "shop", "--folder", "second")
    recrawl("import", "out.warc.gz", "--folder", "second")
    assert (
        recrawl("show", f"{shop.url}red", "--folder", "second").out
        == recrawl("show", f"{shop.url}red", "--folder", "crawl").out
    )


def test_a_page_that_computes_before_it_asks_is_waited_for(
    shop: Shop, crawl: Callable[..., Ran], recrawl: Callable[..., Ran]
) -> None:
    shop.shells["/"] = COMPUTES_FIRST
    shop.slow = {"/data/red.json"}
    crawl()
    assert "The red one costs 10." in text_of(recrawl, shop.url)


def test_a_page_that_breaks_its_own_timers_is_shown(
    shop: Shop, crawl: Callable[..., Ran], recrawl: Callable[..., Ran]
) -> None:
    shop.shells["/"] = (
        "<p id=text><script>text.textContent = 'Clocks'; setTimeout = requestIdleCallback = null</script>"
    )
    crawl()
    assert "Clocks" in text_of(recrawl, shop.url)


def test_what_cannot_be_shown_whole_replaces_nothing(
    shop: Shop, crawl: Callable[..., Ran], recrawl: Callable[..., Ran], tmp_path: Path
) -> None:
    crawl()
    settings = tmp_path / "crawl" / "recrawl.toml"
    patient = settings.read_text()
    settings.write_text(patient.replace(f"seconds = {SECONDS}", f"seconds = {FEW_SECONDS}"))
    shop.broken = {"/data/red.json"}
    shop.shells["/blue"] = "<html><body><p>Blue<script>for (;;) {}</script></body></html>"
    shop.data["front"]["links"] = ["red", "blue", "green"]
    shop.shells["/green"] = "<html>Green<script>for (let i = 0; i < 99; i++) fetch(`/data/red.json?${i}`)</script>"
    ran = crawl(expect=None)
    assert "3 failed" in ran.out
    for name, says in (("red", "/data/red.json"), ("blue", "render.seconds"), ("green", "")):
        told = recrawl("why", f"{shop.url}{name}", "--folder", "crawl").out
        assert "could not be rendered" in told and says in told
    assert "The red one costs 10." in text_of(recrawl, f"{shop.url}red")
    assert "The blue one costs 20." in text_of(recrawl, f"{shop.url}blue")
    shop.broken.clear()
    del shop.shells["/blue"]
    settings.write_text(patient)
    assert "3 unchanged" in crawl(expect=None).out  # the browser that hung was replaced


def test_no_trick_of_a_page_has_the_browser_reach_anybody(tmp_path: Path) -> None:
    """In a network name space without a route: what escaped would reach a listener on loopback."""
    alone = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
    words = [*alone, sys.executable, "-m", "tests.flow.render_ground", str(tmp_path / "D"), CHROMIUM]
    found = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert "all 14 tricks tried" in found["said"]["/"]
    assert all("its scripts lead to http://203.0.113.7:8002/" in found["said"][path] for path in ("/away", "/post"))
    assert found["touched"] == ["SOCK_STREAM 8002: b'control'"]
    assert found["asked"] == ["/", "/away", "/frame", "/ok.js", "/ok.js", "/post", "/redirect", "/robots.txt"]


def test_the_gap_and_the_budget_hold_for_what_scripts_ask_for(
    shop: Shop, crawl: Callable[..., Ran], tmp_path: Path
) -> None:
    site = tmp_path / "crawl" / "sites" / "shop.toml"
    site.write_text("gap_s = 0.4\nrequests_per_day = 7\n" + site.read_text())
    crawl(expect=None)
    crawl(expect=None)
    times = [at for at, _, _ in shop.asked]
    assert len(times) == 7
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.39


def test_a_kill_takes_the_browser_along(shop: Shop, crawl: Callable[..., Ran], tmp_path: Path) -> None:
    shop.shells["/"] = "<html><body><script>setInterval(() => 1, 1)</script><script>for (;;) {}</script></body></html>"
    settings = tmp_path / "crawl" / "recrawl.toml"
    settings.write_text(settings.read_text().replace(f"seconds = {SECONDS}", "seconds = 200"))
    words = [*RECRAWL, "run", "crawl", "--once", "--workers", "1"]
    running = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        _until(lambda: any("chromium" in name for name in _family(running.pid).values()))
        family = _family(running.pid)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    _until(lambda: not _alive(family))


def test_without_a_browser_it_says_what_to_install(shop: Shop, crawl: Callable[..., Ran], tmp_path: Path) -> None:
    settings = tmp_path / "crawl" / "recrawl.toml"
    settings.write_text(settings.read_text().replace(CHROMIUM, "/no/such/browser"))
    ran = crawl(expect=3)
    assert "/no/such/browser" in ran.err and "apt-get install chromium" in ran.err
    assert shop.asked == []


def _until(holds: Callable[[], bool]) -> None:
    end_at = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end_at
        time.sleep(0.05)


def _family(ancestor: int) -> dict[int, str]:
    """A process and all that come from it, with their names."""
    names, parents = dict[int, str](), dict[int, int]()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
            names[int(folder.name)], parents[int(folder.name)] = name, int(rest.split()[1])
    family = {ancestor}
    while more := {number for number, parent in parents.items() if parent in family} - family:
        family |= more
    return {number: names.get(number, "") for number in family}


def _alive(family: dict[int, str]) -> list[int]:
    def is_there(number: int) -> bool:
        try:
            return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    return [number for number in family if is_there(number)]
