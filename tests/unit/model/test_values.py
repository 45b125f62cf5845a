"""Classes made by `model.values` are what the standard library would have made."""

import copy
import dataclasses
import inspect
import pickle
import weakref
from dataclasses import FrozenInstanceError, field
from typing import ClassVar, get_type_hints

import pytest

from recrawl.model.values import _is_plain, dataclass


@dataclass(frozen=True, slots=True)
class Town:
    """One with all kinds of defaults."""

    name: str
    people: int = 0
    streets: list[str] = field(default_factory=list)
    river: str | None = field(default=None)

    @property
    def is_large(self) -> bool:
        return self.people > 1000


@dataclass(slots=True)
class Cart:
    """One that changes."""

    goods: dict[str, int] = field(default_factory=dict)
    owner: str = "nobody"


@dataclass(frozen=True, slots=True)
class Point:
    place: tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Capital(Town):
    """An heir made by the standard library, without slots of its own."""

    king: str = "none"


@dataclass(slots=True)
class Drawer:
    """One with types that are only written, and names of its own."""

    next: "Drawer | None" = None
    _spoons: "list[str]" = field(default_factory=list)
    _locked: bool = False


@dataclass(slots=True)
class Branch:
    twigs: list["Branch"] = field(default_factory=list)


class Followed:
    __slots__ = ("__weakref__",)


@dataclass(frozen=True, slots=True)
class Kite(Followed):
    """One whose parent gives it a slot more."""

    colour: str
    metres: float = 3.0


@dataclass(frozen=True)
class Loose:
    """One without slots."""

    name: str
    streets: list[str] = field(default_factory=list)
    river: str | None = field(default=None)


@dataclass(slots=True)
class Sum:
    """One that sees to itself when it is made."""

    parts: list[int] = field(default_factory=list)
    whole: int = 0

    def __post_init__(self) -> None:
        self.whole = sum(self.parts)


VALUES = (
    (Town, ("Aa",)),
    (Town, ("Aa", 3, ["x"], "Rhine")),
    (Cart, ()),
    (Cart, ({"egg": 3}, "me")),
    (Point, ((1, 2),)),
    (Drawer, ()),
    (Drawer, (Drawer(), ["soup"], True)),
    (Kite, ("red",)),
    (Sum, ([1, 2], 3)),
)


def of_the_library(ours: type) -> type:
    """The same class, made by the standard library."""
    defaults = {one.name: one for one in dataclasses.fields(ours)}
    space = {
        name: field(default=one.default)
        if one.default is not dataclasses.MISSING
        else field(default_factory=one.default_factory)
        for name, one in defaults.items()
        if one.default is not dataclasses.MISSING or one.default_factory is not dataclasses.MISSING
    }
    frozen = ours.__hash__ is not None
    plain = type(ours.__name__, (), {"__annotations__": inspect.get_annotations(ours), **space})
    return dataclasses.dataclass(frozen=frozen, slots=True)(plain)


def test_the_standard_library_is_not_asked_before_somebody_wants_to_know() -> None:
    @dataclass(frozen=True, slots=True)
    class Quick:
        name: str = ""

    Quick("x")
    assert not isinstance(Quick.__dict__["__dataclass_fields__"], dict)
    assert [one.name for one in dataclasses.fields(Quick)] == ["name"]
    assert isinstance(Quick.__dict__["__dataclass_fields__"], dict)


@pytest.mark.parametrize(("ours", "words"), VALUES)
def test_looks_compares_and_is_replaced_like_the_librarys_own(ours: type, words: tuple[object, ...]) -> None:
    theirs = of_the_library(ours)
    one, other = ours(*words), theirs(*words)
    assert repr(one) == repr(other)
    assert one == ours(*words) and one != other and one != 7
    assert dataclasses.asdict(one) == dataclasses.asdict(other)
    assert [each.name for each in dataclasses.fields(one)] == [each.name for each in dataclasses.fields(other)]
    assert dataclasses.replace(one) == one
    assert ours.__match_args__ == theirs.__match_args__ and ours.__slots__ == theirs.__slots__
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert not hasattr(one, "__dict__")


@pytest.mark.parametrize(("ours", "words"), VALUES)
def test_survives_a_copy_and_a_pickle(ours: type, words: tuple[object, ...]) -> None:
    one = ours(*words)
    assert copy.deepcopy(one) == one == copy.copy(one) == pickle.loads(pickle.dumps(one))


