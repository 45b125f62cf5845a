"""What recrawl believes of a page, out and back; nothing that does not fit gets in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.formats.page_state import FIELD, PageState, parse, render
from recrawl.model.address import fingerprint
from recrawl.model.belief import STATE_BYTES
from recrawl.model.failure import FormatError
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind
from recrawl.model.visit import Evidence, Version, Visit, Why

URL = "http://a.example/ü"
moments = st.floats(0, 4e9)


@given(
    belief=st.one_of(st.just(b""), st.binary(min_size=STATE_BYTES, max_size=STATE_BYTES)),
    due_at=st.one_of(st.none(), moments),
    simhash=st.integers(0, (1 << 64) - 1),
    status=st.sampled_from(Status),
    at=st.lists(moments, max_size=3),
)
def test_it_comes_back_as_it_went(
    belief: bytes, due_at: float | None, simhash: int, status: Status, at: list[float]
) -> None:
    number = fingerprint(URL)
    page = Page(
        number, URL, "a.example", "s", Kind.DETAIL, belief=belief, due_at=due_at, simhash=simhash, status=status
    )
    versions = tuple(Version(number, one, "sha256:00", "", 0, 0, 5, 4, one / 1e10, "text/html") for one in at)
    visits = tuple(Visit(number, one, Why.DUE, 200, Evidence.DOCUMENT, "same", conditional=True) for one in at)
    state = PageState(page, versions, visits)
    assert parse(render(state)) == state


@pytest.mark.parametrize(
    "change",
    [
        {"url": "http://b.example/"},
        {"belief": "AAAA"},
        {"belief": "not base 64!"},
        {"due_at": "soon"},
        {"due_at": float("nan")},
        {"visits": 1.5},
        {"visits": True},
        {"depth": 1 << 70},
        {"status": "happy"},
        {"site": None},
        {"kind": 7},
        {"url": 7},
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, object]) -> None:
    told = json.loads(render(PageState(Page(fingerprint(URL), URL, "a.example", "s"))).removeprefix(FIELD))
    told["page"] |= change
    with pytest.raises(FormatError):
        parse(json.dumps(told).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b'{"page": []}', b"[" * 100_000])
def test_no_nonsense_gets_through(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse(data)
