"""Records as JSON lines, CSV or Parquet."""

import csv
import importlib
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from recrawl.cli.outputs import writing
from recrawl.model.failure import ConfigError

Line = dict[str, Any]
Lines = Callable[[], Iterable[Line]]  # gives the same lines each time it is called
DATA = "data"


def write_jsonl(lines: Lines, output: Path | None) -> None:
    with _text(output) as out:
        for line in lines():
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def write_csv(lines: Lines, output: Path | None) -> None:
    """A column for each field; a part of a value (`price.amount`) has its own, a list is JSON."""
    columns = list(dict.fromkeys(name for line in lines() for name in flat(line)))
    with _text(output) as out:
        writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for line in lines():
            writer.writerow({name: _cell(value) for name, value in flat(line).items()})


def write_parquet(lines: Lines, output: Path | None) -> None:
    """The columns of the CSV with their types, lists as lists; a column of several types is JSON text."""
    arrow, parquet = _arrow()
    rows = [flat(line) for line in lines()]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: _column(arrow, [row.get(name) for row in rows]) for name in names}
    whole = io.BytesIO()
    parquet.write_table(arrow.table(columns), whole)
    if output is None:
        sys.stdout.buffer.write(whole.getvalue())
        return
    with writing(output):
        output.write_bytes(whole.getvalue())


WRITERS: dict[str, Callable[[Lines, Path | None], None]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
}


def flat(line: Mapping[str, Any]) -> Line:
    """Fields beside what is known of the record; objects by their parts, `price.amount`. A field that has the name of a
    column of ours keeps its `data.`."""
    row: Line = {}
    for name, value in line.items():
        if name == DATA:
            for inner, one in _parts("", value):
                row[f"{DATA}.{inner}" if inner in line else inner] = one
        else:
            row |= dict(_parts(name, value))
    return row


def _parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping) or not value:
        yield path, value
        return
    for name, inner in value.items():
        yield from _parts(f"{path}.{name}" if path else name, inner)


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict, bool)) else value


def _column(arrow: Any, values: list[Any]) -> Any:
    try:
        column = arrow.array(values)
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowNotImplementedError, OverflowError):
        column = None
    if column is None or _has_empty_object(arrow, column.type):
        texts = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
        return arrow.array(texts, arrow.string())
    return column


def _has_empty_object(arrow: Any, kind: Any) -> bool:
    """Parquet has no object without fields."""
    if arrow.types.is_list(kind):
        return _has_empty_object(arrow, kind.value_type)
    if not arrow.types.is_struct(kind):
        return False
    fields = [kind.field(place).type for place in range(kind.num_fields)]
    return not fields or any(_has_empty_object(arrow, one) for one in fields)


def _arrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ConfigError("parquet needs pyarrow: pip install 'recrawl[parquet]', or choose --format csv") from error


@contextmanager
def _text(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
        return
    with writing(output), output.open("w", encoding="utf-8", newline="") as out:
        yield out
