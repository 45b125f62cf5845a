"""Which servers were asked to tell us of changes (S4), with what they answered. One private file in the folder."""

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass

MOST_SEEN = 20_000


class Standing(StrEnum):
    UNCONFIRMED = "unconfirmed"
    ON = "on"
    SUSPENDED = "suspended"


@dataclass(frozen=True, slots=True)
class Registration:
    """`origin`: scheme, host and port of the server that will speak. `secret` '': it does not sign (plain S4)."""

    origin: str
    agent: str
    email: str
    latency_days: float
    standing: Standing = Standing.UNCONFIRMED
    token: str = ""
    secret: str = ""
    callback: str = ""

    @property
    def server(self) -> str:
        return self.origin.partition("://")[2]


@dataclass(frozen=True, slots=True)
class Book:
    """Everything the robot remembers. `seen`: nonces and mails already taken, oldest first. `counts`: what came."""

    registrations: tuple[Registration, ...] = ()
    seen: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    def of(self, origin: str) -> Registration | None:
        return next((one for one in self.registrations if one.origin == origin), None)

    def put(self, registration: Registration) -> "Book":
        others = tuple(one for one in self.registrations if one.origin != registration.origin)
        return replace(self, registrations=(*others, registration))

    def without(self, origin: str) -> "Book":
        return replace(self, registrations=tuple(one for one in self.registrations if one.origin != origin))

    def counted(self, more: Mapping[str, int]) -> "Book":
        return replace(self, counts=dict(Counter(self.counts) + Counter(more)))

    def having_seen(self, *marks: str) -> "Book":
        return replace(self, seen=tuple(dict.fromkeys((*self.seen, *marks)))[-MOST_SEEN:])


def read(file: Path) -> Book:
    if not file.exists():
        return Book()
    try:
        value: dict[str, Any] = json.loads(file.read_text("utf-8"))
        rows = tuple(_registration(row) for row in value["registrations"])
        return Book(rows, tuple(value["seen"]), {str(name): int(count) for name, count in value["counts"].items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"not the robot's registrations: {error}", source=str(file)) from error


def write(file: Path, book: Book) -> None:
    """Whole or not at all, for the owner's eyes only."""
    fresh = file.with_name(file.name + ".new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        json.dump(asdict(book), out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)


def _registration(row: dict[str, Any]) -> Registration:
    names = {one.name for one in fields(Registration)}
    values = {name: value for name, value in row.items() if name in names}
    return Registration(**{**values, "standing": Standing(values["standing"])})
