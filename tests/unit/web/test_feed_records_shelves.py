"""Atom, records as tables and curves, categories as a tree, numbers as words."""

import xml.etree.ElementTree as ET

from tests.unit.web.conftest import NOW

from recrawl.model.event import Event, EventKind
from recrawl.model.record import Record
from recrawl.model.search import Shelf
from recrawl.web import words
from recrawl.web.atom import atom
from recrawl.web.records import Line, RecordList, histories, table
from recrawl.web.shelves import question, tree

ATOM = "{http://www.w3.org/2005/Atom}"


def test_every_change_is_an_entry_with_an_identity_of_its_own() -> None:
    events = [
        Event(EventKind.UPDATED, NOW, "http://n.example/<&\x07", "a", 5, share_changed=0.25, cursor=9),
        Event(
            EventKind.MOVED, NOW - 1, "http://n.example/old", "a", 6, facts={"target": "http://n.example/new"}, cursor=8
        ),
    ]
    feed = ET.fromstring(atom(events, "http://127.0.0.1:8800"))
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}id") for entry in entries] == ["urn:recrawl:a:9", "urn:recrawl:a:8"]
    assert entries[0].findtext(f"{ATOM}title") == "Changed: http://n.example/<&\ufffd"
    assert entries[0].findtext(f"{ATOM}summary") == "25.0% of the text is different."
    assert entries[1].findtext(f"{ATOM}summary") == "It moved to http://n.example/new."
    assert feed.findtext(f"{ATOM}updated") == entries[0].findtext(f"{ATOM}updated")


def test_an_empty_feed_is_a_feed() -> None:
    assert ET.fromstring(atom([], "http://127.0.0.1:8800", "a")).findtext(f"{ATOM}title") == "Changes of a"


def test_records_become_a_table_with_dotted_columns() -> None:
    lines = (
        Line(Record(1, NOW, kind="Product", data={"name": "Tea", "offer": {"price": 4}}), "http://n.example/1"),
        Line(Record(2, NOW, kind="Product", data={"name": "Lamp", "tags": ["a", "b"]}), "http://n.example/2"),
        Line(Record(3, NOW, kind="Review", data={"stars": 5}), "http://n.example/3"),
    )
    found = table(RecordList(lines, None), "Product")
    assert found.kinds == ("Product", "Review") and found.columns == ("name", "offer.price", "tags")
    assert [cells for _, cells in found.rows] == [("Tea", "4", ""), ("Lamp", "", "a, b")]


def test_a_price_read_more_than_once_has_a_curve() -> None:
    records = [Record(1, NOW + day, data={"price": f"{3 + day}.5", "name": "Tea", "stock": day}) for day in range(3)]
    assert [(plot.field, plot.first, plot.last) for plot in histories(records)] == [
        ("price", 3.5, 5.5),
        ("stock", 0, 2),
    ]
    assert histories(records[:1]) == []


def test_categories_are_counted_up_the_tree() -> None:
    shelves = [Shelf("a", "news/sport", 3), Shelf("b", "news/sport", 1), Shelf("a", "news", 2), Shelf("a", "", 9)]
    [news] = tree(shelves)
    assert (news.name, news.documents, news.own) == ("news", 6, 2)
    assert [(one.category, one.documents) for one in news.branches] == [("news/sport", 4)]
    assert [branch.documents for branch in tree(shelves, "b")] == [1]


def test_fields_of_a_form_join_the_words_as_filters() -> None:
    assert question(" fog ", site="a b", category="") == 'fog site:"a b"'
    assert question("", site='x" OR "y') == 'site:"x  OR  y"'


def test_numbers_and_moments_read_well_and_markup_is_escaped() -> None:
    assert (words.size(999), words.size(1500), words.percent(None), words.percent(0.5)) == (
        "999 B",
        "1.5 KB",
        "–",
        "50.0%",
    )
    assert words.number(1234567) == "1\u202f234\u202f567"
    assert ">in 2m<" in words.away(NOW + 120, NOW) and ">2m ago<" in words.away(NOW - 120, NOW)
    assert words.away(None, NOW) == "never" and ">now<" in words.away(NOW, NOW)
    assert words.shown("http://n.example/<b>") == "http:/<wbr>/<wbr>n.example/<wbr>&lt;b&gt;"
