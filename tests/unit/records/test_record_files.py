"""Records as JSON lines, CSV and Parquet."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from recrawl.cli.records_files import WRITERS, flat
from recrawl.model.failure import ConfigError, UsageError

LINES: list[dict[str, Any]] = [
    {
        "url": "u1",
        "kind": "item",
        "data": {"title": "Öl, 油\n2", "price": {"amount": 1.5, "currency": "EUR"}, "tags": ["a"]},
    },
    {"url": "u2", "kind": "item", "data": {"title": None, "price": None, "sold": True, "mixed": 1}},
    {"url": "u3", "kind": "item", "data": {"url": "own", "price": {"amount": 2, "currency": None}, "mixed": "x"}},
]


def test_lines_are_what_they_were(tmp_path: Path) -> None:
    WRITERS["jsonl"](lambda: LINES, tmp_path / "x")
    assert [json.loads(line) for line in (tmp_path / "x").read_text("utf-8").splitlines()] == LINES


def test_csv_has_a_column_for_each_part_of_each_field(tmp_path: Path) -> None:
    WRITERS["csv"](lambda: LINES, tmp_path / "x")
    with (tmp_path / "x").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["price.amount"] for row in rows] == ["1.5", "", "2"]
    assert [row["title"] for row in rows] == ["Öl, 油\n2", "", ""]
    assert [row["tags"] for row in rows] == ['["a"]', "", ""]
    assert [row["sold"] for row in rows] == ["", "true", ""]
    assert [(row["url"], row["data.url"]) for row in rows] == [("u1", ""), ("u2", ""), ("u3", "own")]


def test_parquet_has_types_and_lists_and_falls_back_to_json(tmp_path: Path) -> None:
    WRITERS["parquet"](lambda: LINES, tmp_path / "x")
    rows = pyarrow.parquet.read_table(tmp_path / "x").to_pylist()
    assert [row["price.amount"] for row in rows] == [1.5, None, 2.0]
    assert [row["tags"] for row in rows] == [["a"], None, None]
    assert [row["mixed"] for row in rows] == [None, "1", '"x"']


@pytest.mark.parametrize("form", list(WRITERS))
def test_no_records_make_an_empty_file(form: str, tmp_path: Path) -> None:
    WRITERS[form](lambda: [], tmp_path / "x")
    assert (tmp_path / "x").exists()


@pytest.mark.parametrize("form", list(WRITERS))
def test_a_file_that_cannot_be_written_is_named(form: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*nowhere"):
        WRITERS[form](lambda: LINES, tmp_path / "nowhere" / "x")


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"recrawl\[parquet\]"):
        WRITERS["parquet"](lambda: LINES, tmp_path / "x")


def test_objects_without_fields_are_json_in_parquet(tmp_path: Path) -> None:
    WRITERS["parquet"](lambda: [{"a": {}, "b": [{}], "c": [{"d": {}}], "e": 1}], tmp_path / "x")
    [row] = pyarrow.parquet.read_table(tmp_path / "x").to_pylist()
    assert row == {"a": "{}", "b": "[{}]", "c": '[{"d": {}}]', "e": 1}


def test_an_empty_object_is_a_value() -> None:
    assert flat({"a": {}, "data": {"b": {"c": {"d": 1}}, "e": []}}) == {"a": {}, "b.c.d": 1, "e": []}
