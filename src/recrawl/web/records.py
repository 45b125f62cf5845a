"""Records as a table, and the numbers in them as curves over time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recrawl.formats.moment import iso
from recrawl.model.record import Record
from recrawl.ports import Store
from recrawl.web.chart import Point, line
from recrawl.web.drawings import moments

MOST_COLUMNS = 12


@dataclass(frozen=True, slots=True)
class Line:
    record: Record
    url: str

    def as_object(self) -> dict[str, Any]:
        one = self.record
        head = {"page": str(one.page), "url": self.url, "at": iso(one.at), "kind": one.kind, "source": one.source.value}
        return {**head, "data": one.data, "missing": list(one.missing)}


@dataclass(frozen=True, slots=True)
class RecordList:
    records: tuple[Line, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class RecordTable:
    kinds: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Line, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Plot:
    field: str
    svg: str
    first: float
    last: float


def record_list(store: Store, site: str, after: int | None, limit: int) -> RecordList:
    """What the newest versions say, page by page."""
    pages = store.record_pages(site, after, limit)
    urls = {page.id: page.url for page in store.pages(pages)}
    found = store.newest_records(pages)
    lines = tuple(Line(record, urls.get(record.page, "")) for record in found if not record.broken)
    return RecordList(lines, pages[-1] if len(pages) == limit else None)


def table(found: RecordList, kind: str = "") -> RecordTable:
    """Columns in order of first appearance."""
    chosen = [one for one in found.records if not kind or one.record.kind == kind]
    columns: dict[str, None] = {}
    for one in chosen:
        columns.update(dict.fromkeys(name for name, _ in flat(one.record.data)))
    names = tuple(columns)[:MOST_COLUMNS]
    rows = [(one, dict(flat(one.record.data))) for one in chosen]
    return RecordTable(
        kinds=tuple(sorted({one.record.kind for one in found.records if one.record.kind})),
        columns=names,
        rows=tuple((one, tuple(as_text(values.get(name)) for name in names)) for one, values in rows),
    )


def flat(data: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Fields of nested objects get dotted names."""
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(as_text(one) for one in value[:5]) + (" …" if len(value) > 5 else "")
    return str(value)


def histories(records: Sequence[Record]) -> list[Plot]:
    """A curve for every numeric field that was read more than once."""
    series: dict[str, list[tuple[float, float]]] = {}
    for record in sorted(records, key=lambda one: one.at):
        for name, value in flat(record.data):
            if record.place == 0 and (number := as_number(value)) is not None:
                series.setdefault(name, []).append((record.at, number))
    return [_plot(name, points) for name, points in series.items() if len(points) > 1]


def as_number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(str(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _plot(name: str, points: list[tuple[float, float]]) -> Plot:
    """A step for each change: a price stays until it is seen to differ."""
    steps: list[Point] = []
    for at, number in points:
        if steps:
            steps.append(Point(at, steps[-1].y))
        steps.append(Point(at, number))
    labels = moments(points[0][0], points[-1][0], 4)[1:-1]
    return Plot(name, line(f"{name} over time", steps, labels=labels), points[0][1], points[-1][1])
