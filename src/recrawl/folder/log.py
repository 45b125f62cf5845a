"""Events as lines: JSON into the folder's log, each worker appending whole lines."""

import errno
import fcntl
import json
import os
from contextlib import suppress
from json.encoder import encode_basestring
from operator import attrgetter
from pathlib import Path

from recrawl.model.event import Event, EventKind
from recrawl.model.values import fields_of

_NAMES = tuple(one.name for one in fields_of(Event))
_VALUES = attrgetter(*_NAMES)
_ALWAYS = ("kind", "at")
FULL = (errno.ENOSPC, errno.EDQUOT)
_ENCODE = json.JSONEncoder(ensure_ascii=False, default=str).encode
ADDED, NEVER = EventKind.ADDED, float("inf")


def as_dict(event: Event) -> dict[str, object]:
    """What is known and nothing else; kind and moment first."""
    values = zip(_NAMES, _VALUES(event), strict=True)
    return {name: value for name, value in values if value or name in _ALWAYS}


def as_line(event: Event) -> str:
    """Of a new page, which most are in a first crawl, field by field: the encoder is slow to set out."""
    if not is_of_new_page(event):
        return _ENCODE(as_dict(event))
    url, site, digest = encode_basestring(event.url), encode_basestring(event.site), encode_basestring(event.digest)
    seen = f'"kind": "added", "at": {event.at!r}, "url": {url}, "site": {site}, "page": {event.page}'
    return f'{{{seen}, "digest": {digest}, "cursor": {event.cursor}}}'


def is_of_new_page(event: Event) -> bool:
    """That it was added, and where and as what it is kept; all of that, and nothing else."""
    if event.kind is not ADDED or event.facts or event.previous_digest or event.share_changed:
        return False
    return bool(event.page and event.url and event.site and event.digest and event.cursor) and 0.0 < event.at < NEVER


class LogFile:
    """Appends whole lines with one write, one worker after the other: whoever looks while another writes would take its
    lines for torn. Starts anew when it has grown beyond `most_bytes`, keeping one older file. On a full disk it is
    silent: whoever must write says so."""

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
            with suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
            size = os.fstat(handle).st_size
            if size > self._most_bytes:
                self._file.replace(self._file.with_suffix(".log.1"))
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"  # by a disk that was full, or a power cut
            os.write(handle, b"\n" * torn + line.encode("utf-8", "replace") + b"\n")
        finally:
            os.close(handle)
