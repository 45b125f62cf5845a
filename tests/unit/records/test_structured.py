"""What pages say of themselves becomes records without a word in the site file."""

import json
import time

import pytest

from recrawl.extract.document import read
from recrawl.extract.records_page import open_page
from recrawl.extract.structured import Item
from recrawl.lab.shop import Shop
from recrawl.lab.shop_pages import item_page
from recrawl.model.record import RecordSource

URL = "https://shop.example/dir/page"


def told(html: str) -> list[Item]:
    page = open_page(html.encode(), "text/html", URL)
    assert page is not None
    return page.ready_made()


def script(*values: object) -> str:
    texts = (value if isinstance(value, str) else json.dumps(value) for value in values)
    return "".join(f'<script type="application/ld+json">{text}</script>' for text in texts)


def test_json_ld_is_a_record_of_its_type() -> None:
    product = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": "Lamp",
        "offers": {"@type": "Offer", "price": 5},
    }
    assert told(script(product)) == [
        Item("Product", RecordSource.JSON_LD, {"name": "Lamp", "offers": {"@type": "Offer", "price": 5}})
    ]


@pytest.mark.parametrize(
    ("written", "kind"),
    [("https://schema.org/Product", "Product"), ("schema:Product", "Product"), (["Product", "Thing"], "Product")],
)
def test_a_type_is_known_by_its_last_word(written: object, kind: str) -> None:
    assert told(script({"@type": written, "name": "x"}))[0].kind == kind


def test_a_graph_gives_its_main_things_with_what_they_refer_to() -> None:
    graph = [
        {"@type": "WebSite", "@id": "#site", "name": "S"},
        {"@type": "WebPage", "@id": "#page", "isPartOf": {"@id": "#site"}, "mainEntity": {"@id": "#p"}},
        {"@type": "BreadcrumbList", "itemListElement": [1]},
        {"@type": "Product", "@id": "#p", "name": "P", "offers": {"@id": "#o"}},
        {"@type": "Offer", "@id": "#o", "price": 3, "itemOffered": {"@id": "#p"}},
    ]
    [product] = told(script({"@context": "x", "@graph": graph}))
    assert product.kind == "Product"
    assert product.data["offers"] == {"@type": "Offer", "@id": "#o", "price": 3, "itemOffered": {"@id": "#p"}}


def test_what_a_page_is_mainly_about_counts_as_if_it_stood_alone() -> None:
    found = told(script({"@type": "WebPage", "mainEntity": {"@type": "Person", "name": "Ada"}}))
    assert [(one.kind, one.data) for one in found] == [("Person", {"name": "Ada"})]


def test_several_things_are_several_records() -> None:
    found = told(
        script([{"@type": "Event", "name": "a"}, {"@type": "Event", "name": "b"}], {"@type": "Place", "name": "c"})
    )
    assert [(one.kind, one.data["name"]) for one in found] == [("Event", "a"), ("Event", "b"), ("Place", "c")]


@pytest.mark.parametrize(
    "text",
    [
        '{"@type": "A", "n": "two\nlines"}',
        '{"@type": "A", "n": "two lines",}',
        '<!-- {"@type": "A", "n": 1} -->',
        '/*<![CDATA[*/ {"@type": "A", "n": 1} /*]]>*/',
        '//<![CDATA[\n{"@type": "A", "n": [1, 2, ],}\n]]>',
    ],
)
def test_the_slips_that_sites_make_are_forgiven(text: str) -> None:
    assert [one.kind for one in told(script(text))] == ["A"]


@pytest.mark.parametrize(
    "text", ["", "{", "no json", "[" * 50_000, "null", "3", '"x"', "{}", '{"name": "no type"}', "NaN"]
)
def test_what_makes_no_sense_is_left_alone(text: str) -> None:
    assert told(script(text)) == []


def test_what_json_can_spell_but_no_text_can_hold_is_replaced() -> None:
    [item] = told(script('{"@type": "A", "n": "\\ud800x", "m": NaN}'))
    assert item.data == {"n": "\ufffdx", "m": None}


