"""Frozen values at nearly the price of plain ones.

A frozen dataclass sets each field through a search for its name; a crawl makes many values a page, and a `Page`
has more than thirty fields. With the compiled part the slots of all values of `model.values` are filled by it. Without
it a `swift` class has a twin with the same slots that is not frozen: a value is one of its twin's while it is being
made, so that its fields are set as the interpreter does it best. `replace` here is `dataclasses.replace` for them, made
the same way. Nothing else about them changes.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from recrawl.model.values import fields_of, filled, is_given
from recrawl.native import compiled

Value = TypeVar("Value")
Changed = Callable[[Any, Mapping[str, Any]], Any]

_become: Callable[[object, type], None] = object.__dict__["__class__"].__set__  # what a frozen value does not allow
_MISSING = dataclasses.MISSING
_CHANGED: dict[type, tuple[frozenset[str], Changed]] = {}


def swift(value: type[Value]) -> type[Value]:
    """For a frozen dataclass with slots whose fields are all set by its constructor and checked nowhere; it may have
    no heirs, and where it is to be referred to weakly, a parent must see to that."""
    return twinned(value) if compiled is None else filled(value)


def twinned(value: type[Value]) -> type[Value]:
    """By means of a twin."""
    fields = fields_of(value)
    names = [field.name for field in fields]
    scope: dict[str, Any] = {f"default_{field.name}": field.default for field in fields}
    scope |= {f"make_{field.name}": field.default_factory for field in fields}
    scope |= {"_value": value, "_twin": type(value.__name__, value.__bases__, {"__slots__": value.__slots__})}  # type: ignore[attr-defined]
    scope |= {"_new": object.__new__, "_become": _become, "_MISSING": _MISSING}
    lines = ("_become(self, _twin)", *map(_set, fields), "self.__class__ = _value")
    constructor = _made(scope, "__init__", ", ".join(["self", *map(_parameter, fields)]), lines)
    value.__init__ = wraps(value.__init__)(constructor)  # type: ignore[method-assign]
    copied = (f"fresh.{name} = changes[{name!r}] if {name!r} in changes else old.{name}" for name in names)
    lines = ("fresh = _new(_twin)", *copied, "fresh.__class__ = _value", "return fresh")
    _CHANGED[value] = frozenset(names), _made(scope, "changed", "old, changes", lines)
    return value


if TYPE_CHECKING:
    from dataclasses import replace as replace
elif compiled is not None:
    compiled.replace_else(dataclasses.replace)
    replace = compiled.replace
else:

    def replace(old, /, **changes):
        """The value with some fields changed."""
        known = _CHANGED.get(type(old))
        if known is None or not known[0].issuperset(changes):
            return dataclasses.replace(old, **changes)  # which complains about unknown fields
        return known[1](old, changes)


def _parameter(field: "dataclasses.Field[Any]") -> str:
    return f"{field.name}=default_{field.name}" if is_given(field) else field.name


def _set(field: "dataclasses.Field[Any]") -> str:
    name = field.name
    if field.default_factory is _MISSING:
        return f"self.{name} = {name}"
    return f"self.{name} = make_{name}() if {name} is _MISSING else {name}"


def _made(scope: dict[str, Any], name: str, parameters: str, lines: Any) -> Any:
    body = "\n".join(f"    {line}" for line in lines)
    exec(f"def {name}({parameters}):\n{body}", scope)
    return scope[name]
