"""A site as the lines of its file. Defaults are left out: a short file reads better."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from recrawl.formats.site_keys import SITE, TABLES
from recrawl.formats.toml_text import quoted
from recrawl.model.site import Example, Field, Pattern, Rewrite, Site

Notes = Mapping[tuple[str, int], Sequence[str]]


def table_lines(site: Site, prefix: str, notes: Notes) -> list[str]:
    lines = _comments(notes, "", 0)
    lines += [f"{key} = {_value(getattr(site, key))}" for key in SITE if key not in TABLES and _told(site, key)]
    for table in TABLES:
        for place, entry in enumerate(getattr(site, table)):
            lines += ["", *_comments(notes, table, place), f"[[{prefix}{table}]]", *_entry_lines(entry, table)]
    return lines


def _comments(notes: Notes, table: str, place: int) -> list[str]:
    return [f"# {line}".rstrip() for line in notes.get((table, place), ())]


def _entry_lines(entry: Pattern | Rewrite | Field | Example, table: str) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in _pairs(entry, table)]


def _pairs(entry: Any, table: str) -> list[tuple[str, object]]:
    attributes = {key: "item_class" if key == "class" else key for key in TABLES[table]}
    return [(key, getattr(entry, one)) for key, one in attributes.items() if _told(entry, one)]


def _told(entry: Any, key: str) -> bool:
    default = next((one.default for one in fields(entry) if one.name == key), MISSING)
    value = getattr(entry, key)
    if default is MISSING:
        return value != () or key != "seeds"
    return bool(value != default)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(str(value))
    if isinstance(value, tuple) and value and isinstance(value[0], Field):
        rows = [
            "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in _pairs(row, "fields")) + " }" for row in value
        ]
        return "[\n  " + ",\n  ".join(row.replace("\n", "\n  ") for row in rows) + ",\n]"
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    return repr(value)
