"""The wrapper: fields written in a site file, compiled once, read from every page that has them (S0.6).

A field finds elements, takes their text or an attribute, cuts out what its expression matches (a linear engine: no text
can keep it busy) and reads that as its type. The first element with any text decides: if its text is not of the type,
the field was not found, rather than taken from somewhere else on the page.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import re2
import turbohtml

from recrawl.extract.records_tree import Found, Node, by_css, by_xpath, text_of
from recrawl.extract.values import Resolve, convert
from recrawl.extract.wrapper import Extraction, Wrapper
from recrawl.model.failure import ConfigError
from recrawl.model.site import Field, FieldType
from recrawl.model.values import dataclass

MOST_ITEMS = 1000  # of a list
MOST_DEPTH = 5  # of lists inside lists
SHOWN_CHARS = 60

_FUNCTION = re.compile(r"([A-Za-z][\w-]*)\s*\(")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True, slots=True)
class _Reader:
    field: Field
    path: str
    expression: Any  # re2's, or None
    inside: "tuple[_Reader, ...]"


def wrapper_of(fields: Sequence[Field]) -> Wrapper:
    """Compile; ConfigError names the field and what is wrong with it."""
    written = json.dumps([asdict(one) for one in fields], sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()[:16]
    return Wrapper(digest, _compiled(fields, "", 0))


def record_of(wrapper: Wrapper, document: Node, resolve: Resolve) -> Extraction:
    """The record of one page."""
    return _record(wrapper.readers, document, resolve)


def _compiled(fields: Sequence[Field], above: str, depth: int) -> tuple[_Reader, ...]:
    if depth > MOST_DEPTH:
        raise ConfigError(f"field {above.rstrip('.')}: lists inside lists, {MOST_DEPTH} deep, are enough")
    names = [one.name for one in fields]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"field {above}{twice} is written twice: give one of them another name")
    return tuple(_reader(one, above, depth) for one in fields)


def _reader(one: Field, above: str, depth: int) -> _Reader:
    path = f"{above}{one.name}"
    if not one.name:
        raise ConfigError(f"a field {'of ' + above.rstrip('.') if above else ''} has no name: write name = …")
    if one.css and one.xpath:
        raise ConfigError(f"field {path}: css and xpath both say where it stands; write one of them")
    if not (one.css or one.xpath or one.attribute or one.regex or above):
        raise ConfigError(f"field {path} does not say where it stands: write css or xpath, or a regex over the page")
    _check_selector(one, path)
    return _Reader(one, path, _expression(one.regex, path), _compiled(one.fields, f"{path}.", depth + 1))


def _check_selector(one: Field, path: str) -> None:
    nothing = turbohtml.parse("")
    for written, find in ((one.css, by_css), (one.xpath, by_xpath)):
        try:
            if written:
                find(nothing, written)
            for function in _FUNCTION.findall(_QUOTED.sub("", one.xpath)):
                _check_function(nothing, function)
        except (ValueError, TypeError) as error:
            raise ConfigError(f"field {path}: {error} in {written!r}") from error


def _check_function(nothing: turbohtml.Document, function: str) -> None:
    """Inside a condition a function is looked up only when an element gets there: look it up now."""
    try:
        by_xpath(nothing, f"{function}()")
    except (ValueError, TypeError) as error:
        if "unknown function" in str(error):
            raise


def _expression(written: str, path: str) -> Any:
    if not written:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(written, options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace") if error.args and isinstance(error.args[0], bytes) else error
        raise ConfigError(
            f"field {path}: {written!r} is not a regular expression that can be used here ({said}); "
            "look-around and references back are not, since they can take for ever"
        ) from error


def _record(readers: Sequence[_Reader], node: Node, resolve: Resolve) -> Extraction:
    data: dict[str, object] = {}
    missing: list[str] = []
    faults: list[str] = []
    for reader in readers:
        value = data[reader.field.name] = _READ[_shape(reader.field)](reader, node, resolve, faults)
        if reader.field.required and (value is None or value == []):
            missing.append(reader.path)
    return Extraction(data, tuple(missing), tuple(faults))


def _shape(one: Field) -> tuple[bool, bool]:
    """Is it a list, and does it have fields of its own?"""
    return one.type is FieldType.LIST, bool(one.fields)


def _value(reader: _Reader, node: Node, resolve: Resolve, faults: list[str]) -> object:
    raw = next(filter(None, _raw(reader, node, faults)), None)
    return None if raw is None else _converted(reader, raw, reader.field.type, resolve, faults)


def _values(reader: _Reader, node: Node, resolve: Resolve, faults: list[str]) -> object:
    raws = [raw for raw in _raw(reader, node, faults) if raw][:MOST_ITEMS]
    values = [_converted(reader, raw, reader.field.of, resolve, faults) for raw in raws]
    return [value for value in values if value is not None]


def _nested(reader: _Reader, node: Node, resolve: Resolve, faults: list[str]) -> object:
    return next(iter(_records(reader, node, resolve, faults)), None)


def _records(reader: _Reader, node: Node, resolve: Resolve, faults: list[str]) -> list[object]:
    """Records inside the record; one that lacks what is required of it is left out."""
    records: list[object] = []
    for element in _found(reader, node, faults)[:MOST_ITEMS]:
        if isinstance(element, str):
            continue
        inner = _record(reader.inside, element, resolve)
        faults += inner.faults
        if inner.missing:
            faults.append(f"{reader.path}: one without {', '.join(inner.missing)} is left out")
        elif not inner.empty:
            records.append(inner.data)
    return records


_READ = {(False, False): _value, (True, False): _values, (False, True): _nested, (True, True): _records}


def _raw(reader: _Reader, node: Node, faults: list[str]) -> Iterator[str]:
    """The text of every element the field finds, cut to what counts of it."""
    for found in _found(reader, node, faults):
        text = _text(found, reader.field.attribute)
        if reader.expression is None:
            yield text.strip()
        elif (match := reader.expression.search(text)) is not None:
            groups = match.groups()
            yield ((match[1] if groups else match[0]) or "").strip()


def _found(reader: _Reader, node: Node, faults: list[str]) -> list[Found]:
    one = reader.field
    if one.css:
        return by_css(node, one.css)
    if one.xpath:
        try:
            return by_xpath(node, one.xpath)
        except (ValueError, TypeError) as error:  # only the elements of a page show some faults of an expression
            faults.append(f"{reader.path}: {error}")
            return []
    return [node] if isinstance(node, turbohtml.Element) else by_css(node, ":root")


def _text(found: Found, attribute: str) -> str:
    if isinstance(found, str):
        return found
    return (found.attr(attribute) or "") if attribute else text_of(found)


def _converted(reader: _Reader, raw: str, kind: FieldType, resolve: Resolve, faults: list[str]) -> object:
    value = convert(raw, kind, reader.field, resolve)
    if value is None:
        faults.append(f"{reader.path}: {_shown(raw)!r} is no {kind.value}")
    return value


def _shown(raw: str) -> str:
    folded = " ".join(raw[: SHOWN_CHARS * 4].split())
    return folded if len(folded) <= SHOWN_CHARS else folded[: SHOWN_CHARS - 1] + "…"