def test_one_without_slots_keeps_its_class_and_what_is_set_beside_its_fields() -> None:
    one = Loose("Aa")
    assert one == Loose("Aa", []) and repr(one) == "Loose(name='Aa', streets=[], river=None)"
    assert Loose.river is None and not hasattr(Loose, "streets") and one.streets is not Loose("Aa").streets
    assert [each.name for each in dataclasses.fields(Loose)] == ["name", "streets", "river"]
    assert dataclasses.replace(one, river="Rhine").river == "Rhine" and hash(Loose("a", ())) == hash(Loose("a", ()))  # type: ignore[arg-type]
    assert copy.deepcopy(one) == one == copy.copy(one) == pickle.loads(pickle.dumps(one))
    with pytest.raises(FrozenInstanceError, match="name"):
        one.name = "Bb"  # type: ignore[misc]
    one.__dict__["beside"] = 7
    assert one.beside == 7  # type: ignore[attr-defined]


def test_one_may_be_followed_and_another_sees_to_itself_when_it_is_made() -> None:
    kite = Kite("red")
    assert weakref.ref(kite)() is kite
    assert Sum([1, 2]).whole == 3 and dataclasses.replace(Sum([1, 2]), parts=[5]).whole == 5


def test_values_differ_by_each_of_their_fields_and_can_be_members_of_a_set() -> None:
    assert Point((1, 2)) != Point((1, 3)) and len({Point((1, 2)), Point((1, 2)), Point((2, 1))}) == 2
    with pytest.raises(TypeError):
        hash(Cart())
    with pytest.raises(TypeError):
        hash(Town("Aa"))  # holds a list


def test_frozen_is_frozen_and_the_other_is_not() -> None:
    with pytest.raises(FrozenInstanceError, match="people"):
        Town("Aa").people = 7  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="people"):
        del Town("Aa").people
    cart = Cart()
    cart.owner = "me"
    assert cart == Cart(owner="me") and cart.goods is not Cart().goods


def test_wrong_words_are_refused_with_the_name_of_the_class() -> None:
    with pytest.raises(TypeError, match=r"Town\.__init__\(\) missing 1 required positional argument: 'name'"):
        Town()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'mayor'"):
        Town("Aa", mayor="x")  # type: ignore[call-arg]


def test_heirs_and_whoever_asks_find_the_constructor() -> None:
    @dataclass(frozen=True, slots=True)
    class Hill:
        name: str
        metres: int = 3

    class Dune(Hill):
        __slots__ = ()

        def __init__(self, name: str) -> None:
            super().__init__(name, metres=7)

    class Rise(Hill):
        __slots__ = ()

    assert (Dune("a").metres, Rise("b").metres, Hill("c").metres) == (7, 3, 3)
    assert Hill.__init__ is Hill.__init__ and Rise.__init__ is Hill.__init__
    assert Hill.__init__.__qualname__.endswith("Hill.__init__")


def test_methods_and_properties_stay_and_a_match_finds_the_fields() -> None:
    match Town("Aa", 2000):
        case Town(name, people):
            assert (name, people) == ("Aa", 2000)
    assert Town("Aa", 2000).is_large and Town.__doc__ == "One with all kinds of defaults."


def test_what_is_rare_is_left_to_the_standard_library() -> None:
    class Counted:
        number: ClassVar[int] = 0
        size: int

    class Hidden:
        size: int = field(default=0, repr=False)

    class Heir(Town):
        mayor: str = ""

    class Checked:
        size: int = 0

        def __post_init__(self) -> None:
            raise ValueError

    for rare in (Counted, Hidden, Heir):
        assert not _is_plain(rare)
    with pytest.raises(ValueError):
        dataclass(frozen=True, slots=True)(Checked)()
    assert repr(dataclass(frozen=True, slots=True)(Hidden)(3)).endswith("Hidden()")
    assert dataclass(frozen=True, slots=True)(Counted)(3).number == 0
    heir = dataclass(frozen=True, slots=True)(Heir)("Aa", mayor="Bb")
    assert (heir.name, heir.mayor, heir.people) == ("Aa", "Bb", 0)


