"""What recrawl believes of one page, as one field of JSON in a metadata record of an exported WARC, and back.

Whoever reads it trusts nobody: wrong types, numbers that are none and beliefs of another size are refused.
"""

import binascii
import json
import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import StrEnum
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from recrawl.model.address import fingerprint
from recrawl.model.belief import STATE_BYTES
from recrawl.model.failure import FormatError
from recrawl.model.page import Page
from recrawl.model.values import dataclass
from recrawl.model.visit import Version, Visit

FIELD = b"recrawl-page: "
LARGEST = 1 << 64
Value = TypeVar("Value", Page, Version, Visit)


@dataclass(frozen=True, slots=True)
class PageState:
    """`versions` and `visits` oldest first. The versions' places in an archive are not part of it: they differ."""

    page: Page
    versions: tuple[Version, ...] = ()
    visits: tuple[Visit, ...] = ()


NOWHERE: dict[str, object] = {"warc_file": "", "warc_offset": 0, "warc_length": 0}


def render(state: PageState) -> bytes:
    told = {
        "page": _told(state.page, ()),
        "versions": [_told(version, ("page", *NOWHERE)) for version in state.versions],
        "visits": [_told(visit, ("page",)) for visit in state.visits],
    }
    return FIELD + json.dumps(told, separators=(",", ":")).encode("ascii") + b"\r\n"


def parse(data: bytes, source: str = "") -> PageState:
    try:
        told = json.loads(data.removeprefix(FIELD))
        page = _read(Page, told["page"], {})
        owner = {"page": page.id}
        state = PageState(
            page,
            tuple(_read(Version, one, {**owner, **NOWHERE}) for one in told["versions"]),
            tuple(_read(Visit, one, owner) for one in told["visits"]),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as wrong:
        raise FormatError(f"no state of a page: {wrong}", source=source) from None
    if page.id != fingerprint(page.url) or len(page.belief) not in (0, STATE_BYTES):
        raise FormatError(f"the state of {page.url[:200]} does not fit together", source=source)
    return state


def _told(value: Page | Version | Visit, left_out: tuple[str, ...]) -> dict[str, object]:
    """What differs from the default."""
    told = {}
    for one in fields(value):
        content = getattr(value, one.name)
        if one.name not in left_out and content != one.default:
            told[one.name] = b64encode(content).decode("ascii") if isinstance(content, bytes) else content
    return told


def _read(kind: type[Value], told: Any, known: Mapping[str, Any]) -> Value:
    if not isinstance(told, dict):
        raise TypeError(f"{kind.__name__} is an object")
    hints = get_type_hints(kind)
    values: dict[str, Any] = {name: _value(name, hints[name], told[name]) for name in told if name in hints}
    return kind(**values, **{name: value for name, value in known.items() if name not in values})


def _value(name: str, hint: Any, content: object) -> object:
    if get_origin(hint) in (Union, UnionType):
        if content is None:
            return None
        hint = next(one for one in get_args(hint) if one is not type(None))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(_text(name, content))
    if hint not in _READERS:
        raise TypeError(f"{name} is not read")
    return _READERS[hint](name, content)


def _number(name: str, content: object) -> float:
    if isinstance(content, bool) or not isinstance(content, int | float) or not math.isfinite(content):
        raise TypeError(f"{name} is a number")
    return float(content)


def _integer(name: str, content: object) -> int:
    if isinstance(content, bool) or not isinstance(content, int) or abs(content) >= LARGEST:
        raise TypeError(f"{name} is a whole number")
    return content


def _text(name: str, content: object) -> str:
    if not isinstance(content, str):
        raise TypeError(f"{name} is a text")
    return content


def _boolean(name: str, content: object) -> bool:
    if not isinstance(content, bool):
        raise TypeError(f"{name} is true or false")
    return content


def _bytes(name: str, content: object) -> bytes:
    try:
        return b64decode(_text(name, content), validate=True)
    except binascii.Error as wrong:
        raise ValueError(f"{name}: {wrong}") from None


_READERS: dict[Any, Callable[[str, object], object]] = {
    float: _number,
    int: _integer,
    str: _text,
    bool: _boolean,
    bytes: _bytes,
}
