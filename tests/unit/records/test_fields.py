"""The wrapper finds what a site file describes, and says what it could not find."""

import time

import pytest

from recrawl.extract.records import MOST_ITEMS, Extraction, wrapper_of
from recrawl.extract.records_page import open_page
from recrawl.lab.shop import Shop
from recrawl.lab.shop_pages import item_page
from recrawl.model.failure import ConfigError
from recrawl.model.site import Field, FieldType

URL = "https://shop.example/item/1"


def read(html: str, *fields: Field, url: str = URL) -> Extraction:
    page = open_page(html.encode(), "text/html; charset=utf-8", url)
    assert page is not None
    return page.by(wrapper_of(fields))


def value(html: str, **written: object) -> object:
    return read(html, Field("x", **written)).data["x"]  # type: ignore[arg-type]


def test_css_and_xpath_find_the_same() -> None:
    html = "<p>no</p><div id=a><p class=t>The <b>text</b></p></div>"
    assert value(html, css="#a .t") == value(html, xpath="//div[@id='a']/p") == "The text"


def test_an_attribute_is_taken_instead_of_the_text() -> None:
    assert value("<a data-id='7'>x</a>", css="a", attribute="data-id") == "7"
    assert value("<a>x</a>", css="a", attribute="data-id") is None


def test_xpath_may_name_an_attribute_a_text_or_a_count() -> None:
    html = "<a href='/q'>one <b>two</b></a><a>x</a>"
    assert value(html, xpath="//a/@href", type=FieldType.URL) == "https://shop.example/q"
    assert value(html, xpath="//a/text()") == "one"
    assert value(html, xpath="count(//a)", type=FieldType.NUMBER) == 2
    assert value(html, xpath="string(//nothing)") is None


def test_a_regular_expression_cuts_out_its_first_group_or_all_it_matches() -> None:
    html = "<p>Article 4711, size 42</p>"
    assert value(html, css="p", regex=r"Article (\d+)") == "4711"
    assert value(html, css="p", regex=r"size \d+") == "size 42"
    assert value(html, css="p", regex="colour (.+)") is None


def test_a_regular_expression_sees_the_text_as_people_do() -> None:
    assert value("<p>12\n   <b>reviews</b></p>", css="p", regex=r"(\d+) reviews", type=FieldType.NUMBER) == 12


def test_a_regular_expression_without_a_selector_looks_at_the_whole_page() -> None:
    assert value("<p>Order no. <b>12</b>-34</p>", regex=r"no\. (\S+)") == "12-34"


def test_a_script_is_read_when_it_is_asked_for_and_never_otherwise() -> None:
    html = "<div>seen<script>var price = 12.5;</script><style>p{}</style></div>"
    assert value(html, css="script", regex=r"price = ([\d.]+)", type=FieldType.NUMBER) == 12.5
    assert value(html, css="div") == "seen"


def test_text_has_spaces_between_blocks_and_none_between_letters() -> None:
    assert value("<div><p>a<b>b</b>c</p><p>d</p>e<br>f</div>", css="div") == "abc d e f"


def test_a_price_in_pieces_is_one_price() -> None:
    html = "<p><span>€</span><span>1.234</span><span>,50</span></p>"
    assert value(html, css="p", type=FieldType.PRICE) == {"amount": 1234.5, "currency": "EUR"}


def test_addresses_are_absolute_and_lead_to_the_web() -> None:
    html = "<base href='/shop/'><a href='a?b#c'>x</a><i data-u='javascript:go()'></i>"
    assert value(html, css="a", attribute="href", type=FieldType.URL) == "https://shop.example/shop/a?b#c"
    assert value(html, css="i", attribute="data-u", type=FieldType.URL) is None


def test_a_list_has_an_item_for_each_element_and_its_own_type() -> None:
    html = "<ul><li>1,5<li>x<li>2<li></ul>"
    found = read(html, Field("n", css="li", type=FieldType.LIST, of=FieldType.NUMBER, locale="de"))
    assert found.data == {"n": [1.5, 2]}
    assert found.faults == ("n: 'x' is no number",)
    assert value(html, css="b", type=FieldType.LIST) == []


def test_records_inside_a_record_are_read_relative_to_their_element() -> None:
    html = (
        "<li class=r id=7><b>5</b><time>1.2.2026</time></li><li class=r id=8><b>3</b><ul><li>x<li>y</ul></li><b>9</b>"
    )
    fields = (
        Field("id", attribute="id", type=FieldType.NUMBER),
        Field("stars", css="b", type=FieldType.NUMBER),
        Field("on", xpath="./time", type=FieldType.DATE),
        Field("notes", css="ul > li", type=FieldType.LIST),
    )
    assert value(html, css="li.r", type=FieldType.LIST, fields=fields) == [
        {"id": 7, "stars": 5, "on": "2026-02-01", "notes": []},
        {"id": 8, "stars": 3, "on": None, "notes": ["x", "y"]},
    ]


def test_an_inner_record_without_what_is_required_of_it_is_left_out_and_named() -> None:
    html = "<li><b>5</b><li>advert"
    inner = (Field("stars", css="b", type=FieldType.NUMBER, required=True), Field("text", regex=".+"))
    found = read(html, Field("reviews", css="li", type=FieldType.LIST, fields=inner))
    assert found.data == {"reviews": [{"stars": 5, "text": "5"}]}
    assert found.faults == ("reviews: one without reviews.stars is left out",)


