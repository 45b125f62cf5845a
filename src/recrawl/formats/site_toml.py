"""The site file: what a user wants of one site, as TOML. Every key: docs/reference/site-file.md.

    seeds = ["https://shop.example/"]

    [[patterns]]
    kind = "detail"
    match = "/item/{id:int}/{slug}"

`parse` and `render` are inverse. A file that `scope convert` made of a script with several sites has `[[sites]]`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from recrawl.formats.site_keys import EXAMPLE, FIELD, PATTERN, REWRITE, SITE, Key, Table
from recrawl.formats.site_lines import Lines
from recrawl.formats.site_write import Notes, table_lines
from recrawl.formats.templates import check
from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.site import Example, Field, FieldType, Pattern, Rewrite, Site

_DEEP = re.compile(r"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){100}")
_PLACE = late(r"\s*\(at line (\d+), column (\d+)\)$")
_TABLES: dict[str, tuple[Table, Any]] = {
    "patterns": (PATTERN, Pattern),
    "rewrites": (REWRITE, Rewrite),
    "fields": (FIELD, Field),
    "examples": (EXAMPLE, Example),
}


def parse(text: str, name: str = "", source: str = "") -> Site:
    """One site; `name` is used where the file gives none."""
    tables = _load(text, source)
    if "sites" in tables:
        count = len(tables["sites"]) if isinstance(tables["sites"], list) else 1
        raise FormatError(
            f"this file holds {count} sites: split it with `recrawl scope convert FILE --output FOLDER`",
            line=Lines(text).table("sites", 0),
            source=source,
        )
    return _site(tables, name, Lines(text), "", source)


def parse_many(text: str, name: str = "", source: str = "") -> tuple[Site, ...]:
    """Every site of a file, be it the usual file of one or one with `[[sites]]`."""
    tables = _load(text, source)
    if "sites" not in tables:
        return (_site(tables, name, Lines(text), "", source),)
    sites = tables["sites"]
    if len(tables) > 1 or not isinstance(sites, list) or not all(isinstance(one, dict) for one in sites):
        raise FormatError("a file with [[sites]] holds nothing else", line=Lines(text).table("sites", 0), source=source)
    lines = Lines(text)
    return tuple(_site(one, "", lines.inside("sites", place), "sites.", source) for place, one in enumerate(sites))


def render(site: Site, notes: Notes | None = None) -> str:
    """`notes`: comment lines to stand before a table, by its name and place; under "" those at the top."""
    return "\n".join(table_lines(site, "", notes or {})) + "\n"


def render_many(sites: Sequence[Site]) -> str:
    """One site as its own file, several as `[[sites]]`."""
    if len(sites) == 1:
        return render(sites[0])
    return "\n".join(line for site in sites for line in ("[[sites]]", *table_lines(site, "sites.", {}), "")) + "\n"


def _load(text: str, source: str) -> dict[str, Any]:
    if deep := _DEEP.search(text):  # each part of a key costs as much as all before it
        raise FormatError("a key of so many parts", line=text.count("\n", 0, deep.end()) + 1, source=source)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of TOML, a number of thousands of digits, brackets without end
        message, place = str(error), _PLACE.search(str(error))
        if place is None:
            raise FormatError(message, line=text.count("\n") + 1, source=source) from error
        raise FormatError(message[: place.start()], line=int(place[1]), column=int(place[2]), source=source) from error


def _site(tables: Mapping[str, Any], name: str, lines: Lines, prefix: str, source: str) -> Site:
    values = _values(tables, SITE, lambda key: lines.key("", 0, key), "", source)
    for key, (table, kind) in _TABLES.items():
        if key in values:
            values[key] = tuple(
                _entry(one, table, kind, lines, prefix + key, place, source)
                for place, one in enumerate(_rows(values[key], key, lines, prefix, source))
            )
    site = Site(**{"name": name, "seeds": (), **values})
    if not site.seeds and not site.patterns:
        raise FormatError('a site file needs seeds, for example seeds = ["https://example.com/"]', source=source)
    _check_whole(site, lines, prefix, source)
    return site


def _rows(value: object, key: str, lines: Lines, prefix: str, source: str) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise FormatError(f"{key} are tables: write [[{prefix}{key}]]", line=lines.key("", 0, key), source=source)
    return value


def _entry(
    row: Mapping[str, Any], table: Table, kind: Any, lines: Lines, name: str, place: int, source: str
) -> Pattern | Rewrite | Field | Example:
    values = _values(row, table, lambda key: lines.key(name, place, key), f"[[{name}]]", source)
    if "fields" in values:
        values["fields"] = tuple(
            _entry(one, table, kind, lines, f"{name}.fields", number, source)
            for number, one in enumerate(_rows(values["fields"], "fields", lines, f"{name}.", source))
        )
    for key, entry in table.items():
        if entry.needed and not values.get(key):
            line = lines.table(name, place)
            raise FormatError(f"[[{name}]] needs {key}, for example {key} = {entry.example}", line=line, source=source)
    entry = kind(**{("item_class" if key == "class" else key): value for key, value in values.items()})
    complaint = _complaint(entry)
    if complaint:
        key, message = complaint
        raise FormatError(message, line=lines.key(name, place, key) or lines.table(name, place), source=source)
    return entry  # type: ignore[no-any-return]


def _values(row: Mapping[str, Any], table: Table, line_of: Any, where: str, source: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in row.items():
        if key not in table:
            raise table.unknown(key, where, line_of(key), source)
        try:
            values[key] = _fit(table[key], value)
        except (TypeError, ValueError) as error:
            place = f"{key} of {where}" if where else key
            raise FormatError(f"{place} {error}", line=line_of(key), source=source) from error
    return values


def _fit(key: Key, value: object) -> object:
    fitted = key.fit(value)
    if key.choices and fitted not in key.choices:
        raise ValueError(f"is {key.near(str(fitted))}")
    return fitted


def _complaint(entry: Pattern | Rewrite | Field | Example) -> tuple[str, str] | None:
    """The key at fault and one sentence, if an entry cannot be meant so."""
    if isinstance(entry, Pattern | Rewrite):
        try:
            check(entry.match, entry.target)
        except FormatError as error:
            return ("target" if error.column and "target" in error.message else "match"), error.message
    if isinstance(entry, Field):
        if entry.css and entry.xpath:
            return "xpath", f"field {entry.name!r} has css and xpath: one of them finds the element"
        if entry.fields and entry.type is not FieldType.LIST:
            return "fields", f'field {entry.name!r} has fields of its own, so its type is "list"'
    return None


def _check_whole(site: Site, lines: Lines, prefix: str, source: str) -> None:
    """What can only be seen with everything in sight: names that are used and names that are given."""
    names = [pattern.name for pattern in site.patterns]
    for place, name in enumerate(names):
        if name and names.index(name) < place:
            line = lines.key(f"{prefix}patterns", place, "name")
            raise FormatError(f"two patterns are called {name!r}: give each its own name", line=line, source=source)
    users = [("fields", place, one.pattern) for place, one in enumerate(site.fields)]
    users += [("examples", place, one.pattern) for place, one in enumerate(site.examples)]
    for table, place, name in users:
        if name and name not in names:
            known = ", ".join(filter(None, names)) or "none has a name"
            line = lines.key(f"{prefix}{table}", place, "pattern")
            raise FormatError(f"there is no pattern called {name!r} (patterns: {known})", line=line, source=source)
