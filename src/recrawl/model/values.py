"""The standard library's dataclasses, made in a quarter of the time.

It writes and compiles six methods for a frozen class with slots; a run has some three hundred classes, and making them
was a third of what it takes to start. Here only the constructor is compiled, the other methods ask for the values by
name. What is rare (heirs, `__post_init__`, options of a field) is left to the standard library; and what it knows of
its own classes (`fields`, `asdict`, `replace`) it knows of these, from when it is first asked.
"""

import dataclasses
from collections.abc import Callable, Mapping
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, get_origin

_KNOWN = ("__dataclass_fields__", "__dataclass_params__")
_OWN_WAY = ("__post_init__", "__init__", "__slots__", "__setattr__", "__delattr__", "__getstate__", "__setstate__")
_NO_FIELDS: tuple[Any, ...] = (ClassVar, dataclasses.KW_ONLY, dataclasses.InitVar)
_MISSING = dataclasses.MISSING
_PLAIN = dataclasses.field()  # what a field is that has a default and nothing else to say
_SAME = ("init", "repr", "hash", "compare", "kw_only", "metadata")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options):
        """As `dataclasses.dataclass`."""

        def made(cls):
            if not options.keys() <= {"frozen", "slots"} or not options.get("slots") or not _is_plain(cls):
                return dataclasses.dataclass(**options)(cls)
            return _made(cls, options.get("frozen", False))

        return made if cls is None else made(cls)


class _Known:
    """What the standard library notes of a class, found out when it is asked for."""

    def __init__(self, name: str, space: Mapping[str, Any], frozen: bool) -> None:
        self._name, self._space, self._frozen = name, dict(space), frozen

    def __get__(self, value: object, owner: type) -> Any:
        twin: type = dataclasses.dataclass(frozen=self._frozen)(type(owner.__name__, (), self._space))
        for name in _KNOWN:
            setattr(owner, name, getattr(twin, name))
        return getattr(owner, self._name)


class _Made:
    """Stands for the value that a factory is going to make."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _is_plain(cls: type) -> bool:
    names = get_annotations(cls)
    if cls.__bases__ != (object,) or type(cls) is not type or not names or any(one in cls.__dict__ for one in _OWN_WAY):
        return False
    with_default = False
    for name, kind in names.items():
        default = cls.__dict__.get(name, _MISSING)
        if isinstance(kind, (str, dataclasses.InitVar)) or kind in _NO_FIELDS or get_origin(kind) in _NO_FIELDS:
            return False
        if (with_default and default is _MISSING) or not _is_plain_default(default):
            return False
        with_default = with_default or default is not _MISSING
    return True


def _is_plain_default(default: Any) -> bool:
    if isinstance(default, dataclasses.Field):
        has_default = default.default is not _MISSING or default.default_factory is not _MISSING
        return has_default and all(getattr(default, name) == getattr(_PLAIN, name) for name in _SAME)
    return type(default).__hash__ is not None


def _made(cls: type, frozen: bool) -> type:
    names = get_annotations(cls)
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    space = {name: value for name, value in cls.__dict__.items() if name not in (*names, "__dict__", "__weakref__")}
    space |= {"__slots__": tuple(names), "__qualname__": cls.__qualname__}
    space |= {name: _Known(name, {"__annotations__": names, **defaults}, frozen) for name in _KNOWN}
    space["__init__"] = _constructor(cls, names, defaults, frozen)
    methods = _methods(tuple(names)) | (_FROZEN if frozen else {"__hash__": None})
    return type(cls.__name__, (), {"__match_args__": tuple(names), **methods, **space})


def _constructor(cls: type, names: Mapping[str, Any], defaults: Mapping[str, Any], frozen: bool) -> Callable[..., None]:
    scope: dict[str, Any] = {"_set": object.__setattr__, "_MADE": _MADE}
    parameters, lines = ["self"], []
    for name in names:
        given = name
        if name in defaults:
            default = defaults[name]
            if isinstance(default, dataclasses.Field):
                if default.default_factory is not _MISSING:
                    scope[f"_make_{name}"], given = (
                        default.default_factory,
                        f"_make_{name}() if {name} is _MADE else {name}",
                    )
                default = _MADE if default.default is _MISSING else default.default
            scope[f"_default_{name}"] = default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f" _set(self, {name!r}, {given})" if frozen else f" self.{name} = {given}")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines), scope)
    constructor: Callable[..., None] = scope["__init__"]
    constructor.__qualname__, constructor.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    constructor.__annotations__ = {**names, "return": None}
    return constructor


def _methods(names: tuple[str, ...]) -> dict[str, Any]:
    values = attrgetter(*names)

    def equal(self: Any, other: object) -> bool:
        return bool(values(self) == values(other)) if other.__class__ is self.__class__ else NotImplemented

    @recursive_repr()
    def shown(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def numbered(self: Any) -> int:
        return hash((values(self), len(names)))

    return {"__eq__": equal, "__repr__": shown, "__hash__": numbered}


def _not_set(self: object, name: str, value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _not_deleted(self: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slots__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


_FROZEN = {"__setattr__": _not_set, "__delattr__": _not_deleted, "__getstate__": _state, "__setstate__": _set_state}