def test_a_missing_field_is_null_and_a_missing_required_one_is_named() -> None:
    found = read("<p>x</p>", Field("a", css="p"), Field("b", css="i"), Field("c", css="b", required=True))
    assert found.data == {"a": "x", "b": None, "c": None}
    assert found.missing == ("c",)
    assert not found.empty
    assert read("<p>x</p>", Field("b", css="i"), Field("c", css="b", type=FieldType.LIST)).empty


def test_the_first_element_with_any_text_decides_and_no_other_is_taken_in_its_place() -> None:
    html = "<p class=price></p><p class=price>Sold out</p><aside><p class=price>€ 5</p></aside>"
    found = read(html, Field("price", css=".price", type=FieldType.PRICE, required=True))
    assert found.missing == ("price",)
    assert found.faults == ("price: 'Sold out' is no price",)


def test_what_stands_in_an_inert_template_is_no_part_of_the_page() -> None:
    assert value("<template><p>old</p></template><p>new</p>", css="p") == "new"


def test_a_list_without_end_is_cut() -> None:
    found = value("<i>x</i>" * (MOST_ITEMS + 50), css="i", type=FieldType.LIST)
    assert isinstance(found, list) and len(found) == MOST_ITEMS


@pytest.mark.parametrize("content_type", ["application/json", "image/png", "text/plain"])
def test_only_pages_have_records(content_type: str) -> None:
    assert open_page(b'{"a": 1}', content_type, URL) is None


def test_the_charset_of_the_page_counts() -> None:
    page = open_page("<meta charset=euc-kr><p>12,000원</p>".encode("euc-kr"), "text/html", URL)
    assert page is not None
    found = page.by(wrapper_of([Field("price", css="p", type=FieldType.PRICE)]))
    assert found.data == {"price": {"amount": 12000, "currency": "KRW"}}


WRONG = [
    (Field("a", css="div["), "field a: invalid CSS selector"),
    (Field("a", xpath="//["), "field a: expected a node test"),
    (Field("a", xpath="//a[foo()]"), "unknown function 'foo'"),
    (Field("a", css="a", regex="("), "field a: '(' is not a regular expression"),
    (Field("a", css="a", regex=r"(a)\1"), "can take for ever"),
    (Field("a", css="a", regex="(?=x)"), "can take for ever"),
    (Field("a"), "does not say where it stands"),
    (Field("a", css="a", xpath="//a"), "write one of them"),
    (Field("", css="a"), "has no name"),
    (Field("a", css="a", type=FieldType.LIST, fields=(Field("b", css="["),)), "field a.b: invalid CSS"),
]


@pytest.mark.parametrize(("field", "message"), WRONG)
def test_a_field_that_cannot_be_meant_so_is_refused_by_name(field: Field, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        wrapper_of([field])
    assert message in str(caught.value)


def test_two_fields_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="field a is written twice"):
        wrapper_of([Field("a", css="a"), Field("a", css="b")])


def test_other_fields_have_another_digest() -> None:
    one = wrapper_of([Field("a", css="p")])
    assert one.digest == wrapper_of([Field("a", css="p")]).digest
    assert one.digest != wrapper_of([Field("a", css="p", required=True)]).digest


@pytest.mark.parametrize(
    "html", ["<div>" * 20_000 + "x", "<p>" + "a" * 2_000_000, "<i>x</i>" * 50_000, "<b " + "x=y " * 30_000 + ">"]
)
def test_no_page_keeps_it_busy(html: str) -> None:
    started = time.process_time()
    fields = [
        Field("a", css="div"),
        Field("b", css="p", regex="(a+)+b"),
        Field("c", css="i", type=FieldType.LIST),
        Field("d", xpath="//div//b"),
        Field("e", css="p", type=FieldType.PRICE),
    ]
    read(html, *fields)
    assert time.process_time() - started < 3.0


SHOP_FIELDS = (
    Field("title", css="h1", required=True),
    Field("price", css="p.price", type=FieldType.PRICE, required=True),
    Field("added", css="time.added", type=FieldType.DATE, required=True),
    Field("review_count", css="section h2", regex=r"(\d+) reviews", type=FieldType.NUMBER, required=True),
    Field(
        "reviews",
        css="li.review",
        type=FieldType.LIST,
        fields=(
            Field("stars", css=".stars", type=FieldType.NUMBER, required=True),
            Field("author", css=".author"),
            Field("on", css="time", type=FieldType.DATE),
            Field("text", xpath=".//q"),
        ),
    ),
)


def test_every_product_of_the_bundled_shop_is_read_without_a_fault() -> None:
    shop = Shop()
    wrapper = wrapper_of(SHOP_FIELDS)
    for product in shop.products:
        html = item_page(product, shop.products[:3], "0a1b", product.number % 3)
        page = open_page(html.encode(), "text/html", URL)
        assert page is not None
        found = page.by(wrapper)
        assert (found.missing, found.faults) == ((), ())
        assert found.data == {
            "title": product.title,
            "price": {"amount": float(product.price), "currency": product.currency},
            "added": product.added_on.isoformat(),
            "review_count": len(product.reviews),
            "reviews": [
                {"stars": one.stars, "author": one.author, "on": one.on.isoformat(), "text": one.text}
                for one in product.reviews
            ],
        }


def test_an_expression_that_fails_on_a_page_is_a_fault_and_no_crash() -> None:
    found = read("<p>x</p>", Field("a", xpath="//p[count('x') > 1]", required=True), Field("b", css="p"))
    assert found.data == {"a": None, "b": "x"}
    assert found.missing == ("a",)
    assert found.faults[0].startswith("a: ")
