"""Real change histories, read from trace files and sampled for a race.

The sampling rule: of each site the last 51 weeks (or as many as it has) that end with its last event, beginning on a
Monday 00:00 UTC; of the pages that exist at some time within them at most 200, drawn with the race's seed. Several
sites run in one race on one budget; events keep their hour and weekday.
"""

import csv
import gzip
import io
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from recrawl.lab.race.history import APPEARED, CHANGED, DAY_S, GONE, History
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass

WEEK_S = 7 * DAY_S
FIRST_MONDAY_S = 4 * DAY_S  # 1970-01-05
WEEKS = 51
PAGES_PER_SITE = 200
KINDS = {"A": APPEARED, "U": CHANGED, "D": GONE}
THIRTEEN = (
    "endoflife", "kubernetes-website", "mamip", "nychealth", "ota-contrib", "peps", "powershell-docs", "react-ko",
    "rir-ip", "scoop-extras", "botocore", "mdn-content", "mdn-ja",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trace:
    """One site as it was recorded: event = (page, epoch seconds, kind, size); `here` at the start of the recording."""

    site: str
    ids: tuple[int, ...]
    paths: tuple[str, ...]
    here: tuple[bool, ...]
    sizes: tuple[float, ...]
    events: tuple[tuple[int, float, int, float], ...]


def read(path: Path) -> Trace:
    """`<site>.csv.gz` (or `.csv`) with `<site>.pages.csv.gz` beside it; events in the order of time."""
    name = path.name.removesuffix(".gz").removesuffix(".csv")
    pages = list(_rows(_beside(path, name), ("page_id", "path", "size0")))
    ids = [_number(one, 0) for one in pages]
    place = {number: at for at, number in enumerate(ids)}
    if len(place) < len(ids):
        raise FormatError("a page_id stands there twice", source=pages[0].source)
    events = []
    for one in _rows(path, ("page_id", "timestamp", "kind", "size")):
        page, kind = _number(one, 0), one.cells[2]
        if page not in place or kind not in KINDS:
            raise FormatError(f"unknown page {one.cells[0]} or kind {kind!r}", one.line, 1, one.source)
        events.append((place[int(page)], _number(one, 1), KINDS[kind], _number(one, 3, -1.0)))
    sizes = tuple(max(_number(one, 2, 0.0), 0.0) for one in pages)
    here = tuple(one.cells[2] != "" for one in pages)
    events.sort(key=lambda event: event[1])
    return Trace(name, tuple(map(int, ids)), tuple(one.cells[1] for one in pages), here, sizes, tuple(events))


@dataclass(frozen=True, slots=True)
class _Row:
    cells: list[str]
    line: int
    source: str


def _number(row: _Row, place: int, empty: float | None = None) -> float:
    if not row.cells[place] and empty is not None:
        return empty
    try:
        number = float(row.cells[place])
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FormatError(f"{row.cells[place]!r} is no number", row.line, place + 1, row.source)
    return number


def _beside(path: Path, name: str) -> Path:
    for suffix in (".pages.csv.gz", ".pages.csv"):
        if (candidate := path.with_name(name + suffix)).exists():
            return candidate
    raise FormatError(f"no {name}.pages.csv.gz beside it", source=path.name)


def _rows(path: Path, columns: Sequence[str]) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(_text(path), newline=""))
    if (header := next(reader, [])) != list(columns):
        raise FormatError(f"the columns are {header}, not {list(columns)}", 1, 1, path.name)
    for cells in reader:
        if len(cells) != len(columns):
            raise FormatError(f"{len(cells)} columns instead of {len(columns)}", reader.line_num, 1, path.name)
        yield _Row(cells, reader.line_num, path.name)


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FormatError(f"is not whole gzip: {error}", source=path.name) from error
    except UnicodeDecodeError as error:
        raise FormatError("is not UTF-8 text", source=path.name) from error


@dataclass(frozen=True, slots=True)
class _Cut:
    """A site's window: pages that exist within it, their events in seconds from its Monday."""

    trace: Trace
    pages: list[int]
    here: list[bool]
    sizes: list[float]  # when it was first seen
    events: dict[int, list[tuple[float, int]]]


