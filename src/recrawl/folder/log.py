"""Events as lines: JSON into the folder's log, each worker appending whole lines."""

import errno
import json
import os
from operator import attrgetter
from pathlib import Path

from recrawl.model.event import Event
from recrawl.model.values import fields_of

_NAMES = tuple(one.name for one in fields_of(Event))
_VALUES = attrgetter(*_NAMES)
_ALWAYS = ("kind", "at")
FULL = (errno.ENOSPC, errno.EDQUOT)
_ENCODE = json.JSONEncoder(ensure_ascii=False, default=str).encode


def as_dict(event: Event) -> dict[str, object]:
    """What is known and nothing else; kind and moment first."""
    values = zip(_NAMES, _VALUES(event), strict=True)
    return {name: value for name, value in values if value or name in _ALWAYS}


def as_line(event: Event) -> str:
    return _ENCODE(as_dict(event))


class LogFile:
    """Appends whole lines with one write, so that those of several workers do not mix. Starts anew when it has grown
    beyond `most_bytes`, keeping one older file. On a full disk it is silent: whoever must write says so."""

    def __init__(self, file: Path, most_bytes: int = 50_000_000) -> None:
        self._file, self._most_bytes = file, most_bytes

    def tell(self, *events: Event) -> None:
        if events:
            self._write("\n".join(map(as_line, events)))

    def complain(self, text: str) -> None:
        self._write(json.dumps({"kind": "complaint", "text": text}, ensure_ascii=False))

    def _write(self, line: str) -> None:
        try:
            self._append(line)
        except OSError as error:
            if error.errno not in FULL:
                raise

    def _append(self, line: str) -> None:
        handle = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            size = os.fstat(handle).st_size
            if size > self._most_bytes:
                self._file.replace(self._file.with_suffix(".log.1"))
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"  # by a disk that was full, or a power cut
            os.write(handle, b"\n" * torn + line.encode("utf-8", "replace") + b"\n")
        finally:
            os.close(handle)
