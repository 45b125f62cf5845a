"""What changed in a page's records, field by field."""

from dataclasses import replace

from recrawl.extract.records_changes import changes_of
from recrawl.model.record import Record, RecordSource


def record(at: float, **data: object) -> Record:
    return Record(1, at, kind="item", data=data, wrapper="w")


def told(*records: Record) -> list[tuple[str, object, object]]:
    return [(change.field, change.before, change.after) for change in changes_of(records)]


def test_a_field_that_differs_is_a_change_with_both_values_and_both_moments() -> None:
    [change] = changes_of([record(1.0, price=5, title="a"), record(3.0, price=6, title="a")])
    assert (change.page, change.previous_at, change.at, change.kind) == (1, 1.0, 3.0, "item")
    assert (change.field, change.before, change.after) == ("price", 5, 6)


def test_a_price_is_one_value() -> None:
    old, new = {"amount": 5, "currency": "EUR"}, {"amount": 4.5, "currency": "EUR"}
    assert told(record(1.0, price=old), record(2.0, price=new)) == [("price", old, new)]


def test_objects_are_compared_by_their_parts() -> None:
    before, after = {"price": "5", "stock": 3}, {"price": "6", "stock": 3, "until": "x"}
    assert told(record(1.0, offers=before), record(2.0, offers=after)) == [
        ("offers.price", "5", "6"),
        ("offers.until", None, "x"),
    ]


def test_items_of_a_list_come_and_go_and_their_order_says_nothing() -> None:
    one, two, three = {"stars": 1}, {"stars": 2}, {"stars": 3}
    assert told(record(1.0, reviews=[one, two]), record(2.0, reviews=[two, one])) == []
    assert told(record(1.0, reviews=[one, two, two]), record(2.0, reviews=[two, three])) == [
        ("reviews[]", one, None),
        ("reviews[]", two, None),
        ("reviews[]", None, three),
    ]


def test_a_field_that_vanishes_or_appears_is_told() -> None:
    assert told(record(1.0, a=1, b=None), record(2.0, a=None, b=2)) == [("a", 1, None), ("b", None, 2)]


def test_a_broken_version_is_stepped_over() -> None:
    broken = Record(1, 2.0, kind="item", missing=("price",), wrapper="w")
    assert told(record(1.0, price=5), broken, record(3.0, price=5)) == []
    assert told(record(1.0, price=5), broken, record(3.0, price=7)) == [("price", 5, 7)]
    assert told(broken, replace(broken, at=3.0)) == []


def test_a_field_added_to_the_site_file_is_no_change_of_the_page() -> None:
    old, new = record(1.0, price=5), replace(record(2.0, price=6, brand="x"), wrapper="other")
    assert told(old, new) == [("price", 5, 6)]


def test_things_of_one_kind_are_told_apart_by_their_names_and_not_by_their_places() -> None:
    def product(at: float, place: int, sku: str, price: int) -> Record:
        return Record(1, at, place, "Product", RecordSource.JSON_LD, {"sku": sku, "price": price})

    before = [product(1.0, 0, "a", 1), product(1.0, 1, "b", 2)]
    after = [product(2.0, 0, "b", 2), product(2.0, 1, "a", 9), product(2.0, 2, "c", 3)]
    assert told(*before, *after) == [("price", 1, 9), ("", None, {"sku": "c", "price": 3})]


def test_the_only_thing_of_its_kind_stays_the_same_thing_under_a_new_name() -> None:
    old = Record(1, 1.0, 0, "Product", RecordSource.JSON_LD, {"name": "a", "price": 1})
    new = replace(old, at=2.0, data={"name": "b", "price": 1})
    assert told(old, new) == [("name", "a", "b")]