def test_mistakes_are_refused_as_by_the_standard_library() -> None:
    class Shared:
        goods: list[str] = []  # noqa: RUF012 — the mistake

    class Backwards:
        first: int = 0
        second: int

    with pytest.raises(ValueError, match="mutable default"):
        dataclass(frozen=True, slots=True)(Shared)
    with pytest.raises(TypeError, match="non-default argument 'second'"):
        dataclass(frozen=True, slots=True)(Backwards)


def test_more_mistakes_are_refused_as_by_the_standard_library() -> None:
    class Shared:
        goods: list[str] = field(default=[])

    class Nameless:
        size: int
        weight = field(default=0)

    with pytest.raises(ValueError, match="mutable default"):
        dataclass(frozen=True, slots=True)(Shared)
    with pytest.raises(TypeError, match="'weight' is a field but has no type annotation"):
        dataclass(frozen=True, slots=True)(Nameless)


def test_an_heir_keeps_its_own_fields_in_a_copy_and_leaves_its_parent_alone() -> None:
    one = Capital("Aa", 3, king="Bb")
    assert copy.copy(one) == one == pickle.loads(pickle.dumps(one)) and copy.copy(one).king == "Bb"

    @dataclass(frozen=True, slots=True)
    class Parent:
        name: str = ""

    class Child(Parent):
        pass

    assert [each.name for each in dataclasses.fields(Child)] == ["name"]
    assert "__dataclass_fields__" not in Child.__dict__ and isinstance(Parent.__dict__["__dataclass_fields__"], dict)


def test_a_frozen_one_that_compares_in_its_own_way_still_has_a_hash() -> None:
    @dataclass(frozen=True, slots=True)
    class Word:
        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Word) and self.text.lower() == other.text.lower()

    @dataclass(frozen=True, slots=True)
    class Unhashed:
        text: str
        __hash__ = None  # type: ignore[assignment]

    assert Word("a") == Word("A") and isinstance(hash(Word("a")), int)
    with pytest.raises(TypeError):
        hash(Unhashed("a"))


def test_fields_may_have_any_name() -> None:
    @dataclass(frozen=True, slots=True)
    class Odd:
        self: int
        _set: int
        _MADE: int = 3
        _make_x: int = 4
        x: list[int] = field(default_factory=list)

    assert dataclasses.astuple(Odd(1, 2)) == (1, 2, 3, 4, [])


def test_a_default_that_gives_something_else_when_asked_is_asked() -> None:
    @dataclass(slots=True)
    class Measured:
        size: object = staticmethod(len)

    assert Measured().size is len


def test_it_says_how_it_is_called_and_which_types_it_takes() -> None:
    assert Point.__doc__ == "Point(place: tuple[int, int])"
    assert get_type_hints(Branch) == {"twigs": list[Branch]}
    assert get_type_hints(Branch.__init__)["twigs"] == list[Branch]


def test_can_be_replaced_as_newer_pythons_do_it() -> None:
    assert Town("Aa").__replace__(people=3) == Town("Aa", 3)  # type: ignore[attr-defined]


def test_one_that_holds_itself_can_be_shown() -> None:
    cart = Cart()
    cart.goods["itself"] = cart  # type: ignore[assignment]
    assert repr(cart) == "Cart(goods={'itself': ...}, owner='nobody')"


def test_what_is_written_as_no_field_and_what_a_constructor_calls_its_own_is_left_to_the_library() -> None:
    class Shared:
        count: "ClassVar[int]" = 0
        name: str = ""

    class Taken:
        _set: int = 0

    assert not _is_plain(Shared)

    class Own:
        _spoons: "list[str]"

    assert not _is_plain(Taken)
    assert _is_plain(Own)


def test_a_thread_that_asks_for_a_method_while_another_has_it_made_gets_that_one() -> None:
    @dataclass(frozen=True, slots=True)
    class Door:
        width: int

    class Gate(Door):
        def __eq__(self, other: object) -> bool:
            return super().__eq__(other)

        __hash__ = None

    late = {name: Door.__dict__[name] for name in ("__eq__", "__hash__", "__repr__")}
    made = {Door(1), Door(1)}
    assert len(made) == 1 and repr(made).endswith("Door(width=1)}")
    door, gate = Door(1), Gate(1)
    assert late["__eq__"].__get__(door, Door)(Door(1)) is True
    assert late["__eq__"].__get__(gate, Gate)(Gate(1)) is True
    assert late["__hash__"].__get__(door, Door)() == hash(door)
    assert late["__repr__"].__get__(door, Door)() == repr(door)
