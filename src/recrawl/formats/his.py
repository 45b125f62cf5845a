"""S4's history of a day, `YYYYMMDD.his`: one line an event, `status:path:size:last-modified`.

    A:/web/html/index.html:156:20030720101500

The path is what stands after the host in an address and may itself hold colons: the line is cut at its first and
its last two. The moment is UTC; the day alone (as in the notice mail) is read as its midnight.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache

from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.notice import NoticeKind
from recrawl.model.values import dataclass

LONGEST_LINE = 8192
KINDS = frozenset(kind.value for kind in NoticeKind)
_SIZE = late(r"0|[1-9][0-9]{0,17}")
_CONTROL = late(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_MOMENTS = {8: "%Y%m%d", 14: "%Y%m%d%H%M%S"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One document's event. `modified_at` is whole epoch seconds; of a deletion, when it was noticed."""

    kind: NoticeKind
    path: str
    size_bytes: int
    modified_at: int


def parse(text: str, source: str = "") -> list[Entry]:
    """A whole day; every line must be sound."""
    return list(_entries(text, source))


def render(entries: Iterable[Entry]) -> str:
    return "".join(render_line(entry) + "\n" for entry in entries)


def _entries(text: str, source: str) -> Iterator[Entry]:
    for number, line in enumerate(text.split("\n"), 1):
        if line:
            yield parse_line(line, number, source)


def parse_line(line: str, number: int | None = None, source: str = "") -> Entry:
    """One line; a FormatError names the column at which it stops making sense."""
    if len(line) > LONGEST_LINE:
        raise FormatError(f"a line of {len(line)} characters; {LONGEST_LINE} are the limit", number, None, source)
    kind, colon, rest = line.partition(":")
    parts = rest.rsplit(":", 2)
    if not colon or len(parts) != 3:
        raise FormatError("an event is written status:path:size:date", number, 1, source)
    path, size, moment = parts
    if kind not in KINDS:
        raise FormatError(f"unknown status {kind[:20]!r}; it is A, U or D", number, 1, source)
    fault = path_fault(path)
    if fault:
        raise FormatError(fault, number, 3, source)
    at = len(kind) + len(path) + 3
    if not _SIZE.fullmatch(size):
        raise FormatError(f"{size[:20]!r} is not a size in bytes", number, at, source)
    return Entry(NoticeKind(kind), path, int(size), read_moment(moment, number, at + len(size) + 1, source))


def render_line(entry: Entry) -> str:
    fault = path_fault(entry.path)
    if fault:
        raise FormatError(fault)
    return f"{entry.kind.value}:{entry.path}:{entry.size_bytes}:{moment_text(entry.modified_at)}"


def path_fault(path: str) -> str:
    """One sentence on why this is no path of a document; '' if it is one."""
    if not path.startswith("/"):
        return f"{path[:40]!r} is not a path: it must begin with /"
    return "the path holds control characters" if _CONTROL.search(path) else ""


def moment_text(at: int) -> str:
    return _utc(at).strftime("%Y%m%d%H%M%S").rjust(14, "0")


def day_text(at: float) -> str:
    return _utc(at).strftime("%Y%m%d").rjust(8, "0")


def read_moment(text: str, line: int | None = None, column: int | None = None, source: str = "") -> int:
    at = _moment_at(text)
    if at is None:
        raise FormatError(f"{text[:20]!r} is no date; write yyyymmdd", line, column, source)
    return at


@lru_cache(maxsize=4096)
def _moment_at(text: str) -> int | None:
    """Remembered: the lines of a day share it."""
    form = _MOMENTS.get(len(text)) if text.isascii() and text.isdecimal() else None
    try:
        return None if form is None else int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None


def _utc(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
