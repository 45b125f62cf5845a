"""A TOML table → a flat frozen dataclass: unknown keys and wrong types are errors with line and nearest key."""

from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from recrawl.formats import duration
from recrawl.formats.toml_places import line_of
from recrawl.model.failure import FormatError
from recrawl.model.nearest import nearest
from recrawl.model.values import fields_of

T = TypeVar("T")
TOO_MUCH = 10**15  # seconds, bytes or pages: nobody means that, and not all arithmetic can take it
SIZES = {"kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1024, "mib": 1024**2, "gib": 1024**3, "b": 1}


def read(kind: type[T], table: Mapping[str, object], section: str, text: str, source: str) -> T:
    """`text` is the whole file, for the line numbers."""
    hints = get_type_hints(kind)
    names = [one.name for one in fields_of(kind)]
    values: dict[str, Any] = {}
    for key, value in table.items():
        path = (section, key) if section else (key,)
        if key not in names:
            raise unknown(key, names, section, line_of(text, path), source)
        try:
            values[key] = fit(value, hints[key], key)
        except (TypeError, ValueError, FormatError) as error:
            raise FormatError(f"{'.'.join(path)}: {error}", line=line_of(text, path), source=source) from error
    return kind(**values)


def unknown(key: str, names: list[str], section: str, line: int | None, source: str) -> FormatError:
    near = nearest(key, names, cutoff=0.5)
    place = f" in [{section}]" if section else ""
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(sorted(names))}"
    return FormatError(f"unknown key {key!r}{place}; {hint}", line=line, source=source)


def fit(value: object, wanted: Any, key: str) -> object:
    """The value in the wanted type. Durations (`…_s`) and sizes (`…_bytes`) may be written as people write them."""
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is Union or str(origin) == "<class 'types.UnionType'>":
        return fit(value, next(one for one in arguments if one is not type(None)), key)
    if origin is tuple:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise TypeError(f"must be a list of strings, not {value!r}")
        return tuple(value)
    if origin is dict:
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise TypeError(f"must be a table of strings, not {value!r}")
        return dict(value)
    if isinstance(value, str) and wanted is not str:
        return _sound(_written(value, wanted, key))
    kinds = (int, float) if wanted is float else wanted
    if not isinstance(value, kinds) or (isinstance(value, bool) and wanted is not bool):
        raise TypeError(f"must be {_word(wanted)}, not {value!r}")
    number = _sound(value)
    return float(number) if wanted is float else number


def _sound(value: Any) -> Any:
    if isinstance(value, int | float) and not 0 <= value < TOO_MUCH:  # nor what is no number at all
        raise ValueError(f"must be a number that is not negative, and below 10^15, not {value!r}")
    return value


def _written(value: str, wanted: Any, key: str) -> object:
    if key.endswith("_s") and wanted is float:
        return duration.parse(value)
    if key.endswith("bytes"):
        number = value.lower().replace(" ", "")
        for unit in sorted(SIZES, key=len, reverse=True):
            if number.endswith(unit):
                return int(float(number.removesuffix(unit)) * SIZES[unit])
    raise TypeError(f"must be {_word(wanted)}, not {value!r}")


def _word(wanted: Any) -> str:
    return {float: "a number", int: "a whole number", str: "a string", bool: "true or false"}.get(wanted, str(wanted))


def schema(kind: type[Any]) -> dict[str, object]:
    """JSON Schema of a settings table, for editors."""
    hints = get_type_hints(kind)
    properties = {one.name: _schema_of(hints[one.name], one.default) for one in fields_of(kind)}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _schema_of(wanted: Any, default: object) -> dict[str, object]:
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is Union or str(origin) == "<class 'types.UnionType'>":
        wanted = next(one for one in arguments if one is not type(None))
        origin = get_origin(wanted)
    names: dict[Any, dict[str, object]] = {
        float: {"type": ["number", "string"]},
        int: {"type": ["integer", "string"]},
        bool: {"type": "boolean"},
        str: {"type": "string"},
    }
    if origin is tuple:
        shape: dict[str, object] = {"type": "array", "items": {"type": "string"}}
    elif origin is dict:
        shape = {"type": "object", "additionalProperties": {"type": "string"}}
    else:
        shape = dict(names[wanted])
    if default is not MISSING and isinstance(default, int | float | str | bool):
        shape["default"] = default
    return shape
