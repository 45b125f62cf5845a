"""The driver of PostgreSQL, psycopg: how it connects, and how texts travel.

It is an extra, so this module is imported only when a PostgreSQL store is opened.

PostgreSQL takes neither the character NUL nor half a surrogate pair, and pages hold both. They travel behind a mark (a
code point that is never a character) as four hexadecimal digits, and so does the mark itself: what is read is what
was written.
"""

import re
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.string import StrBinaryDumper, StrDumper, TextBinaryLoader, TextLoader

from recrawl.model.failure import ConfigError

MARK = "\ufdd0"
_MARK_BYTES = MARK.encode()
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


def connector(dsn: str, readonly: bool) -> Callable[[], psycopg.Connection[Any]]:
    """Makes connections. Nothing is prepared and nothing is set for a session, so that a pooler between us and the
    server (PgBouncer) may give each transaction another one."""
    known = DEFAULTS | parts_of(dsn)

    def connect() -> psycopg.Connection[Any]:
        connection = psycopg.connect(**known, prepare_threshold=None)
        for dumper in (FitDumper, FitBinaryDumper):
            connection.adapters.register_dumper(str, dumper)
        connection.adapters.register_loader("text", FitLoader)
        connection.adapters.register_loader("text", FitBinaryLoader)
        connection.read_only = readonly
        return connection

    return connect


def parts_of(dsn: str) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(dsn))
    except psycopg.ProgrammingError as error:
        reason = str(error).strip().partition("\n")[0]
        raise ConfigError(
            f"the address of the PostgreSQL store cannot be read ({reason}): "
            "write postgresql://user:password@host:5432/database"
        ) from error
