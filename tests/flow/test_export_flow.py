"""Taken away and brought back: every form an export has, judged by the tools of others."""

import csv
import io
import json
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet
import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.flow.conftest import Ran
from tests.flow.pages import Pages, serving
from tests.peers import environment, pywb_environment

Run = Callable[..., Ran]
WACZ = ("setuptools<81", "wacz>=0.5")


@pytest.fixture
def town(recrawl: Run) -> Iterator[Pages]:
    """Five pages crawled twice: one changed, one gone, one moved away by hand."""
    pages = Pages()
    pages.write("/a", "=1+1", '<p>First page, with <a href="/sub/b?x=1#part">the other</a>.</p>')
    pages.write(
        "/sub/b?x=1", "북쪽 항구", '<p>둘째 쪽 <a href="../a">처음</a> <a href="/gone">사라진</a></p>', language="ko"
    )
    pages.write("/still", "Still", "<p>This one never changes, whatever happens to the others around it.</p>")
    pages.write("/gone", "Gone", "<p>This one will be gone.</p>")
    pages.link()
    with serving(pages):
        recrawl("add", pages.url, "--own", "--name", "town", "--folder", "D")
        recrawl("run", "D", "--once")
        pages.write(
            "/a", "=1+1", '<p>Changed page, with <a href="/sub/b?x=1#part">the other</a> and a new sentence.</p>'
        )
        del pages.html["/gone"]
        recrawl("run", "D", "--once", "--all")
        recrawl("run", "D", "--once", "--all")
        yield pages


def table(recrawl: Run, folder: str, name: str, leave_out: tuple[str, ...] = ()) -> list[dict[str, object]]:
    lines = recrawl("export", folder, "--table", name).lines
    rows = [{key: value for key, value in line.items() if key not in leave_out} for line in lines]
    return sorted(rows, key=lambda row: (str(row["url"]), str(row.get("at"))))


def test_tables_come_as_json_lines_csv_and_parquet_and_say_the_same(town: Pages, recrawl: Run, tmp_path: Path) -> None:
    for name in ("pages", "versions", "visits", "changes"):
        plain = recrawl("export", "D", "--table", name).lines
        sheet = list(csv.DictReader(io.StringIO(recrawl("export", "D", "--table", name, "--format", "csv").out)))
        recrawl("export", "D", "--table", name, "--format", "parquet", "--output", f"{name}.parquet")
        columns = pyarrow.parquet.read_table(tmp_path / f"{name}.parquet")
        assert len(plain) == len(sheet) == columns.num_rows > 0
        assert list(plain[0]) == list(sheet[0]) == columns.column_names
        assert [row["url"] for row in plain] == columns.column("url").to_pylist()
    pages = pyarrow.parquet.read_table(tmp_path / "pages.parquet")
    types = {field.name: str(field.type) for field in pages.schema}
    assert types["checked_at"] == "timestamp[us, tz=UTC]" and types["visits"] == "int64"
    assert types["interval_s"] == "double" and types["url"] == "string"


def test_a_title_that_looks_like_a_formula_does_not_calculate(town: Pages, recrawl: Run) -> None:
    sheet = csv.DictReader(io.StringIO(recrawl("export", "D", "--format", "csv").out))
    assert "'=1+1" in {row["title"] for row in sheet}


