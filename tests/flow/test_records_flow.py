"""From a shop to its records and their history, with the real command line against the bundled shop."""

import asyncio
import csv
import io
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import recrawl
from recrawl.archive.documents import DocumentFolder
from recrawl.lab.shop import site_file
from tests.flow.conftest import Ran, started
from tests.flow.nursery import first_lines, fork

EACH = 40  # items in each of four departments
FIELDS = """
[[fields]]
name = "title"
css = "h1"
required = true

[[fields]]
name = "price"
css = "p.price"
type = "price"
required = true

[[fields]]
name = "added"
xpath = "//time[@class='added']"
attribute = "datetime"
type = "date"
required = true

[[fields]]
name = "review_count"
css = "section h2"
regex = '(\\d+) reviews'
type = "number"

[[fields]]
name = "reviews"
css = "li.review"
type = "list"

[[fields.fields]]
name = "stars"
css = ".stars"
type = "number"

[[fields.fields]]
name = "on"
xpath = "./time"
type = "date"
"""


@dataclass
class Crawled:
    """The shop's controls and a folder that holds a crawl of it."""

    root: str
    controls: str
    folder: Path

    def run(self, *words: str, expect: int = 0) -> str:
        done = self.ran(*words)
        assert done.code == expect, f"{words}\n{done.out[-2000:]}\n{done.err[-2000:]}"
        return done.out

    def ran(self, *words: str) -> Ran:
        return started(list(words), self.folder.parent)

    def records(self, *words: str) -> list[dict[str, Any]]:
        out = self.run("records", "shop", "--folder", str(self.folder), *words)
        return [json.loads(line) for line in out.splitlines()]

    def order(self, order: dict[str, object]) -> None:
        request = urllib.request.Request(self.controls, data=json.dumps(order).encode(), method="POST")
        urllib.request.urlopen(request, timeout=30).read()

    def truth(self) -> dict[str, dict[str, Any]]:
        with urllib.request.urlopen(self.controls + "/products", timeout=30) as answer:
            return {self.root.rstrip("/") + one["path"]: one for one in json.load(answer)}

    def write_fields(self, fields: str) -> None:
        text = 'archive = "folder"\n' + site_file(self.root).partition("[[fields]]")[0] + fields
        (self.folder / "sites" / "shop.toml").write_text(text)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    place = tmp_path_factory.mktemp("records")
    process = fork("recrawl.lab.shop", ["--port", "0", "--each", str(EACH)], place, place / "said")
    try:
        shop = Crawled(*first_lines(place / "said", 2, process), place / "D")
        shop.run("init", "D", "--contact", "ada@example.org")
        shop.write_fields(FIELDS)
        shop.run("run", "D", "--once")
        yield shop
    finally:
        process.terminate()
        process.wait(timeout=30)


def test_every_product_has_the_right_price_date_and_reviews(crawled: Crawled) -> None:
    truth = crawled.truth()
    found = {line["url"]: line for line in crawled.records()}
    assert len(truth) == 4 * EACH
    assert {url: line["data"]["title"] for url, line in found.items()} == {
        url: one["title"] for url, one in truth.items()
    }
    for url, one in truth.items():
        data = found[url]["data"]
        assert data["price"] == {"amount": float(one["price"]), "currency": one["currency"]}
        assert data["added"] == one["added_on"]
        assert data["review_count"] == len(data["reviews"]) == one["reviews"]
        assert [review["stars"] for review in data["reviews"]] == one["stars"]
        assert (found[url]["kind"], found[url]["category"]) == ("item", one["department"])


def test_a_price_changed_on_the_server_shows_as_a_change_of_that_field_alone(crawled: Crawled) -> None:
    [(url, before)] = [(url, one) for url, one in crawled.truth().items() if one["number"] == 100001]
    assert crawled.records("--changes") == []
    crawled.order({"price": {"100001": "12.50"}, "review": {"100002": 5}})
    crawled.run("run", "D", "--once", "--all")
    [change] = crawled.records("--changes", "--field", "price")
    assert crawled.records("--changes", "--field", "price.amount") == [change]  # a column of the CSV
    assert crawled.records("--changes", "--field", "price.currency") == []
    assert (change["url"], change["field"]) == (url, "price")
    assert change["before"] == {"amount": float(before["price"]), "currency": before["currency"]}
    assert change["after"] == {"amount": 12.5, "currency": before["currency"]}
    assert change["previous_at"] < change["at"]
    others = [(one["field"], one["after"]) for one in crawled.records("--changes") if one["url"] != url]
    assert others == [("review_count", others[0][1]), ("reviews[]", {"stars": 5, "on": "2026-11-01"})]
    assert len(crawled.records("--history")) == 4 * EACH + 2
    assert len(crawled.records()) == 4 * EACH


