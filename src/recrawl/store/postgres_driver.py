"""The driver of PostgreSQL, psycopg: how it connects, and how texts travel.

It is an extra, so this module is imported only when a PostgreSQL store is opened.

PostgreSQL takes neither the character NUL nor half a surrogate pair, and pages hold both. They travel behind a mark (a
code point that is never a character) as four hexadecimal digits, and so does the mark itself: what is read is what
was written.
"""

import re
import struct
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg.abc import Buffer, DumperKey, PyFormat
from psycopg.adapt import Dumper
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format
from psycopg.types.string import StrBinaryDumper, StrDumper, TextBinaryLoader, TextLoader

from recrawl.model.failure import ConfigError
from recrawl.store.texts import Column

MARK = "\ufdd0"
_UNFIT = re.compile(f"[\x00\ud800-\udfff{MARK}]")
_MARKED = re.compile(f"{MARK}([0-9a-f]{{4}})")

DEFAULTS: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # ms: a server that vanished without a word is noticed
    "application_name": "recrawl",
    "client_encoding": "utf8",
}


def fit(text: str) -> str:
    """A text that PostgreSQL takes."""
    return _UNFIT.sub(lambda found: f"{MARK}{ord(found[0]):04x}", text) if _UNFIT.search(text) else text


def unfit(text: str) -> str:
    return _MARKED.sub(lambda found: chr(int(found[1], 16)), text) if MARK in text else text


class FitDumper(StrDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(fit(obj))


class FitBinaryDumper(StrBinaryDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(fit(obj))


class FitLoader(TextLoader):
    def load(self, data: Buffer) -> bytes | str:
        return unfit(str(super().load(data)))


class FitBinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> bytes | str:
        return unfit(str(super().load(data)))


def _plain(packer: struct.Struct, size: int) -> Callable[[Any], bytes]:
    return lambda value: packer.pack(size, value)


def _sized(data: bytes) -> bytes:
    return _LENGTH.pack(len(data)) + data


_LENGTH, _HEAD = struct.Struct(">i"), struct.Struct(">iiIii")
_NULL = _LENGTH.pack(-1)
# How a value of a type travels in an array: the type's number at PostgreSQL, its array's number, the packing.
_ARRAYS: dict[type, tuple[int, int, Callable[[Any], bytes]]] = {
    int: (20, 1016, _plain(struct.Struct(">iq"), 8)),
    float: (701, 1022, _plain(struct.Struct(">id"), 8)),
    bool: (16, 1000, _plain(struct.Struct(">i?"), 1)),
    str: (25, 1009, lambda text: _sized(fit(text).encode())),
    bytes: (17, 1001, _sized),
}


class ColumnDumper(Dumper):
    """A column as a binary array: several times as fast as the driver's own lists, which may hold anything."""

    format = Format.BINARY

    def get_key(self, obj: Column, format: PyFormat) -> DumperKey:
        return (self.cls, obj.kind)

    def upgrade(self, obj: Column, format: PyFormat) -> "ColumnDumper":
        dumper = type(self)(self.cls)
        dumper.oid = _ARRAYS[obj.kind][1]
        return dumper

    def dump(self, obj: Column) -> bytes:
        number, _, pack = _ARRAYS[obj.kind]
        head = _HEAD.pack(1, 1, number, len(obj.values), 1)
        return head + b"".join([_NULL if value is None else pack(value) for value in obj.values])


def connector(dsn: str, readonly: bool) -> Callable[[], psycopg.Connection[Any]]:
    """Makes connections. Nothing is prepared and nothing is set for a session, so that a pooler between us and the
    server (PgBouncer) may give each transaction another one."""
    known = DEFAULTS | parts_of(dsn)

    def connect() -> psycopg.Connection[Any]:
        connection = psycopg.connect(**known, prepare_threshold=None)
        for dumper in (FitDumper, FitBinaryDumper):
            connection.adapters.register_dumper(str, dumper)
        connection.adapters.register_dumper(Column, ColumnDumper)
        connection.adapters.register_loader("text", FitLoader)
        connection.adapters.register_loader("text", FitBinaryLoader)
        connection.read_only = readonly
        return connection

    return connect


def parts_of(dsn: str) -> dict[str, Any]:
    try:
        found = dict(conninfo_to_dict(dsn))
    except psycopg.ProgrammingError as error:
        raise _unreadable(str(error).strip().partition("\n")[0]) from error
    ports = str(found.get("port") or "").split(",")  # one a host; libpq complains only as it connects, as of a server
    if wrong := next((port for port in ports if port and not _is_port(port)), ""):
        raise _unreadable(f"{wrong!r} is no port")
    return found


def _is_port(text: str) -> bool:
    return text.isdecimal() and 1 <= int(text) <= 65535


def _unreadable(reason: str) -> ConfigError:
    return ConfigError(
        f"the address of the PostgreSQL store cannot be read ({reason}): "
        "write postgresql://user:password@host:5432/database"
    )
