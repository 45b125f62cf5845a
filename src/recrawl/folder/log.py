"""Events as lines: JSON into the folder's log, each worker appending whole lines."""

import json
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from recrawl.model.event import Event


def as_dict(event: Event) -> dict[str, object]:
    """What is known and nothing else; kind and moment first."""
    values = {one.name: getattr(event, one.name) for one in fields(event)}
    return {key: value for key, value in values.items() if value not in ("", None, {}, 0) or key in ("kind", "at")}


def as_line(event: Event) -> str:
    return json.dumps(as_dict(event), ensure_ascii=False, default=str)


class LogFile:
    """Appends with one write a line, so that lines of several workers do not mix. Starts anew when it has grown
    beyond `most_bytes`, keeping one older file."""

    def __init__(self, file: Path, most_bytes: int = 50_000_000) -> None:
        self._file, self._most_bytes = file, most_bytes

    def tell(self, event: Event) -> None:
        self._write(as_line(event))

    def complain(self, text: str) -> None:
        self._write(json.dumps({"kind": "complaint", "text": text}, ensure_ascii=False))

    def _write(self, line: str) -> None:
        handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            if os.fstat(handle).st_size > self._most_bytes:
                self._file.replace(self._file.with_suffix(".log.1"))
            os.write(handle, line.encode("utf-8", "replace") + b"\n")
        finally:
            os.close(handle)


def several(*tellers: Callable[[Event], None]) -> Callable[[Event], None]:
    def tell(event: Event) -> None:
        for teller in tellers:
            teller(event)

    return tell
