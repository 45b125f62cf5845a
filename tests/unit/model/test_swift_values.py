"""Swift values are frozen dataclasses in everything but price."""

import copy
import dataclasses
import inspect
import pickle
import weakref

import pytest

from recrawl.model.event import Event
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.swift import replace, swift
from recrawl.model.visit import Ask, Evidence, Reply


@swift
@dataclasses.dataclass(frozen=True, slots=True)
class Swift:
    """One required field, one with a default, one that is made."""

    name: str
    number: int = 7
    facts: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class Slow:
    """The same, made the usual way."""

    name: str
    number: int = 7
    facts: dict[str, int] = dataclasses.field(default_factory=dict)


def test_they_are_made_and_changed_like_any_other() -> None:
    for value, other in ((Swift("a"), Slow("a")), (Swift("b", facts={"x": 1}, number=2), Slow("b", 2, {"x": 1}))):
        assert dataclasses.asdict(value) == dataclasses.asdict(other)
        assert dataclasses.asdict(replace(value, number=3)) == dataclasses.asdict(dataclasses.replace(other, number=3))
    assert Swift("a").facts is not Swift("a").facts
    assert inspect.signature(Swift) == inspect.signature(Slow)
    assert replace(Slow("a"), name="b") == Slow("b")


@swift
@dataclasses.dataclass(frozen=True, slots=True)
class Named:
    """Its fields bear the names of what makes them."""

    value: int
    twin: int = 2
    old: int = 3
    changes: int = 4
    fresh: int = 5


def test_they_may_name_their_fields_as_they_like_and_can_be_copied() -> None:
    assert dataclasses.astuple(Named(1)) == (1, 2, 3, 4, 5)
    assert dataclasses.astuple(replace(Named(1), old=6, fresh=7)) == (1, 2, 6, 4, 7)
    reply = Reply(Ask("http://a.example/"), 1.0, Evidence.DOCUMENT)
    assert copy.copy(reply) == reply == pickle.loads(pickle.dumps(reply))
    assert weakref.ref(reply)() is reply
    assert {type(value) for value in (reply, replace(reply, at=2.0), copy.copy(reply))} == {Reply}


def test_they_stay_frozen_equal_and_hashable() -> None:
    page = Page(id=1, url="http://a.example/", server="a.example", site="one")
    with pytest.raises(dataclasses.FrozenInstanceError):
        page.url = "http://b.example/"  # type: ignore[misc]
    assert replace(page, visits=1) == dataclasses.replace(page, visits=1) != page
    assert hash(replace(page)) == hash(page)
    assert page.visits == 0


def test_what_is_unknown_or_missing_is_an_error() -> None:
    for wrong in ({"naem": "x"}, {"name": "x", "more": 1}):
        with pytest.raises(TypeError):
            replace(Swift("a"), **wrong)
        with pytest.raises(TypeError):
            Swift(**wrong)
    with pytest.raises(TypeError):
        Server()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Event()  # type: ignore[call-arg]
