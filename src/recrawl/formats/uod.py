"""S4's `robots.uod`: one record a robot, `e-mail:latency:registered:notified:status`.

    robot@search.example:7:20030720:20030727:ON

Latency is in days. Dates are yyyymmdd, `-` where nothing has been sent yet. ON: notices are sent; OFF: suspended,
or not confirmed yet.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

from recrawl.formats.his import day_text, read_moment
from recrawl.formats.registration import email_fault, latency_text, read_latency
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass

_NEVER = "-"
_DAY = re.compile(r"[0-9]{8}")


class Switch(StrEnum):
    ON = "ON"
    OFF = "OFF"


@dataclass(frozen=True, slots=True)
class Record:
    """Days are midnight UTC, epoch seconds; `notified_at` None: never."""

    email: str
    latency_days: float
    registered_at: int
    notified_at: int | None
    status: Switch


def parse(text: str, source: str = "") -> list[Record]:
    return [_record(line, number, source) for number, line in enumerate(text.split("\n"), 1) if line]


def render(records: Iterable[Record]) -> str:
    return "".join(_line(record) + "\n" for record in records)


def _record(line: str, number: int, source: str) -> Record:
    parts = line.split(":")
    if len(parts) != 5:
        raise FormatError("a record is written e-mail:latency:registered:notified:status", number, 1, source)
    email, latency, registered, notified, status = parts
    columns = [1 + sum(len(part) + 1 for part in parts[:place]) for place in range(5)]
    if fault := email_fault(email):
        raise FormatError(fault, number, columns[0], source)
    latency_days = read_latency(latency)
    if latency_days is None:
        raise FormatError(f"{latency!r} is not a number of days", number, columns[1], source)
    if status not in (Switch.ON, Switch.OFF):
        raise FormatError(f"unknown status {status!r}; it is ON or OFF", number, columns[4], source)
    return Record(
        email,
        latency_days,
        _day(registered, number, columns[2], source),
        None if notified == _NEVER else _day(notified, number, columns[3], source),
        Switch(status),
    )


def _day(text: str, line: int, column: int, source: str) -> int:
    if not _DAY.fullmatch(text):
        raise FormatError(f"{text!r} is no date; write yyyymmdd", line, column, source)
    return read_moment(text, line, column, source)


def _line(record: Record) -> str:
    notified = _NEVER if record.notified_at is None else day_text(record.notified_at)
    words = (record.email, latency_text(record.latency_days), day_text(record.registered_at), notified, record.status)
    return ":".join(words)