def test_microdata_is_a_record_with_its_items_inside() -> None:
    html = """<div itemscope itemtype="https://schema.org/Product" itemid="urn:1" itemref="more">
      <h1 itemprop="name"> The  Lamp</h1> <a itemprop="url" href="../r">u</a>
      <b itemprop="tag">a</b><b itemprop="tag">b</b>
      <time itemprop="releaseDate" datetime="2026-01-01">new</time>
      <p itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="5"></p></div>
      <p id="more" itemprop="description">more</p>"""
    [item] = told(html)
    assert (item.kind, item.source) == ("Product", RecordSource.MICRODATA)
    assert item.data == {
        "@id": "urn:1",
        "name": "The Lamp",
        "url": "https://shop.example/r",
        "tag": ["a", "b"],
        "releaseDate": "2026-01-01",
        "offers": {"@type": "Offer", "price": "5"},
        "description": "more",
    }


def test_opengraph_is_a_record_where_there_is_nothing_better() -> None:
    html = """<meta property="og:type" content="article"><meta property="og:title" content=" A  title">
      <meta property="og:image" content="/1.png"><meta property="og:image" content="/2.png">
      <meta property="article:published_time" content="2026-01-01"><meta property="fb:app_id" content="1">"""
    opengraph = Item(
        "article",
        RecordSource.OPENGRAPH,
        {
            "title": "A title",
            "image": ["https://shop.example/1.png", "https://shop.example/2.png"],
            "article:published_time": "2026-01-01",
        },
    )
    assert told(html) == [opengraph]
    assert told(html + script({"@type": "Organization", "name": "Everywhere"})) == [opengraph]
    assert [one.kind for one in told(html + script({"@type": "NewsArticle", "headline": "A title"}))] == ["NewsArticle"]


def test_a_thing_told_of_in_two_ways_is_one_record() -> None:
    html = (
        script({"@type": "Product", "name": "a"})
        + "<p itemscope itemtype='https://schema.org/Product'><b itemprop=name>a</b>"
    )
    assert [one.source for one in told(html)] == [RecordSource.JSON_LD]


def test_what_every_page_repeats_counts_only_where_there_is_nothing_else() -> None:
    everywhere = {"@type": "Organization", "name": "Shop"}
    assert [one.kind for one in told(script(everywhere))] == ["Organization"]
    assert [one.kind for one in told(script(everywhere, {"@type": "Recipe", "name": "Soup"}))] == ["Recipe"]
    assert told(script({"@type": "BreadcrumbList", "itemListElement": []})) == []


def test_the_bundled_shop_offers_its_products_where_it_says_so() -> None:
    shop = Shop(each=3)
    for product in shop.products:
        style = product.number % 3
        html = item_page(product, (), "0a", style)
        assert read(html.encode(), "text/html", "http://a.example/").offers is (style != 2)
        found = told(html)
        if style == 2:
            assert found == []
            continue
        [item] = found
        assert item.kind == "Product"
        assert item.data["name"] == product.title
        offers = item.data["offers"]
        assert isinstance(offers, dict)
        assert (offers["price"], offers["priceCurrency"]) == (str(product.price), product.currency)


@pytest.mark.parametrize(
    "html",
    [
        "<div itemscope itemprop=a itemtype=x>" * 5_000,
        "<p id=a itemscope itemprop=x itemref=a>" * 100,
        script([{"@type": "A", "@id": str(n), "r": [{"@id": str(m)} for m in range(10)]} for n in range(60)]),
        script('{"@type":"A","b":' * 900 + "1" + "}" * 900),
        '<meta property="og:image" content="x">' * 20_000,
    ],
    ids=["deep", "cycle", "references", "nested", "many"],
)
def test_no_page_keeps_it_busy(html: str) -> None:
    started = time.process_time()
    told(html)
    assert time.process_time() - started < 2.0
