"""What a worker told of is heard by the others of its crew, once, whole or not at all."""

import os

from hypothesis import given
from hypothesis import strategies as st

from recrawl.engine import hearsay
from recrawl.engine.hearsay import Hearsay, Listener, pieces
from recrawl.model.address import fingerprint
from recrawl.model.page import Page

HOST = "town.example"


def page(path: str, site: str = "town", hops: int = 0) -> Page:
    url = f"http://{HOST}/{path}"
    return Page(fingerprint(url), url, HOST, site, hops=hops)


def crew(size: int = 3) -> list[Listener]:
    memory = Hearsay(size)
    return [Listener(memory, number) for number in range(size)]


def test_the_others_hear_it_once() -> None:
    first, second, third = crew()
    first.tell_all([page("a"), page("b\udcff"), page("c", "other"), page("moved", hops=1)])
    said = [("town", [f"http://{HOST}/a", f"http://{HOST}/b\udcff"]), ("other", [f"http://{HOST}/c"])]
    assert list(first.news()) == []
    assert list(second.news()) == said
    assert list(second.news()) == []
    second.tell_all([page("d")])
    assert list(third.news()) == [*said, ("town", [f"http://{HOST}/d"])]
    assert list(first.news()) == [("town", [f"http://{HOST}/d"])]


def test_nothing_is_nothing() -> None:
    first, second = crew(2)
    first.tell_all([])
    assert list(second.news()) == []


@given(st.lists(st.integers(1, 400), max_size=60), st.integers(1, 9))
def test_a_ring_that_is_written_round_and_round_tells_whole_addresses(sizes: list[int], every: int) -> None:
    """Whoever listens often misses nothing, but for what is longer than the ring; who does not hears what is left."""
    before = hearsay.RING_BYTES
    hearsay.RING_BYTES = 1024
    try:
        teller, often, seldom = crew()
        told, heard, late = list[str](), list[str](), set[str]()
        for number, size in enumerate(sizes):
            one = page(f"{number}-{'x' * size}")
            teller.tell_all([one])
            told.append(one.url)
            heard += [url for _, urls in often.news() for url in urls]
            if number % every == 0:
                late.update(url for _, urls in seldom.news() for url in urls)
        assert heard == told
        assert late <= set(told)
    finally:
        hearsay.RING_BYTES = before


def test_what_is_longer_than_the_ring_is_not_told() -> None:
    first, second = crew(2)
    first.tell_all([page("x" * hearsay.RING_BYTES), page("y")])
    assert list(second.news()) == []
    first.tell_all([page("z")])
    assert list(second.news()) == [("town", [f"http://{HOST}/z"])]


@given(st.binary(max_size=200))
def test_what_is_torn_says_nothing(text: bytes) -> None:
    assert list(pieces(text)) == []
    memory = Hearsay(2)
    memory.tell(0, "town", ["http://town.example/a"])
    whole = memory.between(0, 0, memory.told(0))
    assert list(pieces(whole)) == [("town", ["http://town.example/a"])]
    for end in range(len(whole)):
        assert list(pieces(whole[:end])) == []
        assert list(pieces(whole[:end] + bytes([whole[end] ^ 1]) + whole[end + 1 :])) == []


def test_it_is_heard_in_another_process() -> None:
    memory = Hearsay(2)
    child = os.fork()
    if child == 0:
        Listener(memory, 1).tell_all([page("from-the-child")])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert list(Listener(memory, 0).news()) == [("town", [f"http://{HOST}/from-the-child"])]
