"""Visible text, its places, the main content and the template, read by both parsers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract import lexbor, turbo
from recrawl.extract.document import Parsed, parse
from recrawl.extract.html import Parse
from recrawl.extract.settings import ExtractSettings
from recrawl.model.document import Block

both_parsers = pytest.mark.parametrize("parser", [turbo.parse, lexbor.parse], ids=["turbohtml", "lexbor"])

LONG = "This is a sentence of running text that is long enough to be content by itself, with no links in it. "


def parsed(html: str, parser: Parse = turbo.parse, ignore: tuple[str, ...] = ()) -> Parsed:
    return parse(html.encode(), "text/html; charset=utf-8", "https://example.org/", ignore=ignore, parse_html=parser)


def texts(blocks: tuple[Block, ...]) -> list[str]:
    return [block.text for block in blocks]


def test_nothing_is_read_before_it_is_asked_for() -> None:
    page = parsed("<title>t</title><p>x <a href=/y>y</a>")
    assert page.title == "t"
    assert not {"page", "_reading"} & set(vars(page))
    assert texts(page.blocks) == ["x y"]
    assert {"page", "_reading"} & set(vars(page))


VISIBLE = [
    ("<p>one<p>two", ["one", "two"]),
    ("one<p>two</p>three", ["one", "two", "three"]),
    ("<div>a<span>b</span> c<br>d\n\n e&nbsp;f</div>", ["ab c d e f"]),
    ("<ul><li>a<li>b<ul><li>c</ul>d</ul>", ["a", "b", "c", "d"]),
    ("<table><tr><th>a<td>b<tr><td>c</table>", ["a", "b", "c"]),
    ("<dl><dt>a<dd>b</dl>", ["a", "b"]),
    ("<pre>a\n  b</pre>", ["a b"]),
    ("<h1>a</h1>b", ["a", "b"]),
    ("<p>a<script>x</script><style>y</style>b", ["ab"]),
    ("<template>x</template>a", ["a"]),
    ("<p>a<!-- x -->b", ["ab"]),
    ("<title>x</title>a", ["a"]),
    ("<p hidden>x</p>a", ["a"]),
    ("<p hidden=until-found>x</p>a", ["x", "a"]),
    ("<p style='color:red; Display : none'>x</p>a", ["a"]),
    ("<p style='visibility:hidden'>x</p>a", ["a"]),
    ("<p style='x-display:none'>x</p>a", ["x", "a"]),
    ("<div style=display:none><p>x<p>y</div>a", ["a"]),
    ("<body><noscript>x</noscript>a", ["x", "a"]),
    ("<input type=hidden value=x><input value=y>a", ["a"]),
    ("<textarea>x</textarea>", ["x"]),
    ("<select><option>x<option>y</select>", ["x", "y"]),
    ("<button>x</button>", ["x"]),
    ("<iframe>x</iframe><video>x</video><object>x</object><canvas>x</canvas>a", ["a"]),
    ("<svg><title>x</title><desc>y</desc><text>z</text></svg>", ["z"]),
    ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>", ["漢かん"]),
    ("<p>   </p><p>\u00a0</p>a", ["a"]),
    ("<details><summary>s</summary>d</details>", ["s", "d"]),
    ("", []),
]


@both_parsers
@pytest.mark.parametrize(("html", "expected"), VISIBLE)
def test_the_text_that_can_be_seen_is_read_block_by_block(parser: Parse, html: str, expected: list[str]) -> None:
    assert texts(parsed(html, parser).blocks) == expected


@both_parsers
def test_headings_and_emphasis_have_a_level(parser: Parse) -> None:
    html = "<h1>a</h1><h3><span>b</span></h3><p><b>c</b></p><p><strong>d</strong> e and more</p>"
    assert [(block.text, block.level) for block in parsed(html, parser).blocks] == [
        ("a", 1),
        ("b", 3),
        ("c", 8),
        ("d e and more", 0),
    ]


@both_parsers
def test_ignored_elements_give_links_but_no_text(parser: Parse) -> None:
    html = "<p>a</p><div class=clock>12:00 <a href=/x>x</a></div><p id=b>b</p>"
    page = parsed(html, parser, ignore=(".clock", "#b", "::not-a-selector(", ""))
    assert texts(page.blocks) == ["a"]
    assert [link.url for link in page.links] == ["https://example.org/x"]


@both_parsers
def test_a_place_is_found_again_after_siblings_came_and_numbers_changed(parser: Parse) -> None:
    before = "<body class=p1><div id=box-17><ul class=news><li>a</ul><p class='x active'>t</p></div>"
    after = "<body class=p2><p>new</p><div id=box-18><hr><ul class=news><li>z<li>a</ul><p class=x>t</p></div>"
    old = {block.text: block.place for block in parsed(before, parser).blocks}
    new = {block.text: block.place for block in parsed(after, parser).blocks}
    assert old["a"] == new["a"] == new["z"]
    assert old["t"] == new["t"]
    assert len({new["a"], new["t"], new["new"]}) == 3


@both_parsers
def test_both_parsers_name_the_same_places(parser: Parse) -> None:
    html = "<div id=a class='x y'><p>one<section><h2>two</h2></section></div>"
    assert parsed(html, parser).blocks == parsed(html).blocks
    assert parsed(html, parser).template == parsed(html).template


FRAME = (
    "<header><a href=/>Home</a></header><nav><ul><li><a href=/1>One</a></ul></nav>{}"
    "<aside>Aside</aside><div class='cookie-consent'>We use cookies</div><footer>Copyright</footer>"
)


@both_parsers
@pytest.mark.parametrize(
    "content",
    [
        "<main><h1>Title</h1><p>Text</p></main>",
        "<div role=main><h1>Title</h1><p>Text</p></div>",
        "<div class=has-sidebar><main><h1>Title</h1><nav>Here</nav><p>Text</p></main></div>",
        "<article><header><h1>Title</h1></header><p>Text</p></article>",
        "<div><h1>Title</h1><p>Text</p></div>",
    ],
)
def test_the_main_content_stands_without_its_frame(parser: Parse, content: str) -> None:
    assert texts(parsed(FRAME.format(content), parser).main) == ["Title", "Text"]


def test_without_landmarks_long_text_tells_content_from_lists_of_links() -> None:
    links = "".join(f"<div><a href=/{number}>Another page {number}</a></div>" for number in range(12))
    page = parsed(f"<body><div>{links}</div><h2>Title</h2><p>{LONG}</p><p>short</p><p>{LONG}</p><div>{links}</div>")
    main = texts(page.main)
    assert main == ["Title", LONG.strip(), "short", LONG.strip()]


def test_korean_text_needs_half_as_many_characters_to_be_content() -> None:
    sentence = "오늘 서울의 날씨는 맑고 기온은 이십오도까지 올라갈 것으로 보이며 주말부터는 비가 내리겠습니다."
    links = "".join(f"<li><a href=/{number}>다른 기사</a>" for number in range(12))
    page = parsed(f"<ul>{links}</ul><p>{sentence}</p><p>{sentence}</p><ul>{links}</ul>")
    assert texts(page.main) == [sentence, sentence]


def test_where_nothing_stands_out_all_text_is_main() -> None:
    page = parsed("<ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul>")
    assert page.main == page.blocks != ()
    only_frame = parsed("<nav>Only a menu</nav>")
    assert only_frame.main == only_frame.blocks != ()


def test_a_class_that_lies_about_the_whole_page_is_not_believed() -> None:
    page = parsed(f"<div class=menu-page><p>{LONG}</p><p>{LONG}</p></div>")
    assert page.main == page.blocks != ()


def test_noscript_text_is_seen_but_is_no_main_content() -> None:
    page = parsed(f"<body><noscript>Please enable scripts</noscript><p>{LONG * 2}</p>")
    assert len(page.blocks) == 2
    assert texts(page.main) == [(LONG * 2).strip()]


def article(number: int) -> str:
    paragraphs = "".join(f"<p>{LONG}</p>" for _ in range(number))
    items = f"<ul>{'<li>x' * number}</ul><table class=data><tr><td>1</table>" if number % 2 else "<h2>Part</h2>"
    tags = f"<nav class=top>{'<a href=/x>x</a>' * number}</nav>"
    body = f"<article class=post id=post-{number}>{paragraphs}{items}</article>"
    return f"<body class=post-{number}>{tags}<main id=m{number}>{body}</main><footer id=f>c</footer>"


def listing(number: int) -> str:
    items = "".join(f"<li class='item i{at}'><a href=/{at}>x</a>" for at in range(number))
    return f"<body><nav class=top>x</nav><main><ul class=list>{items}</ul></main><footer id=f>c</footer>"


@both_parsers
def test_pages_of_one_template_share_its_hash_and_others_do_not(parser: Parse) -> None:
    articles = {parsed(article(number), parser).template for number in range(1, 8)}
    listings = {parsed(listing(number), parser).template for number in range(1, 8)}
    assert len(articles) == len(listings) == 1
    assert articles != listings


def test_bare_pages_are_told_apart_by_what_holds_their_text() -> None:
    prose = {parsed("<h1>t</h1>" + "<p>some text here</p>" * number).template for number in (2, 5, 9)}
    lists = {parsed("<h1>t</h1><ul>" + "<li>some text here" * number + "</ul>").template for number in (2, 5, 9)}
    assert len(prose) == len(lists) == 1
    assert prose != lists


def test_limits_on_text_and_nodes_are_kept() -> None:
    few = ExtractSettings(node_limit=20)
    assert 0 < len(parse(b"<p>0123456789" * 100, "text/html", "https://example.org/", few).blocks) < 10
    assert len(parse(b"<r>" + b"<a>x</a>" * 100 + b"</r>", "text/xml", "https://example.org/", few).blocks) < 10
    short = ExtractSettings(text_chars=35)
    for body, kind in ((b"<p>0123456789", "text/html"), (b"<b>0123456789</b>", "text/html"), (b"0\n\n", "text/plain")):
        blocks = parse(body * 100, kind, "https://example.org/", short).blocks
        assert 5 < sum(len(block.text) for block in blocks) <= 35


@both_parsers
@given(st.lists(st.text(alphabet="abc 가나다 &lt;", min_size=1, max_size=30).filter(str.strip), max_size=15))
def test_paragraphs_that_were_rendered_come_back_in_order(parser: Parse, paragraphs: list[str]) -> None:
    html = "".join(f"<p>{text.replace('&', '&amp;').replace('<', '&lt;')}</p>" for text in paragraphs)
    assert texts(parsed(html, parser).blocks) == [" ".join(text.split()) for text in paragraphs]