@pytest.mark.parametrize("form", ["warc", "wacz"])
def test_a_round_trip_into_an_empty_folder_keeps_pages_versions_visits_and_beliefs(
    town: Pages, recrawl: Run, form: str
) -> None:
    recrawl("export", "D", "--format", form, "--output", f"x.{form}")
    recrawl("import", f"x.{form}", "--folder", "E", "--site", "town", "--own")
    assert table(recrawl, "D", "pages") == table(recrawl, "E", "pages")
    placed = ("warc_file", "warc_offset", "warc_length")
    versions = table(recrawl, "D", "versions", placed)
    assert versions == table(recrawl, "E", "versions", placed)
    assert len(versions) == 6
    assert table(recrawl, "D", "visits") == table(recrawl, "E", "visits")
    assert table(recrawl, "D", "changes", ("cursor",)) == table(recrawl, "E", "changes", ("cursor",))
    first = recrawl("show", town.url + "a", "--folder", "D", "--at", versions[1]["at"]).out
    assert "First page" in first
    assert recrawl("show", town.url + "a", "--folder", "E", "--at", versions[1]["at"]).out == first
    found = recrawl("search", "항구", "-C", "E", "--json").lines
    assert [line["title"] for line in found] == ["북쪽 항구"]
    again = json.loads(recrawl("import", f"x.{form}", "--folder", "E", "--json").out)
    assert again["known"] == 5 and again["pages"] == again["versions"] == 0
    recrawl("run", "E", "--once", "--all")  # and the crawl goes on
    [status] = recrawl("status", "E", "--json").lines
    assert status["not_modified"] >= 4


def test_the_wacz_is_valid_and_its_warc_is_what_pywb_and_warcio_expect(
    town: Pages, recrawl: Run, tmp_path: Path
) -> None:
    recrawl("export", "D", "--format", "wacz", "--output", "x.wacz")
    judge = [str(environment("wacz", WACZ) / "wacz"), "validate", "-f", str(tmp_path / "x.wacz")]
    said = subprocess.run(judge, capture_output=True, text=True, check=True).stdout
    assert "is valid" in said
    with zipfile.ZipFile(tmp_path / "x.wacz") as bundle:
        assert bundle.getinfo("archive/data.warc.gz").compress_type == zipfile.ZIP_STORED
        bundle.extractall(tmp_path / "wacz")
    warc = tmp_path / "wacz" / "archive" / "data.warc.gz"
    with warc.open("rb") as stream:
        kinds = [record.rec_type for record in ArchiveIterator(stream, check_digests="raise")]
    assert kinds.count("response") == 6 and kinds[0] == "warcinfo"
    indexer = [str(pywb_environment() / "cdx-indexer"), "-j", "-s", str(warc)]
    theirs = subprocess.run(indexer, capture_output=True, text=True, check=True).stdout.splitlines()
    places = {(line["offset"], line["url"]) for line in (json.loads(one.split(" ", 2)[2]) for one in theirs)}
    assert len(places) == 6
    [block] = re.findall(r'"offset": 0, "length": (\d+)', (tmp_path / "wacz" / "indexes" / "index.idx").read_text())
    assert int(block) == (tmp_path / "wacz" / "indexes" / "index.cdx.gz").stat().st_size


def test_a_mirror_is_linked_among_itself(town: Pages, recrawl: Run, tmp_path: Path) -> None:
    recrawl("export", "D", "--format", "mirror", "--output", "mirror")
    files = {str(file.relative_to(tmp_path / "mirror")): file for file in (tmp_path / "mirror").rglob("*.html")}
    host = town.url.removeprefix("http://").rstrip("/").replace(":", "_")
    assert {"index.html", f"{host}/index.html", f"{host}/a.html", f"{host}/still.html"} < set(files)
    assert len(files) == 5
    for name, file in files.items():
        for target in re.findall(r'href="([^"]*)"', file.read_text("utf-8")):
            local = (file.parent / target.partition("#")[0]).resolve()
            assert target.startswith("http") or local in {one.resolve() for one in files.values()}, (name, target)
    first = files[f"{host}/a.html"].read_text("utf-8")
    assert re.search(r'href="sub/[A-Za-z0-9._-]+\.html#part"', first)
    assert recrawl("export", "D", "--format", "mirror", "--output", "mirror", expect=2).err


def test_an_export_is_whole_or_not_there(town: Pages, recrawl: Run, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("old")
    recrawl("export", "D", "--site", "nowhere", "--output", "x.jsonl", expect=2)
    assert (tmp_path / "x.jsonl").read_text() == "old"
    recrawl("export", "D", "--output", "x.jsonl")
    assert len((tmp_path / "x.jsonl").read_text().splitlines()) == 5
    assert not list(tmp_path.glob("*.new"))
