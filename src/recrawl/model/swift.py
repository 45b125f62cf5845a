"""Frozen values at nearly the price of plain ones.

A frozen dataclass sets each field through a search for its name; a crawl makes many values a page, and a `Page`
has more than thirty fields. `swift` gives such a class a constructor that writes into the slots directly, and
`replace` here is `dataclasses.replace` for them at a third of its price. Nothing else about them changes.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

Value = TypeVar("Value")
Changed = Callable[[Any, Mapping[str, Any]], Any]

_CHANGED: dict[type, tuple[frozenset[str], Changed]] = {}


def swift(value: type[Value]) -> type[Value]:
    """For a frozen dataclass with slots whose fields are all set by its constructor and checked nowhere."""
    fields = dataclasses.fields(value)  # type: ignore[arg-type]
    names = [field.name for field in fields]
    scope: dict[str, Any] = {f"set_{name}": value.__dict__[name].__set__ for name in names}
    scope |= {f"default_{field.name}": field.default for field in fields}
    scope |= {f"make_{field.name}": field.default_factory for field in fields}
    scope |= {"new": object.__new__, "value": value, "MISSING": dataclasses.MISSING}
    constructor = _made(scope, "__init__", ", ".join(["self", *map(_parameter, fields)]), map(_set, fields))
    value.__init__ = wraps(value.__init__)(constructor)  # type: ignore[method-assign]
    copied = (f"set_{name}(fresh, changes[{name!r}] if {name!r} in changes else old.{name})" for name in names)
    lines = ("fresh = new(value)", *copied, "return fresh")
    _CHANGED[value] = frozenset(names), _made(scope, "changed", "old, changes", lines)
    return value


if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(old, /, **changes):
        """The value with some fields changed."""
        known = _CHANGED.get(type(old))
        if known is None or not known[0].issuperset(changes):
            return dataclasses.replace(old, **changes)  # which complains about unknown fields
        return known[1](old, changes)


def _parameter(field: "dataclasses.Field[Any]") -> str:
    if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
        return field.name
    return f"{field.name}=default_{field.name}"


def _set(field: "dataclasses.Field[Any]") -> str:
    name = field.name
    if field.default_factory is dataclasses.MISSING:
        return f"set_{name}(self, {name})"
    return f"set_{name}(self, make_{name}() if {name} is MISSING else {name})"


def _made(scope: dict[str, Any], name: str, parameters: str, lines: Any) -> Any:
    body = "\n".join(f"    {line}" for line in lines)
    exec(f"def {name}({parameters}):\n{body}", scope)
    return scope[name]
