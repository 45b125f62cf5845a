"""The bundled shop: crawled by a site file that a person wrote, by one that was learnt, and by none."""

import json
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from recrawl.lab.requests_log import Request, parse_lines
from recrawl.lab.shop import Score, score, site_file
from tests.flow.conftest import Ran
from tests.flow.nursery import Forked, first_lines, fork

Recrawl = Callable[..., Ran]
PAPER = """<crawlscript><site title="People"><identity value="www.web.com"/>
<url type="list" class="person"><originalAddr type="url">http://www.web.com/list.aspx?cate_id={0}&amp;page={1}</originalAddr>
<targetAddr>http://www.web.com/list.aspx?cate_id={0}&amp;page={1}</targetAddr></url>
<url type="detail" class="person"><originalAddr type="javascript">javascript:show_detail({0})</originalAddr>
<targetAddr>http://www.web.com/detail.aspx?per_id={0}</targetAddr></url></site></crawlscript>
"""


@dataclass
class RunningShop:
    url: str
    controls: str
    log: Path

    def requests(self) -> list[Request]:
        return parse_lines(self.log.read_text()) if self.log.exists() else []

    def wanted(self) -> frozenset[str]:
        with urllib.request.urlopen(self.controls + "/wanted", timeout=30) as answer:
            return frozenset(json.load(answer))

    def control(self, order: dict[str, object]) -> dict[str, list[str]]:
        request = urllib.request.Request(self.controls, data=json.dumps(order).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.load(answer))

    def score(self, after: int = 0) -> Score:
        return score(self.requests()[after:], self.wanted())


@pytest.fixture
def start_shop(tmp_path: Path) -> Iterator[Callable[..., RunningShop]]:
    started: list[Forked] = []

    def start(*options: str) -> RunningShop:
        log, said = tmp_path / f"shop-{len(started)}.jsonl", tmp_path / f"shop-{len(started)}.said"
        started.append(fork("recrawl.lab.shop", ["--log", str(log), *options], tmp_path, said))
        url, controls = first_lines(said, 2, started[-1])
        return RunningShop(url, controls, log)

    yield start
    for process in started:
        process.terminate()
        process.wait(timeout=30)