def test_csv_and_parquet_hold_the_same_as_the_lines(crawled: Crawled, tmp_path: Path) -> None:
    lines = {line["url"]: line for line in crawled.records()}
    rows = list(csv.DictReader(io.StringIO(crawled.run("records", "shop", "-C", "D", "--format", "csv"))))
    assert {row["url"]: float(row["price.amount"]) for row in rows} == {
        url: line["data"]["price"]["amount"] for url, line in lines.items()
    }
    assert all(json.loads(row["reviews"]) == lines[row["url"]]["data"]["reviews"] for row in rows)
    file = tmp_path / "records.parquet"
    crawled.run("records", "shop", "-C", "D", "--format", "parquet", "--output", str(file))
    piped = [sys.executable, "-m", "recrawl", "records", "shop", "-C", str(crawled.folder), "--format", "parquet"]
    assert subprocess.run(piped, capture_output=True, check=True).stdout == file.read_bytes()
    table = pyarrow.parquet.read_table(file).to_pylist()
    assert {row["url"]: (row["price.amount"], row["price.currency"], row["reviews"]) for row in table} == {
        url: (line["data"]["price"]["amount"], line["data"]["price"]["currency"], line["data"]["reviews"])
        for url, line in lines.items()
    }


def test_the_newest_html_of_each_page_lies_in_the_folder_with_its_record(crawled: Crawled) -> None:
    kept = {record.url: (record, body) for record, body in DocumentFolder(crawled.folder / "documents").walk()}
    assert set(kept) >= set(crawled.truth())
    url = next(iter(crawled.truth()))
    record, body = kept[url]
    assert body.decode() == crawled.run("show", url, "-C", "D")
    assert (record.site, record.domain, record.category) == ("shop", "127.0.0.1", crawled.truth()[url]["department"])


def test_records_can_be_read_from_python(crawled: Crawled) -> None:
    async def main() -> dict[str, object]:
        async with recrawl.open(crawled.folder) as rc:
            versions = list(rc.records("shop", every_version=True))
            assert len(versions) == 4 * EACH + len({change.at for _, change in rc.record_changes("shop")})
            return {row.page.url: row.record.data["title"] for row in rc.records("shop")}

    assert asyncio.run(main()) == {url: one["title"] for url, one in crawled.truth().items()}


def test_words_that_make_no_sense_together_are_refused(crawled: Crawled) -> None:
    assert "ask for one of them" in crawled.ran("records", "shop", "-C", "D", "--changes", "--broken").err
    assert "there are: shop" in crawled.ran("records", "shopp", "-C", "D", "--again").err
    nowhere = crawled.ran("records", "shopp", "-C", "D")
    assert (nowhere.code, "there are: shop" in nowhere.err) == (2, True)
    assert "did you mean 'price'?" in crawled.ran("records", "shop", "-C", "D", "--changes", "--field", "prize").err
    assert "go with --changes" in crawled.ran("records", "shop", "-C", "D", "--field", "price").err


def test_a_wrapper_that_finds_nothing_any_more_is_reported_and_its_last_records_stay(crawled: Crawled) -> None:
    crawled.write_fields(FIELDS.replace('css = "p.price"', 'css = "p.cost"'))
    crawled.run("records", "shop", "-C", "D", "--again")
    done = crawled.ran("records", "shop", "-C", "D")
    assert done.out == ""
    assert f"wrapper broken: shop, {4 * EACH} pages without price" in done.err
    broken = crawled.records("--broken")
    assert {tuple(line["missing"]) for line in broken} == {("price",)}
    assert len(broken) == 4 * EACH
    [status] = [json.loads(line) for line in crawled.run("status", "D", "--json").splitlines()]
    assert [(one["site"], one["missing"], one["pages"]) for one in status["broken_wrappers"]] == [
        ("shop", ["price"], 4 * EACH)
    ]
    assert "wrapper broken: shop" in crawled.run("status", "D")
    crawled.write_fields(FIELDS)
    crawled.run("records", "shop", "-C", "D", "--again")
    assert len(crawled.records()) == 4 * EACH


def test_a_field_that_cannot_be_meant_so_stops_the_run_with_its_name(crawled: Crawled) -> None:
    crawled.write_fields(FIELDS.replace('css = "h1"', 'css = "h1["'))
    done = crawled.ran("run", "D", "--once")
    crawled.write_fields(FIELDS)
    assert done.code == 3
    assert "field title: invalid CSS selector" in done.err
