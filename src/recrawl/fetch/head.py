"""The response head, read from the lines as they came."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from recrawl.native import compiled

Fields = tuple[tuple[str, str], ...]
ENDS = (b"\r\n", b"\n")
FOLDS = (b" ", b"\t")
LATER = (b"2", b"3", b"4", b"5")


class Head(NamedTuple):
    """`status` 0: it is not complete. `raw`: its bytes as they came."""

    status: int
    fields: Fields
    raw: bytes


def head_of(lines: list[bytes]) -> Head:
    """Of the final response."""
    plain = compiled.head(lines) if compiled is not None else None
    return Head(*plain) if plain is not None else odd_head_of(lines)


def odd_head_of(lines: list[bytes]) -> Head:
    """`head_of` any lines, whatever is in them."""
    head = final_head(lines)
    return Head(status_of(head), parse_headers(head), b"".join(head))


def final_head(lines: Sequence[bytes]) -> Sequence[bytes]:
    """The lines of the final response's head, its empty line included: without interim responses before it
    and trailers behind it. Empty if the head is not complete."""
    if lines and lines[-1] in ENDS and lines.index(lines[-1]) == len(lines) - 1 and not _is_interim(lines[0]):
        return lines  # as nearly always
    start = 0
    for at, line in enumerate(lines):
        if line in ENDS:
            if not _is_interim(lines[start]):
                return lines[start : at + 1]
            start = at + 1
    return []


def parse_headers(head: Sequence[bytes]) -> Fields:
    """Names lower-cased, values latin-1 and trimmed, in order; folded lines joined by one space."""
    fields = tuple(map(parse_field, head[1:-1]))
    if None in fields:
        return tuple(field for field in map(parse_field, _unfolded(head)[1:-1]) if field is not None)
    return cast(Fields, fields)


@lru_cache(maxsize=1024)
def parse_field(line: bytes) -> tuple[str, str] | None:
    """Remembered, since servers say the same things all day; None for a line that is no field of its own."""
    name, colon, value = line.decode("latin-1").partition(":")
    if not colon or line[:1] in FOLDS:
        return None
    return name.strip(" \t").lower(), value.strip(" \t\r\n")


def status_of(head: Sequence[bytes]) -> int:
    """The status code, 0 if there is none."""
    parts = head[0].split(None, 2) if head else []
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0


def _is_interim(status_line: bytes) -> bool:
    if status_line[:7] == b"HTTP/1." and status_line[8:9] == b" " and status_line[9:10] in LATER:
        return False  # as nearly always
    parts = status_line.split(None, 2)
    return len(parts) > 1 and len(parts[1]) == 3 and parts[1].startswith(b"1") and parts[1] != b"101"


def _unfolded(head: Sequence[bytes]) -> list[bytes]:
    lines: list[bytes] = []
    for line in head:
        if line[:1] in FOLDS and len(lines) > 1:
            lines[-1] = lines[-1].rstrip(b"\r\n \t") + b" " + line.lstrip(b" \t")
        else:
            lines.append(line)
    return lines