def folder_with(recrawl: Recrawl, tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "folder"
    recrawl("init", folder)
    (folder / "sites" / "shop.toml").write_text(text)
    return folder


def test_a_written_site_file_fetches_every_wanted_page_and_no_other(
    start_shop: Callable[..., RunningShop], recrawl: Recrawl, tmp_path: Path
) -> None:
    shop = start_shop()
    folder = folder_with(recrawl, tmp_path, site_file(shop.url))
    recrawl("run", folder, "--once", "--workers", "1")
    measured = shop.score()
    print(
        f"written site file: accuracy {measured.accuracy:.2%}, recall {measured.recall:.2%}, {measured.fetched} pages"
    )
    assert measured.wanted == 1040
    assert (measured.accuracy, measured.recall) == (1.0, 1.0)
    asked = [request.path for request in shop.requests() if request.path != "/robots.txt"]
    first_foreign = next(place for place, path in enumerate(asked) if path.startswith("/c/") and "lamps" not in path)
    assert len([path for path in asked[:first_foreign] if path.startswith("/c/lamps?")]) == 10
    assert len([path for path in asked[:first_foreign] if path.startswith("/item/")]) >= 250
    (status,) = recrawl("status", folder, "--json").lines
    (site,) = status["sites"]  # type: ignore[misc]
    assert site["dropped_links"]["no_pattern"] > 1000  # type: ignore[index]


def test_a_learnt_site_file_does_nearly_as_well_from_one_address(
    start_shop: Callable[..., RunningShop], recrawl: Recrawl, tmp_path: Path
) -> None:
    shop = start_shop("--each", "100", "--shelf", "10")
    file = tmp_path / "learnt.toml"
    recrawl("scope", "learn", shop.url, "--own", "--sample", "200", "--output", file)
    sampled = len(shop.requests())
    assert sampled <= 202
    recrawl("scope", "test", file)
    folder = folder_with(recrawl, tmp_path, file.read_text())
    recrawl("run", folder, "--once", "--workers", "1")
    measured = shop.score(after=sampled)
    print(f"learnt site file: accuracy {measured.accuracy:.2%}, recall {measured.recall:.2%}, {measured.fetched} pages")
    assert measured.accuracy >= 0.98
    assert measured.recall >= 0.98


def test_a_plain_crawl_drowns_in_what_nobody_asked_for(
    start_shop: Callable[..., RunningShop], recrawl: Recrawl, tmp_path: Path
) -> None:
    """Bounded by depth, for the shop has no end."""
    shop = start_shop("--each", "25", "--shelf", "25")
    recrawl("add", shop.url, "--folder", tmp_path / "plain", "--own", "--depth", "2")
    recrawl("run", tmp_path / "plain", "--once", "--workers", "1")
    measured = shop.score()
    print(f"plain crawl, two links deep: accuracy {measured.accuracy:.2%}, {measured.fetched} pages")
    assert measured.accuracy < 0.5


def test_new_goods_are_found_on_the_lists_before_old_ones_are_looked_at_again(
    start_shop: Callable[..., RunningShop], recrawl: Recrawl, tmp_path: Path
) -> None:
    shop = start_shop("--each", "40", "--shelf", "10")
    folder = folder_with(recrawl, tmp_path, site_file(shop.url))
    recrawl("run", folder, "--once", "--workers", "1")
    before = len(shop.requests())
    old = {request.path for request in shop.requests() if request.path.startswith("/item/")}
    fresh = set(shop.control({"add": 6})["added"])
    recrawl("run", folder, "--once", "--all", "--workers", "1")
    again = [request.path for request in shop.requests()[before:]]
    assert fresh <= set(again)
    first_old = next(place for place, path in enumerate(again) if path in old)
    assert max(again.index(path) for path in fresh) < first_old + len(old) // 4
    assert {path for path in again[:first_old] if path.startswith("/c/")} >= {
        f"/c/{one}?page=1" for one in ("lamps", "chairs", "kettles", "rugs")
    }


def test_scope_check_prints_what_becomes_of_every_link(
    start_shop: Callable[..., RunningShop], recrawl: Recrawl, tmp_path: Path
) -> None:
    shop = start_shop("--each", "30")
    file = tmp_path / "shop.toml"
    file.write_text(site_file(shop.url))
    (told,) = recrawl("scope", "check", f"{shop.url}c/lamps?page=1", "--site", file, "--json").lines
    assert told["by_pattern"] == {"shelf": 5, "item": 25}
    links = told["links"]
    assert isinstance(links, list) and len(links) == told["found"]
    rewritten = [one for one in links if one["rewritten"]]
    assert {one["relation"] for one in rewritten} == {"a", "script"}
    assert all(one["url"].startswith(f"{shop.url}item/") for one in rewritten)
    assert all(one["reason"] and one["because"] for one in links if not one["kept"])
    refused = recrawl("scope", "check", f"{shop.url}cart/add/100001", "--site", file, expect=5)
    assert "robots.txt" in refused.err
    shown = recrawl("scope", "check", f"{shop.url}c/lamps?page=1", "--site", file).out
    assert "30 kept" in shown and "no_pattern" in shown


def test_a_saved_page_is_checked_without_a_request(recrawl: Recrawl, tmp_path: Path) -> None:
    (tmp_path / "script.xml").write_text(PAPER)
    (tmp_path / "page.html").write_text(
        '<a href="javascript:show_detail(100320)">x</a><a href="list.aspx?page=2&cate_id=1">2</a><a href="/x">y</a>'
    )
    (told,) = recrawl("scope", "check", "page.html", "--site", "script.xml", "--json").lines
    assert [one["url"] for one in told["links"]] == [  # type: ignore[index, union-attr]
        "http://www.web.com/detail.aspx?per_id=100320",
        "http://www.web.com/list.aspx?cate_id=1&page=2",
        "http://www.web.com/x",
    ]
    assert told["kept"] == 2


def test_scripts_convert_both_ways_and_say_what_cannot(recrawl: Recrawl, tmp_path: Path) -> None:
    (tmp_path / "script.xml").write_text(PAPER)
    recrawl("scope", "convert", "script.xml", "--output", "site.toml")
    once = recrawl("scope", "convert", "site.toml").out
    (tmp_path / "again.xml").write_text(once)
    assert recrawl("scope", "convert", "again.xml").out == (tmp_path / "site.toml").read_text()
    (tmp_path / "shop.toml").write_text(site_file("http://127.0.0.1:9/"))
    refused = recrawl("scope", "convert", "shop.toml", expect=3)
    assert "seeds" in refused.err and "rewrites" in refused.err
    (tmp_path / "bad.xml").write_text(PAPER.replace("per_id={0}", "per_id={7}"))
    assert "bad.xml:5:" in recrawl("scope", "convert", "bad.xml", expect=3).err


def test_examples_in_a_site_file_are_run_against_it(recrawl: Recrawl, tmp_path: Path) -> None:
    good = site_file("http://shop.example/") + (
        '[[examples]]\nlink = "javascript:showItem(7, \'x\')"\nkind = "detail"\nbecomes = "http://shop.example/item/7/x"\n'
        '[[examples]]\nlink = "/about"\nkind = "dropped"\n'
    )
    (tmp_path / "good.toml").write_text(good)
    assert "2 of 2" in recrawl("scope", "test", "good.toml").out
    (tmp_path / "bad.toml").write_text(good.replace('"dropped"', '"list"'))
    assert "is dropped, not list" in recrawl("scope", "test", "bad.toml", expect=3).out
    (tmp_path / "none.toml").write_text(site_file("http://shop.example/"))
    assert "[[examples]]" in recrawl("scope", "test", "none.toml", expect=2).err


def test_schemas_are_printed_for_editors(recrawl: Recrawl) -> None:
    assert "patterns" in json.loads(recrawl("scope", "schema").out)["properties"]
    assert "crawlscript" in recrawl("scope", "schema", "--xml").out
