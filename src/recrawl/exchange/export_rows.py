"""Rows of a table as JSON lines, CSV or Parquet, a batch at a time."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import import_module
from itertools import islice
from typing import IO, Any

from recrawl.exchange.export_tables import Row, Source, Table, Type, as_text
from recrawl.model.failure import UsageError

BATCH = 1000
MICROSECONDS = 1_000_000


def write_jsonl(table: Table, source: Source, out: IO[bytes]) -> int:
    """One object a line, moments in ISO 8601; how many."""
    names = [column.name for column in table.columns]
    shown = [_SHOWN.get(column.type) for column in table.columns]
    count = 0
    for count, row in enumerate(table.rows(source), 1):  # noqa: B007 — the number of the last one is the answer
        values = {name: show(value) if show else value for name, show, value in zip(names, shown, row, strict=True)}
        out.write(json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    return count


def write_csv(table: Table, source: Source, out: IO[bytes]) -> int:
    """RFC 4180 with a head; nothing is an empty cell. A cell that a spreadsheet would take for a formula gets a ' in
    front: pages of others must not calculate in the reader's office."""
    text = io.TextIOWrapper(out, "utf-8", errors="replace", newline="", write_through=True)
    sheet = csv.writer(text)
    sheet.writerow([column.name for column in table.columns])
    count = 0
    for row in table.rows(source):
        sheet.writerow([_cell(value, column.type) for value, column in zip(row, table.columns, strict=True)])
        count += 1
    text.flush()
    text.detach()
    return count


def write_parquet(table: Table, source: Source, out: IO[bytes]) -> int:
    """Typed columns, zstd; moments are timestamps in UTC."""
    arrow, parquet = _pyarrow()
    types = {
        Type.TEXT: arrow.string(),
        Type.INTEGER: arrow.int64(),
        Type.NUMBER: arrow.float64(),
        Type.BOOLEAN: arrow.bool_(),
        Type.MOMENT: arrow.timestamp("us", tz="UTC"),
        Type.JSON: arrow.string(),
    }
    fields = [
        arrow.field(column.name, types[column.type], metadata={"about": column.about}) for column in table.columns
    ]
    schema = arrow.schema(fields, metadata={"recrawl.table": table.name})
    count = 0
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for batch in _batches(table.rows(source)):
            columns = [
                arrow.array([_stored(row[place], column.type) for row in batch], types[column.type])
                for place, column in enumerate(table.columns)
            ]
            writer.write_batch(arrow.record_batch(columns, schema=schema))
            count += len(batch)
    return count


WRITERS: dict[str, Callable[[Table, Source, IO[bytes]], int]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
}


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise UsageError("Parquet needs pyarrow: pip install 'recrawl[parquet]'") from error


def _batches(rows: Iterator[Row]) -> Iterator[Sequence[Row]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _moment(at: object) -> str | None:
    if not isinstance(at, float | int):
        return None
    return datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")


_SHOWN: dict[Type, Callable[[object], object]] = {Type.MOMENT: _moment}


def _cell(value: object, kind: Type) -> object:
    if value is None:
        return ""
    if kind is Type.MOMENT:
        return _moment(value)
    if kind is Type.BOOLEAN:
        return "true" if value else "false"
    if kind is Type.JSON:
        return as_text(value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value


def _stored(value: object, kind: Type) -> object:
    if value is None:
        return None
    if kind is Type.MOMENT and isinstance(value, float | int):
        return round(value * MICROSECONDS)
    if kind is Type.TEXT:
        return str(value).encode("utf-8", "replace").decode()
    return as_text(value) if kind is Type.JSON else value
