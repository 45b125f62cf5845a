"""What a store promises about records, over every implementation."""

from dataclasses import replace

import pytest

from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Page
from recrawl.model.record import Record, RecordSource
from recrawl.ports import Store


def page(name: str, site: str = "one") -> Page:
    url = f"http://a.example/{name}"
    return Page(fingerprint(url), url, "a.example", site=site)


def record(of: Page, at: float, **known: object) -> Record:
    return replace(Record(of.id, at, kind="Product", data={"price": 1.5}, wrapper="w1"), **known)  # type: ignore[arg-type]


def test_a_store_without_records_says_so(store: Store) -> None:
    assert store.records([1, 2]) == store.newest_records([1]) == store.records([]) == store.newest_records([]) == []
    assert store.record_pages() == store.record_pages("one") == []


def test_every_field_of_a_record_comes_back(store: Store) -> None:
    whole = Record(
        page=page("x").id,
        at=1767225601.000001,
        place=3,
        kind="Prodükt",
        source=RecordSource.MICRODATA,
        data={
            "title": "Öl 油",
            "price": {"amount": 1234.5, "currency": "EUR"},
            "sold": None,
            "sizes": [1, 2],
            "new": True,
        },
        wrapper="0f",
    )
    store.save(Batch(pages=(page("x"),), records=(whole,)))
    assert store.records([whole.page]) == [whole]
    assert store.newest_records([whole.page]) == [whole]


def test_a_broken_wrapper_is_kept_as_what_was_missing_and_never_as_an_empty_record(store: Store) -> None:
    broken = Record(page("x").id, 5.0, kind="Product", missing=("price", "title"), wrapper="w1")
    store.save(Batch(pages=(page("x"),), records=(broken,)))
    [found] = store.records([broken.page])
    assert found == broken
    assert found.broken and found.data == {}


def test_records_come_page_by_page_as_asked_and_oldest_version_first(store: Store) -> None:
    one, two = page("x"), page("y")
    stored = (record(one, 9.0), record(two, 1.0), record(one, 3.0, place=1), record(one, 3.0))
    store.save(Batch(pages=(one, two), records=stored))
    found = store.records([two.id, one.id, two.id, 77])
    assert [(entry.page, entry.at, entry.place) for entry in found] == [
        (two.id, 1.0, 0),
        (one.id, 3.0, 0),
        (one.id, 3.0, 1),
        (one.id, 9.0, 0),
    ]


def test_the_newest_records_are_those_of_the_newest_version_alone(store: Store) -> None:
    one = page("x")
    store.save(Batch(pages=(one,), records=(record(one, 3.0), record(one, 3.0, place=1), record(one, 8.0))))
    assert store.newest_records([one.id]) == [record(one, 8.0)]
    store.save(Batch(records=(record(one, 2.0),)))
    assert store.newest_records([one.id]) == [record(one, 8.0)]


def test_what_is_read_from_a_version_again_takes_the_place_of_all_that_it_had(store: Store) -> None:
    one = page("x")
    store.save(Batch(pages=(one,), records=(record(one, 3.0), record(one, 3.0, place=1), record(one, 4.0))))
    again = record(one, 3.0, data={"price": 2}, wrapper="w2")
    for _ in range(2):  # a batch can be written twice
        store.save(Batch(records=(again,)))
        assert store.records([one.id]) == [again, record(one, 4.0)]


def test_pages_with_records_can_be_walked_through_site_by_site(store: Store) -> None:
    pages = [page(str(number), "two" if number % 3 else "one") for number in range(30)]
    store.save(Batch(pages=tuple(pages), records=tuple(record(one, at) for one in pages[:20] for at in (1.0, 2.0))))
    walked: list[int] = []
    while found := store.record_pages("two", after=walked[-1] if walked else None, limit=4):
        walked += found
    assert walked == sorted(one.id for one in pages[:20] if one.site == "two")
    assert store.record_pages(limit=100) == sorted(one.id for one in pages[:20])
    assert store.record_pages("three") == store.record_pages(limit=0) == []


def test_many_pages_can_be_asked_for_at_once(store: Store) -> None:
    pages = [page(str(number)) for number in range(700)]
    store.save(Batch(pages=tuple(pages), records=tuple(record(one, 1.0) for one in pages)))
    ids = [one.id for one in pages]
    assert [found.page for found in store.records(ids)] == ids
    assert [found.page for found in store.newest_records(ids)] == ids


@pytest.mark.parametrize("kind", [EventKind.WRAPPER_BROKEN, EventKind.WRAPPER_MENDED])
def test_the_news_of_a_wrapper_is_kept(kind: EventKind, store: Store) -> None:
    store.save(Batch(events=(Event(kind, 4.0, "http://a.example/x", "one", 5, facts={"missing": ["price"]}),)))
    [found] = store.events(kinds=[kind])
    assert (found.kind, found.page, found.facts) == (kind, 5, {"missing": ["price"]})


def test_equal_data_has_one_digest_whatever_the_order_of_its_fields() -> None:
    one = record(page("x"), 1.0, data={"a": 1, "b": 2})
    assert one.digest == replace(one, at=9.0, data={"b": 2, "a": 1}).digest
    assert one.digest != replace(one, data={"a": 1, "b": 3}).digest


def test_broken_are_the_pages_of_whose_newest_version_nothing_could_be_read(store: Store) -> None:
    never, once, mended, other = page("a"), page("b"), page("c"), page("d", "two")
    fact = {"missing": ("price",), "data": {}}
    records = (
        record(never, 1.0, **fact),
        record(once, 1.0),
        record(once, 2.0, **fact),
        record(mended, 1.0, **fact),
        record(mended, 2.0),
        record(other, 5.0, **fact),
    )
    store.save(Batch(pages=(never, once, mended, other), records=records))
    expected = sorted([(never.id, 1.0), (once.id, 2.0), (other.id, 5.0)])
    assert [(one.page, one.at) for one in store.broken_records()] == expected
    assert [one.page for one in store.broken_records("two")] == [other.id]
    assert [one.page for one in store.broken_records(after=expected[0][0], limit=1)] == [expected[1][0]]
    assert store.broken_records("three") == store.broken_records(limit=0) == []
