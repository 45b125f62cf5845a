"""The site file: what a user wants of one site, as TOML."""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches

from recrawl.formats.toml_places import line_of
from recrawl.model.failure import FormatError
from recrawl.model.site import Site

_WORDS: dict[str, type | tuple[type, ...]] = {
    "gap_s": (int, float),
    "importance": (int, float),
    "requests_per_day": (int, float),
    "depth": int,
    "parallel": int,
    "sort_query": bool,
    "paused": bool,
    "name": str,
}
_LISTS = ("seeds", "own", "hosts", "include", "exclude", "ignore", "drop_parameters")
KEYS = (*_WORDS, *_LISTS)


def parse(text: str, name: str = "", source: str = "") -> Site:
    """One site; `name` is used where the file gives none."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(str(error), source=source) from error
    for key, value in table.items():
        _check(key, value, text, source)
    if not table.get("seeds"):
        raise FormatError('a site file needs seeds, for example seeds = ["https://example.com/"]', source=source)
    lists = {key: tuple(table[key]) for key in _LISTS if key in table}
    words = {key: table[key] for key in _WORDS if key in table}
    return Site(**{"name": name, **words, **lists})


def render(site: Site) -> str:
    lines = [f"{one.name} = {_value(getattr(site, one.name))}" for one in fields(site) if _told(site, one.name)]
    return "\n".join(lines) + "\n"


def _told(site: Site, key: str) -> bool:
    """Defaults are left out: a short file reads better."""
    default = {one.name: one.default for one in fields(Site) if one.default is not MISSING}
    return key in KEYS and getattr(site, key) != default.get(key)


def _check(key: str, value: object, text: str, source: str) -> None:
    line = line_of(text, (key,))
    if key not in KEYS:
        near = get_close_matches(key, KEYS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(sorted(KEYS))}"
        raise FormatError(f"unknown key {key!r}{hint}", line=line, source=source)
    if key in _LISTS:
        if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise FormatError(f"{key} must be a list of strings", line=line, source=source)
    elif not isinstance(value, _WORDS[key]) or (isinstance(value, bool) and _WORDS[key] is not bool):
        raise FormatError(f"{key} has the wrong type: {value!r}", line=line, source=source)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    return str(value)
