"""The standard library's dataclasses, made in a quarter of the time.

It writes and compiles six methods for a frozen class with slots; a run has some three hundred classes, and making them
was a third of what it takes to start. Here only the constructor is compiled, and where the compiled part fills the
values not before somebody asks for it; the other methods ask for the values by name. What is rare (heirs,
`__post_init__`, options of a field) is left to the standard library; and what it knows of its own classes (`fields`,
`asdict`, `replace`) it knows of these, from when it is first asked.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import get_annotations, signature
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar, ForwardRef, NoReturn, TypeVar, get_args, get_origin

from recrawl.native import compiled

Cls = TypeVar("Cls")
_KNOWN = ("__dataclass_fields__", "__dataclass_params__")
_OWN_WAY = ("__post_init__", "__init__", "__slots__", "__setattr__", "__delattr__", "__getstate__", "__setstate__")
_NO_FIELDS: tuple[Any, ...] = (ClassVar, dataclasses.KW_ONLY, dataclasses.InitVar)
_MISSING = dataclasses.MISSING
_PLAIN = dataclasses.field()  # what a field is that has a default and nothing else to say
_SAME = ("init", "repr", "hash", "compare", "kw_only", "metadata")
_NO_FIELD_WORDS = ("ClassVar", "KW_ONLY", "InitVar")  # in a type that is only written
_BY_NAME = (str, ForwardRef)  # types inside others that are only named, perhaps of classes still to come
_TAKEN = ("self", "__", "_set", "_MADE", "_make_", "_default_")  # names that begin like those of a constructor
_DEMANDING = (staticmethod, classmethod, property)  # defaults that are what they give when asked

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
    """What the standard library notes of a class, found out when it is asked for: by the class or by an heir of it."""

    def __init__(self, name: str, space: Mapping[str, Any], frozen: bool) -> None:
        self._name, self._space, self._frozen = name, dict(space), frozen

    def __get__(self, value: object, owner: type) -> Any:
        known = next(one for one in owner.__mro__ if one.__dict__.get(self._name) is self)
        for name, told in zip(_KNOWN, (_fields_told(self._space), _parameters_told(self._frozen)), strict=True):
            setattr(known, name, told)
        return getattr(known, self._name)

    def fields(self) -> "list[dataclasses.Field[Any]]":
        """Of each the name and what stands in for a value that is not given: no more than a constructor needs."""
        found = []
        for name in self._space["__annotations__"]:
            default = self._space.get(name, _MISSING)
            given = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
            given.name = name
            found.append(given)
        return found


def _fields_told(space: Mapping[str, Any]) -> Any:
    """By the standard library, which need not write a method for that."""
    plain = type("Twin", (), {"__doc__": "said, so that it is not made up", **space})
    twin: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(plain)
    return twin.__dataclass_fields__


@cache
def _parameters_told(frozen: bool) -> Any:
    """The same for all classes that are made here."""
    twin: Any = dataclasses.make_dataclass("Twin", ["name"], frozen=frozen, slots=True)
    return twin.__dataclass_params__


def fields_of(cls: type) -> "Sequence[dataclasses.Field[Any]]":
    """As `dataclasses.fields`, without asking the standard library where a class is made here."""
    known = cls.__dict__.get(_KNOWN[0])
    return known.fields() if isinstance(known, _Known) else dataclasses.fields(cls)


def filled(cls: type[Cls]) -> type[Cls]:
    """With the compiled part its values are made by that, which fills their slots (see `swift`)."""
    if compiled is not None:
        fields = fields_of(cls)
        given = [field for field in fields if is_given(field)]
        factories = tuple(None if field.default_factory is _MISSING else field.default_factory for field in given)
        names = tuple(field.name for field in fields)
        compiled.swift(cls, names, len(fields) - len(given), tuple(field.default for field in given), factories)
    return cls


def is_given(field: "dataclasses.Field[Any]") -> bool:
    """What its value is where none is given."""
    return field.default is not _MISSING or field.default_factory is not _MISSING


class _Described:
    """What a class says of itself that has no words of its own: how it is called."""

    def __get__(self, value: object, owner: type) -> str:
        return f"{owner.__name__}{signature(owner)}".replace(" -> None", "")


class _Made:
    """Stands for the value that a factory is going to make."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _is_plain(cls: type) -> bool:
    names = get_annotations(cls)
    if cls.__bases__ != (object,) or type(cls) is not type or not names or any(one in cls.__dict__ for one in _OWN_WAY):
        return False
    if any(isinstance(value, dataclasses.Field) and name not in names for name, value in cls.__dict__.items()):
        return False
    with_default = False
    for name, kind in names.items():
        default = cls.__dict__.get(name, _MISSING)
        if name.startswith(_TAKEN) or not _is_plain_kind(kind):
            return False
        if (with_default and default is _MISSING) or not _is_plain_default(default):
            return False
        with_default = with_default or default is not _MISSING
    return True


def _is_plain_kind(kind: Any) -> bool:
    if isinstance(kind, str):
        return not any(word in kind for word in _NO_FIELD_WORDS)
    if isinstance(kind, (ForwardRef, dataclasses.InitVar)) or kind in _NO_FIELDS or get_origin(kind) in _NO_FIELDS:
        return False
    return not any(isinstance(one, _BY_NAME) for one in get_args(kind))


def _is_plain_default(default: Any) -> bool:
    if isinstance(default, dataclasses.Field):
        has_default = default.default is not _MISSING or default.default_factory is not _MISSING
        if not has_default or any(getattr(default, name) != getattr(_PLAIN, name) for name in _SAME):
            return False
        default = default.default
    return type(default).__hash__ is not None and not isinstance(default, _DEMANDING)


def _made(cls: type, frozen: bool) -> type:
    names = get_annotations(cls)
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    space = {name: value for name, value in cls.__dict__.items() if name not in (*names, "__dict__", "__weakref__")}
    space |= {"__slots__": tuple(names), "__qualname__": cls.__qualname__}
    space |= {name: _Known(name, {"__annotations__": names, **defaults}, frozen) for name in _KNOWN}
    constructor = _Constructor(cls, names, defaults, frozen)
    space["__init__"] = constructor.made() if compiled is None else constructor
    methods = _methods(tuple(names)) | (_FROZEN if frozen else {"__hash__": None})
    if space["__doc__"] is None:
        del space["__doc__"]
    if "__eq__" in space and space["__hash__"] is None:  # which Python wrote, since it compares in its own way
        del space["__hash__"]
    return filled(type(cls.__name__, (), {"__match_args__": tuple(names), "__doc__": _Described(), **methods, **space}))


class _Constructor:
    """Stands for the constructor of a class until it is asked for."""

    def __init__(self, cls: type, names: Mapping[str, Any], defaults: Mapping[str, Any], frozen: bool) -> None:
        self.made: Callable[[], Any] = lambda: _constructor(cls, names, defaults, frozen)

    def __get__(self, value: object, owner: type) -> Any:
        known, made = next(one for one in owner.__mro__ if one.__dict__.get("__init__") is self), self.made()
        type.__setattr__(known, "__init__", made)
        return made.__get__(value, owner)


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

    return {"__eq__": equal, "__repr__": shown, "__hash__": numbered, "__replace__": _replaced}


def _replaced(self: Any, /, **changes: Any) -> Any:
    return dataclasses.replace(self, **changes)


def _not_set(self: object, name: str, value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _not_deleted(self: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


_FROZEN = {"__setattr__": _not_set, "__delattr__": _not_deleted, "__getstate__": _state, "__setstate__": _set_state}
