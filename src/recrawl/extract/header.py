"""Links of the HTTP `Link` header (RFC 8288)."""

import re
from collections.abc import Iterable, Iterator

from recrawl.model.late import late
from recrawl.model.values import dataclass

_BETWEEN = late(r"[\s,]*")
_TARGET = late(r"<([^>]*)>")
_PARAMETER = late(r"\s*;\s*(?:([^\s;,=\"<>]+)\s*(?:=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;,\"]*)))?)?", re.DOTALL)
_NEXT = late(r"[^,\"]*(?:\"(?:[^\"\\]|\\.)*\"?[^,\"]*)*,?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class HeaderLink:
    """One value as written: not resolved."""

    target: str
    relations: tuple[str, ...]  # lower-cased
    anchor: str | None = None
    language: str = ""
    media_type: str = ""
    title: str = ""


def header_links(values: Iterable[str]) -> Iterator[HeaderLink]:
    """All links of all `Link` values; what is no link is passed over."""
    for value in values:
        position = _end(_BETWEEN, value, 0)
        while position < len(value):
            target = _TARGET.match(value, position)
            if target is None:
                position = _end(_BETWEEN, value, _end(_NEXT, value, position))
                continue
            parameters, position = _parameters(value, target.end())
            yield _link(target[1].strip(), parameters)
            position = _end(_BETWEEN, value, position)


def _end(pattern: re.Pattern[str], value: str, position: int) -> int:
    found = pattern.match(value, position)
    return found.end() if found else position


def _parameters(value: str, position: int) -> tuple[dict[str, str], int]:
    """Of parameters of one name the first counts."""
    found: dict[str, str] = {}
    while (parameter := _PARAMETER.match(value, position)) is not None:
        position = parameter.end()
        if parameter[1]:
            quoted = parameter[2]
            text = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else parameter[3] or ""
            found.setdefault(parameter[1].lower(), text)
    return found, position


def _link(target: str, parameters: dict[str, str]) -> HeaderLink:
    return HeaderLink(
        target,
        tuple(parameters.get("rel", "").lower().split()),
        parameters.get("anchor"),
        parameters.get("hreflang", ""),
        parameters.get("type", "").lower(),
        parameters.get("title", ""),
    )
