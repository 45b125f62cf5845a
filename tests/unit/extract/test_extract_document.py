"""Whole documents: golden pages, kinds of media, directives, languages, and that nothing ever raises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.extract import lexbor, turbo_late
from recrawl.extract.document import parse, read
from recrawl.extract.html import Parse
from recrawl.extract.mime import Kind, essence, kind_of, parameter
from recrawl.extract.settings import ExtractSettings
from recrawl.model.document import Document, Media

URL = "https://news.example.kr/2024/05/01/article.html"

KOREAN = """<!DOCTYPE html>
<html lang="ko"><head><meta http-equiv="Content-Type" content="text/html; charset=euc-kr">
<title>날씨 &mdash; 서울 신문</title><link rel="canonical" href="/article/77">
<meta name="ROBOTS" content="NoArchive, max-snippet:20"></head>
<body><div id="gnb"><a href="/">홈</a> <a href="/list.html?섹션=사회">사회</a></div>
<div id="content"><h1>서울, 내일도 맑음</h1>
<p>기상청은 내일도 서울의 날씨가 맑고 낮 기온이 이십오도까지 오를 것으로 내다보았다. 주말에는 비가 온다.</p>
<p>남부 지방은 <em>금요일</em> 오후부터 흐려지겠으며, 제주도에는 강한 바람이 불 것으로 예상된다고 밝혔다.</p></div>
<div class="footer">저작권 서울 신문</div></body></html>"""

JAPANESE = """<html><head><title>天気予報</title></head><body><main><h1>明日の天気</h1>
<p>明日の東京は晴れで、気温は二十五度まで上がる見込みです。</p><a href="次.html">次へ</a></main></body></html>"""

CHINESE = """<html><head><title>天气预报</title></head><body><nav><a href="a.html">首页</a></nav>
<p>今天北京的天气晴朗，气温将上升到二十五度。气象局表示，从周末开始南方地区将会下雨。市民们最好准备好雨伞。</p>
<p>这是一个关于网络爬虫的测试页面，用来检查没有声明编码的网页能不能正确地显示出来。</p></body></html>"""


def whole(html: str, codec: str = "utf-8", content_type: str = "text/html", **more: object) -> Document:
    return read(html.encode(codec), content_type, URL, **more)  # type: ignore[arg-type]


def test_a_korean_page_is_read_whole() -> None:
    page = whole(KOREAN, "euc-kr")
    assert (page.media, page.charset, page.language, page.base) == (Media.HTML, "euc-kr", "ko", URL)
    assert page.title == "날씨 — 서울 신문"
    assert page.canonical == "https://news.example.kr/article/77"
    assert page.directives == {"noarchive", "max-snippet:20"}
    assert [(link.url, link.relation, link.text) for link in page.links] == [
        ("https://news.example.kr/article/77", "canonical", ""),
        ("https://news.example.kr/", "a", "홈"),
        ("https://news.example.kr/list.html?%BC%BD%BC%C7=%BB%E7%C8%B8", "a", "사회"),
    ]
    assert page.text.startswith("서울, 내일도 맑음\n기상청은")
    assert "저작권" not in page.text
    assert page.blocks[-1].text == "저작권 서울 신문"


@pytest.mark.parametrize("codec", ["cp932", "euc_jp", "iso2022_jp", "utf-8", "utf-16"])
def test_a_japanese_page_is_read_in_every_encoding_without_being_declared(codec: str) -> None:
    page = whole(JAPANESE, codec)
    assert page.title == "天気予報"
    assert page.language == "ja"
    assert page.text == "明日の天気\n明日の東京は晴れで、気温は二十五度まで上がる見込みです。\n次へ"
    assert page.links[0].url == "https://news.example.kr/2024/05/01/%E6%AC%A1.html"


@pytest.mark.parametrize("codec", ["gb18030", "utf-8", "utf-16-le"])
def test_a_chinese_page_is_read_in_every_encoding_without_being_declared(codec: str) -> None:
    page = whole(CHINESE, codec)
    assert (page.title, page.language) == ("天气预报", "zh")
    assert "首页" not in page.text
    assert page.text.count("\n") == 1


LANGUAGES = [
    ("<html lang=en-US>", (), "en-US"),
    ("<html lang=''><meta http-equiv=content-language content='de, en'>", (), "de"),
    ("<p>x", (("Content-Language", "fr, en"),), "fr"),
    ("<html xml:lang=it>", (), "it"),
    ("<html lang=pt_BR>", (), "pt-BR"),
    ("<html lang='{{ lang }}'>", (("content-language", "sv"),), "sv"),
    ("<p>한국어로 쓴 글입니다", (), "ko"),
    ("<p>これは日本語です", (), "ja"),
    ("<p>这是中文", (), "zh"),
    ("<p>no way to know", (), ""),
    ("<p>12345", (), ""),
]


@pytest.mark.parametrize(("html", "headers", "language"), LANGUAGES)
def test_the_language_is_what_the_page_says_or_its_script_shows(
    html: str, headers: tuple[tuple[str, str], ...], language: str
) -> None:
    assert whole(html, headers=headers, content_type="text/html; charset=utf-8").language == language


def test_guessing_the_language_can_be_turned_off() -> None:
    assert whole("<p>한국어로 쓴 글입니다", settings=ExtractSettings(guess_language=False)).language == ""


DIRECTIVES = [
    ("<meta name=robots content=noindex>", (), {"noindex"}),
    ("<meta name=Recrawl content='NOFOLLOW ,  noarchive,'>", (), {"nofollow", "noarchive"}),
    ("<meta name=robots content=none>", (), {"noindex", "nofollow"}),
    ("<meta name=robots content='nocache nofollow'>", (), {"noarchive", "nofollow"}),
    ("<meta name=googlebot content=noindex>", (), set()),
    ("<meta name=robots content=noindex><meta name=recrawl content=nofollow>", (), {"noindex", "nofollow"}),
    ("<body><meta name=robots content=noindex>", (), {"noindex"}),
    ("<template><meta name=robots content=noindex></template>", (), set()),
    ("", (("x-robots-tag", "noindex, nofollow"),), {"noindex", "nofollow"}),
    ("", (("X-Robots-Tag", "recrawl: noindex"),), {"noindex"}),
    ("", (("x-robots-tag", "otherbot: noindex"), ("x-robots-tag", "noarchive")), {"noarchive"}),
    ("", (("x-robots-tag", "max-snippet: 5, noindex"),), {"max-snippet:5", "noindex"}),
    ("", (("x-robots-tag", "noindex, max-snippet: 5"),), {"max-snippet:5", "noindex"}),
]


@pytest.mark.parametrize(("html", "headers", "expected"), DIRECTIVES)
def test_directives_come_from_meta_and_header(
    html: str, headers: tuple[tuple[str, str], ...], expected: set[str]
) -> None:
    assert whole(html, headers=headers).directives == expected


def test_refresh_canonical_and_header_links_are_found() -> None:
    html = "<meta http-equiv=refresh content='3; url=next.html'><meta http-equiv=refresh content='0; url=/other'>"
    page = whole(html, headers=(("link", "</c>; rel=canonical"), ("Link", "<p2>; rel=next")))
    assert page.refresh == "https://news.example.kr/2024/05/01/next.html"
    assert page.canonical == "https://news.example.kr/c"
    assert [link.relation for link in page.links] == ["refresh", "refresh", "canonical", "next"]


def test_the_canonical_of_the_page_comes_before_that_of_the_header() -> None:
    page = whole("<link rel=canonical href=/page>", headers=(("link", "</header>; rel=canonical"),))
    assert page.canonical == "https://news.example.kr/page"


TITLES = [
    ("<title> a\n b </title>", "a b"),
    ("<title>one</title><title>two</title>", "one"),
    ("<svg><title>drawing</title></svg><title>page</title>", "page"),
    ("<title>&lt;b&gt;</title>", "<b>"),
    ("<p>none", ""),
    ("<title></title>", ""),
]


@pytest.mark.parametrize("parser", [turbo_late.parse, lexbor.parse], ids=["turbohtml", "lexbor"])
@pytest.mark.parametrize(("html", "title"), TITLES)
def test_the_title_is_the_first_one_of_the_page(parser: Parse, html: str, title: str) -> None:
    assert parse(html.encode(), "text/html", URL, parse_html=parser).title == title


XHTML = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="ko"><head><title/>'


def test_xhtml_is_read_as_xml_is() -> None:
    html = XHTML + '<script src="x"/></head><body><a href="/x">&nbsp;x &amp; y&eacute;</a><br/><p/>z</body></html>'
    page = whole(html, content_type="application/xhtml+xml")
    assert (page.media, page.language, page.title) == (Media.HTML, "ko", "")
    assert [(link.url, link.text) for link in page.links] == [("https://news.example.kr/x", "x & yé")]
    assert [block.text for block in page.blocks] == ["x & yé", "z"]


def test_xhtml_with_a_prefix_is_read_too() -> None:
    html = '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:body><h:a href="x">y</h:a></h:body></h:html>'
    assert [link.text for link in whole(html, content_type="text/xml").links] == ["y"]


def test_broken_xhtml_is_read_as_html() -> None:
    page = whole(XHTML.replace("<title/>", "") + "<p>a<b>c</p><a href=/x>d", content_type="application/xhtml+xml")
    assert [link.url for link in page.links] == ["https://news.example.kr/x"]
    assert page.text == "ac d".replace(" ", "\n")


def test_other_xml_gives_text_but_no_links() -> None:
    item = "<item><link>http://x.example/</link><a href='/no'>t</a></item>"
    xml = f"<rss><channel><title>News</title>{item}</channel></rss>"
    page = whole(xml, content_type="application/rss+xml")
    assert (page.media, page.title, page.links) == (Media.XML, "News", ())
    assert [block.text for block in page.blocks] == ["News", "http://x.example/", "t"]
    assert len({block.place for block in page.blocks}) == 3


def test_no_entity_of_a_document_type_is_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;&b;</x>'
    page = whole(bomb, content_type="application/xml")
    assert "aaaa" not in page.text.replace("aaaaaaaaaa", "", 1)


def test_plain_text_is_paragraphs_and_never_links() -> None:
    page = whole("one\ntwo\n\n  three <a href=/x>\r\n\r\nfour", content_type="text/plain; charset=utf-8")
    assert (page.media, page.links) == (Media.TEXT, ())
    assert [block.text for block in page.blocks] == ["one two", "three <a href=/x>", "four"]


KINDS = [
    (b"", "text/html", Kind.HTML),
    (b"", "TEXT/HTML ; charset=x", Kind.HTML),
    (b"", "application/xhtml+xml", Kind.XHTML),
    (b"", "image/svg+xml", Kind.XML),
    (b"", "application/atom+xml", Kind.XML),
    (b"", "text/css", Kind.TEXT),
    (b"", "application/ld+json", Kind.TEXT),
    (b"<html>", "application/octet-stream", Kind.OTHER),
    (b"<html>", "image/png", Kind.OTHER),
    (b"<html>", "text/plain", Kind.TEXT),
    (b"\x00\x01", "text/plain", Kind.OTHER),
    (b"\x00\x01", "text/plain; charset=euc-kr", Kind.TEXT),
    (b"\xff\xfe\x00\x01", "text/plain", Kind.TEXT),
    (b" \n<!doctype HTML><p>", "", Kind.HTML),
    (b"<p>", "", Kind.HTML),
    (b"<p", "", Kind.TEXT),
    (b"<pre>", "", Kind.TEXT),
    (b"<!-- x", "", Kind.HTML),
    (b"<!--x", "", Kind.TEXT),
    (b"<a href=x>", "*/*", Kind.HTML),
    (b"<?xml version='1.0'?>", "unknown/unknown", Kind.XML),
    (b"%PDF-1.4", "", Kind.OTHER),
    (b"\x89PNG\r\n\x1a\n", "", Kind.OTHER),
    (b"RIFF\x10\x20\x30\x40WEBP", "", Kind.OTHER),
    (b"hello", "", Kind.TEXT),
    (b"hel\x00lo", "", Kind.OTHER),
    (b"<html>", "nonsense", Kind.HTML),
    (b"", "", Kind.TEXT),
]


@pytest.mark.parametrize(("body", "content_type", "kind"), KINDS)
def test_the_kind_is_told_by_type_or_bytes(body: bytes, content_type: str, kind: Kind) -> None:
    assert kind_of(body, content_type) is kind


def test_nosniff_keeps_bytes_from_becoming_html() -> None:
    page = whole("<html><a href=/x>x</a>", content_type="", headers=(("X-Content-Type-Options", "nosniff"),))
    assert (page.media, page.links) == (Media.TEXT, ())


def test_a_picture_is_an_empty_document() -> None:
    page = read(b"\x89PNG\r\n\x1a\n\x00", "image/png", URL, headers=(("link", "</c>; rel=canonical"),))
    assert (page.media, page.blocks, page.text, page.template) == (Media.OTHER, (), "", 0)
    assert page.canonical == "https://news.example.kr/c"


def test_content_types_are_parsed_leniently() -> None:
    assert essence(" Text/HTML;x") == "text/html"
    assert essence("text") == essence("a b/c") == essence("/") == ""
    assert parameter('a/b; x=1; Charset="a\\"b;c"; y', "charset") == 'a"b;c'
    assert parameter("a/b; charset= utf-8 ", "charset") == "utf-8"
    assert parameter("a/b; charset", "charset") == ""


SCRAPS = """
<a href= <a <p> </p> <div class=x id=1> <table> <td> <svg> <math> <template> </template> <script> </script> <base href=
<meta charset= <meta http-equiv=refresh content= <link rel=next href= <!-- --> <![CDATA[ ]]> < > " ' = / & &# &amp;
&#x110000; 한 <noscript> <iframe> <select> <frameset> <title> <b> <i>
"""
HTML_NOISE = st.lists(st.sampled_from([*SCRAPS.split(), "\x00", "\xff", "\ud800"]), max_size=40).map(" ".join)
TYPES = st.sampled_from(["", "text/html", "application/xhtml+xml", "text/xml", "text/plain", "text/html; charset=gbk"])


@settings(max_examples=300, deadline=None)
@given(HTML_NOISE, TYPES, st.sampled_from([URL, "", "about:blank", "http://[", "http://1/"]))
def test_no_markup_however_broken_raises(html: str, content_type: str, url: str) -> None:
    page = read(html.encode("utf-8", "surrogatepass"), content_type, url, ignore=("p", "a["))
    assert all(link.url.startswith(("http://", "https://")) for link in page.links)
    assert {block.text for block in page.main} <= {block.text for block in page.blocks}


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=400),
    TYPES,
    st.lists(
        st.tuples(st.sampled_from(["link", "content-language", "x-robots-tag"]), st.text(max_size=30)), max_size=3
    ),
)
def test_no_bytes_raise(body: bytes, content_type: str, headers: list[tuple[str, str]]) -> None:
    assert isinstance(read(body, content_type, URL, headers=headers), Document)


@settings(max_examples=100, deadline=None)
@given(HTML_NOISE)
def test_reading_twice_gives_the_same_document(html: str) -> None:
    body = html.encode("utf-8", "replace")
    assert read(body, "text/html", URL) == read(body, "text/html", URL)