def _cut(trace: Trace, weeks: int) -> _Cut:
    last = max((at for _, at, _, _ in trace.events), default=0.0)
    end = (last // DAY_S + 1) * DAY_S
    start = np.ceil((end - weeks * WEEK_S - FIRST_MONDAY_S) / WEEK_S) * WEEK_S + FIRST_MONDAY_S - WEEK_S
    here, sizes = list(trace.here), list(trace.sizes)
    inside: dict[int, list[tuple[float, int]]] = {}
    for page, at, kind, size in trace.events:
        if at <= start or (kind == APPEARED and page not in inside):
            sizes[page] = size if size > 0.0 else sizes[page]
        if at <= start:
            here[page] = kind != GONE
        elif at < start + weeks * WEEK_S:
            inside.setdefault(page, []).append((at - start, kind))
    known = [p for p in range(len(here)) if here[p] or any(kind == APPEARED for _, kind in inside.get(p, ()))]
    return _Cut(trace, known, here, sizes, inside)


def weeks_of(traces: Iterable[Trace]) -> int:
    """Whole weeks that every trace has, at most 51."""
    spans = [max(at for _, at, _, _ in t.events) - min(at for _, at, _, _ in t.events) for t in traces if t.events]
    return max(1, min([WEEKS, *(int(span // WEEK_S) for span in spans)]))


def pattern_of(path: str, shared: int) -> str:
    """The first folder below what all paths share, and the ending: pages of one pattern are expected to be alike."""
    parts = path.strip("/").split("/")[shared:]
    ending = parts[-1].rsplit(".", 1)[-1] if parts and "." in parts[-1] else ""
    return f"{parts[0] if len(parts) > 1 else ''}/*.{ending}"


def _shared(paths: Sequence[str]) -> int:
    folders = [path.strip("/").split("/")[:-1] for path in paths]
    shortest = min((len(f) for f in folders), default=0)
    return next((n for n in range(shortest) if len({f[n] for f in folders}) > 1), shortest)


def sampled(traces: Sequence[Trace], seed: int, pages_per_site: int = PAGES_PER_SITE, name: str = "") -> History:
    """One history of all traces together."""
    dice = np.random.default_rng(seed)
    weeks = weeks_of(traces)
    rows: list[tuple[int, str, bool, float, list[tuple[float, int]]]] = []
    for site, trace in enumerate(traces):
        cut = _cut(trace, weeks)
        chosen = cut.pages
        if len(chosen) > pages_per_site:
            chosen = sorted(int(page) for page in dice.choice(chosen, pages_per_site, replace=False))
        shared = _shared([trace.paths[page] for page in chosen])
        rows += [
            (site, f"{trace.site}|{pattern_of(trace.paths[p], shared)}", cut.here[p], cut.sizes[p],
             cut.events.get(p, [])) for p in chosen
        ]  # fmt: skip
    return _history(rows, [t.site for t in traces], weeks, name or "+".join(t.site for t in traces))


def _history(
    rows: Sequence[tuple[int, str, bool, float, list[tuple[float, int]]]], sites: Sequence[str], weeks: int, name: str
) -> History:
    groups = {group: number for number, group in enumerate(dict.fromkeys(row[1] for row in rows))}
    events = [(page, at, kind) for page, row in enumerate(rows) for at, kind in sorted(row[4])]
    site = np.array([row[0] for row in rows], dtype=np.int64)
    return History(
        name=name,
        days=weeks * 7,
        site_names=tuple(sites),
        group_names=tuple(groups),
        site=site,
        group=np.array([groups[row[1]] for row in rows], dtype=np.int64),
        server=site,
        here_at_start=np.array([row[2] for row in rows], dtype=np.bool_),
        importance=np.ones(len(rows)),
        size_bytes=np.array([row[3] for row in rows]),
        event_page=np.array([event[0] for event in events], dtype=np.int64),
        event_s=np.array([event[1] for event in events], dtype=np.float64),
        event_kind=np.array([event[2] for event in events], dtype=np.int64),
        allowed_per_hour=np.full(len(sites), np.inf),
    )
