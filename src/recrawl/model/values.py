"""The standard library's dataclasses, made in an eighth of the time.

It writes and compiles six methods for a frozen class with slots; a run has some three hundred classes, and making them
was a third of what it takes to start. Here a class is given what stands for its methods, the same for all classes, and
has its own when one of them is first asked for; the compiled part, where it is there, makes values without asking.
What is rare (heirs, options of a field) is left to the standard library; and what it knows of its own classes
(`fields`, `asdict`, `replace`) it knows of these, from when it is first asked.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import signature
from operator import attrgetter
from reprlib import recursive_repr
from types import GenericAlias, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, ForwardRef, NoReturn, TypeVar, get_args, get_origin

from recrawl.native import compiled

Cls = TypeVar("Cls")
_OWN_WAY = frozenset(("__init__", "__slots__", "__setattr__", "__delattr__", "__getstate__", "__setstate__"))
_OF_A_PARENT = frozenset(
    ("__module__", "__doc__", "__slots__", "__weakref__", "__static_attributes__", "__firstlineno__")
)
_OF_SLOTS = frozenset(("__getstate__", "__setstate__"))
_NO_FIELDS: tuple[Any, ...] = (ClassVar, dataclasses.KW_ONLY, dataclasses.InitVar)
_MISSING = dataclasses.MISSING
_PLAIN = dataclasses.field()  # what a field is that has a default and nothing else to say
_SAME = ("init", "repr", "hash", "compare", "kw_only", "metadata")
_NO_FIELD_WORDS = ("ClassVar", "KW_ONLY", "InitVar")  # in a type that is only written
_BY_NAME = (str, ForwardRef)  # types inside others that are only named, perhaps of classes still to come
_JOINED = (GenericAlias, UnionType)
_TAKEN = ("self", "__", "_set", "_MADE", "_make_", "_default_")  # names that begin like those of a constructor
_DEMANDING = (staticmethod, classmethod, property)  # defaults that are what they give when asked
_NOT_KEPT = ("__dict__", "__weakref__")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options):
        """As `dataclasses.dataclass`."""

        def made(cls):
            frozen, slots = options.get("frozen", False), options.get("slots", False)
            if not options.keys() <= {"frozen", "slots"} or not (frozen or slots) or not _is_plain(cls):
                return dataclasses.dataclass(**options)(cls)
            return _made(cls, frozen) if slots else _dressed(cls)

        return made if cls is None else made(cls)


class _Facts:
    """What a class was written as."""

    __slots__ = ("checked", "defaults", "frozen", "module", "names", "qualname")

    def __init__(self, cls: type, names: Mapping[str, Any], defaults: Mapping[str, Any], frozen: bool) -> None:
        self.names, self.defaults, self.frozen = names, defaults, frozen
        self.qualname, self.module = cls.__qualname__, cls.__module__
        self.checked = "__post_init__" in cls.__dict__


class _Late:
    """Stands for something of a class until it is asked for: by the class or by an heir of it."""

    def __init__(self, name: str, made: "Callable[[_Facts], Mapping[str, Any]]") -> None:
        self._name, self._made = name, made

    def __get__(self, value: object, owner: type) -> Any:
        known = next((one for one in owner.__mro__ if one.__dict__.get(self._name) is self), None)
        if known is None:  # another thread was faster
            known = next(one for one in owner.__mro__ if "__facts__" in one.__dict__)
        for name, made in self._made(known.__dict__["__facts__"]).items():
            if isinstance(known.__dict__.get(name), _Late):
                type.__setattr__(known, name, made)
        found = known.__dict__[self._name]
        return found.__get__(value, owner) if callable(found) else found


def _told(facts: _Facts) -> dict[str, Any]:
    """By the standard library, which need not write a method for that."""
    space = {"__doc__": "said, so that it is not made up", "__annotations__": facts.names, **facts.defaults}
    twin: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(type("Twin", (), space))
    return {
        "__dataclass_fields__": twin.__dataclass_fields__,
        "__dataclass_params__": _parameters_told(facts.frozen),
    }


@cache
def _parameters_told(frozen: bool) -> Any:
    """The same for all classes that are made here."""
    twin: Any = dataclasses.make_dataclass("Twin", ["name"], frozen=frozen, slots=True)
    return twin.__dataclass_params__


def fields_of(cls: type) -> "Sequence[dataclasses.Field[Any]]":
    """As `dataclasses.fields`, without asking the standard library where a class is made here: of each the name and
    what stands in for a value that is not given."""
    facts = cls.__dict__.get("__facts__")
    if facts is None:
        return dataclasses.fields(cls)
    found = []
    for name in facts.names:
        default = facts.defaults.get(name, _MISSING)
        given = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
        given.name = name
        found.append(given)
    return found


def filled(cls: type[Cls]) -> type[Cls]:
    """With the compiled part its values are made by that, which fills their slots (see `swift`)."""
    if compiled is not None and "__facts__" not in cls.__dict__:
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        _fill(cls, tuple(field.name for field in fields), [field for field in fields if is_given(field)])
    return cls


def _fill(cls: type, names: tuple[str, ...], defaults: "Sequence[Any]") -> None:
    given, factories = [], []
    for default in defaults:
        is_field = isinstance(default, dataclasses.Field)
        factory = default.default_factory if is_field else _MISSING
        given.append(default.default if is_field else default)
        factories.append(None if factory is _MISSING else factory)
    compiled.swift(cls, names, len(names) - len(given), tuple(given), tuple(factories))


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
    written, names = cls.__dict__, cls.__annotations__
    if type(cls) is not type or not names or not _OWN_WAY.isdisjoint(written) or not _has_plain_parents(cls):
        return False
    if {name for name, value in written.items() if type(value) is dataclasses.Field} - names.keys():
        return False
    with_default = False
    for name, kind in names.items():
        if name.startswith(_TAKEN) or not _is_plain_kind(kind):
            return False
        if name not in written:
            if with_default:
                return False
        elif _is_plain_default(written[name]):
            with_default = True
        else:
            return False
    return True


def _has_plain_parents(cls: type) -> bool:
    """None, or one that gives no more than a slot."""
    if cls.__bases__ == (object,):
        return True
    parent = cls.__bases__[0]
    return cls.__mro__ == (cls, parent, object) and _OF_A_PARENT.issuperset(parent.__dict__)


def _is_plain_kind(kind: Any) -> bool:
    if isinstance(kind, str):
        return not any(word in kind for word in _NO_FIELD_WORDS)
    if isinstance(kind, _JOINED):
        return {*map(type, kind.__args__)}.isdisjoint(_BY_NAME)
    if isinstance(kind, type):
        return kind is not dataclasses.InitVar
    if isinstance(kind, (ForwardRef, dataclasses.InitVar)) or kind in _NO_FIELDS or get_origin(kind) in _NO_FIELDS:
        return False
    return not any(isinstance(one, _BY_NAME) for one in get_args(kind))


def _is_plain_default(default: Any) -> bool:
    if isinstance(default, dataclasses.Field):
        if not is_given(default) or any(getattr(default, name) != getattr(_PLAIN, name) for name in _SAME):
            return False
        default = default.default
    return type(default).__hash__ is not None and not isinstance(default, _DEMANDING)


def _made(cls: type, frozen: bool) -> type:
    """Another class, since slots cannot be had later."""
    space, facts = _space(cls, frozen)
    for name in (*facts.defaults, *_NOT_KEPT):
        space.pop(name, None)
    space |= {"__slots__": space["__match_args__"], "__qualname__": cls.__qualname__}
    made = type(cls.__name__, cls.__bases__, space)
    if compiled is not None and not facts.checked:
        _fill(made, space["__slots__"], tuple(facts.defaults.values()))
    return made


def _dressed(cls: type) -> type:
    """The class itself, frozen and without slots."""
    space, facts = _space(cls, frozen=True)
    for name, value in space.items():
        if name not in _OF_SLOTS and cls.__dict__.get(name, _MISSING) is not value:
            setattr(cls, name, value)
    for name, default in facts.defaults.items():
        if isinstance(default, dataclasses.Field):
            delattr(cls, name)
            if default.default is not _MISSING:
                setattr(cls, name, default.default)
    return cls


def _space(cls: type, frozen: bool) -> tuple[dict[str, Any], _Facts]:
    """What the class was written as, and what it is given beside."""
    written, names = cls.__dict__, cls.__annotations__
    space = (_FROZEN if frozen else _OPEN) | written
    if written["__doc__"] is None:
        space["__doc__"] = _DESCRIBED
    if frozen and "__eq__" in written and written["__hash__"] is None:  # by Python, since it compares in its own way
        space["__hash__"] = _FROZEN["__hash__"]
    defaults = {name: written[name] for name in names if name in written}
    facts = space["__facts__"] = _Facts(cls, names, defaults, frozen)
    space["__match_args__"] = tuple(names)
    return space, facts


def _constructor(facts: _Facts) -> dict[str, Any]:
    scope: dict[str, Any] = {"_set": object.__setattr__, "_MADE": _MADE}
    parameters, lines = ["self"], []
    for name in facts.names:
        given = name
        if name in facts.defaults:
            default = facts.defaults[name]
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
        lines.append(f" _set(self, {name!r}, {given})" if facts.frozen else f" self.{name} = {given}")
    if facts.checked:
        lines.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines), scope)
    constructor: Callable[..., None] = scope["__init__"]
    constructor.__qualname__, constructor.__module__ = f"{facts.qualname}.__init__", facts.module
    constructor.__annotations__ = {**facts.names, "return": None}
    return {"__init__": constructor}


def _methods(facts: _Facts) -> dict[str, Any]:
    names = tuple(facts.names)
    values = attrgetter(*names)

    def equal(self: Any, other: object) -> bool:
        return bool(values(self) == values(other)) if other.__class__ is self.__class__ else NotImplemented

    @recursive_repr()
    def shown(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def numbered(self: Any) -> int:
        return hash((values(self), len(names)))

    return {"__eq__": equal, "__repr__": shown, "__hash__": numbered}


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


_DESCRIBED = _Described()
_OPEN: dict[str, Any] = {
    "__dataclass_fields__": _Late("__dataclass_fields__", _told),
    "__dataclass_params__": _Late("__dataclass_params__", _told),
    "__init__": _Late("__init__", _constructor),
    "__eq__": _Late("__eq__", _methods),
    "__repr__": _Late("__repr__", _methods),
    "__hash__": None,
    "__replace__": _replaced,
}
_FROZEN: dict[str, Any] = {
    **_OPEN,
    "__hash__": _Late("__hash__", _methods),
    "__setattr__": _not_set,
    "__delattr__": _not_deleted,
    "__getstate__": _state,
    "__setstate__": _set_state,
}
