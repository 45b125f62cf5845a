"""Links as a browser without scripting offers them, read by both parsers."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract import lexbor, turbo
from recrawl.extract.html import Parse
from recrawl.extract.links import anchored, base_of, links_in, links_of_header
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import ExtractSettings
from recrawl.model.page import Link

URL = "https://example.org/dir/page.html?q=1#top"

both_parsers = pytest.mark.parametrize("parse", [turbo.parse, lexbor.parse], ids=["turbohtml", "lexbor"])


def links(html: str, parse: Parse = turbo.parse, charset: str = "utf-8", **settings: object) -> list[Link]:
    tree = parse(html)
    options = ExtractSettings(**settings)  # type: ignore[arg-type]
    resolver = Resolver(base_of(tree, URL, charset), charset)
    return links_in(anchored(tree, resolver, options), tree, resolver, options)


def urls(html: str, parse: Parse = turbo.parse) -> list[str]:
    return [link.url for link in links(html, parse)]


HREFS = [
    ("other.html", "https://example.org/dir/other.html"),
    ("/rooted", "https://example.org/rooted"),
    ("//else.example/x", "https://else.example/x"),
    ("?p=2", "https://example.org/dir/page.html?p=2"),
    ("#part", "https://example.org/dir/page.html?q=1#part"),
    ("", "https://example.org/dir/page.html?q=1"),
    ("../up", "https://example.org/up"),
    ("../../../up/", "https://example.org/up/"),
    ("..", "https://example.org/"),
    ("./x/./y/../z", "https://example.org/dir/x/z"),
    ("HTTP://EXAMPLE.ORG:80/A", "http://example.org/A"),
    ("https:rel", "https://example.org/dir/rel"),
    ("http:\\\\example.org\\x", "http://example.org/x"),
    (" \n /spaced \t", "https://example.org/spaced"),
    ("/bro\nken", "https://example.org/broken"),
    ("/a b", "https://example.org/a%20b"),
    ("/한글", "https://example.org/%ED%95%9C%EA%B8%80"),
    ("/x?한", "https://example.org/x?%ED%95%9C"),
    ("http://한국.example/", "http://xn--3e0b707e.example/"),
    ("/x?a=1&amp;b=2", "https://example.org/x?a=1&b=2"),
    ("/x?a=1&b=2&copy=3", "https://example.org/x?a=1&b=2&copy=3"),
    ("/&#x41;&#66;", "https://example.org/AB"),
    ("/%7euser", "https://example.org/%7euser"),
    ("http://127.1/", "http://127.0.0.1/"),
]


@both_parsers
@pytest.mark.parametrize(("href", "url"), HREFS)
def test_an_href_is_resolved_as_in_a_browser(parse: Parse, href: str, url: str) -> None:
    assert urls(f'<a href="{href}">x</a>', parse) == [url]


@both_parsers
@pytest.mark.parametrize(
    "href",
    ["mailto:a@b.example", "javascript:void(0)", "tel:1", "data:text/html,x", "http://", "http://[", "http://a b/"],
)
def test_what_is_no_page_is_no_link(parse: Parse, href: str) -> None:
    assert urls(f'<a href="{href}">x</a>', parse) == []


ELEMENTS = [
    ("<area href=/x>", [("https://example.org/x", "area")]),
    ("<a name=x>no link</a>", []),
    ("<A HREF=/x>", [("https://example.org/x", "a")]),
    ("<link rel=next href=/n>", [("https://example.org/n", "next")]),
    ("<link rel='PREV nofollow' href=/n>", [("https://example.org/n", "prev")]),
    ("<link rel=previous href=/n>", [("https://example.org/n", "prev")]),
    ("<link rel=canonical href=/n>", [("https://example.org/n", "canonical")]),
    ("<link rel=amphtml href=/n>", [("https://example.org/n", "amphtml")]),
    (
        "<link rel='alternate canonical' href=/n>",
        [("https://example.org/n", "alternate"), ("https://example.org/n", "canonical")],
    ),
    ("<link rel=stylesheet href=/s>", []),
    ("<link rel='alternate stylesheet' href=/s>", []),
    ("<link rel=icon href=/s>", []),
    ("<link href=/s>", []),
    ("<link rel=next>", []),
    ("<link rel=next href=''>", []),
    ("<body><link rel=next href=/n>", [("https://example.org/n", "next")]),
    ("<iframe src=/f></iframe>", [("https://example.org/f", "frame")]),
    ("<frameset><frame src=/f></frameset>", [("https://example.org/f", "frame")]),
    ("<iframe src='about:blank'></iframe>", []),
    ("<iframe></iframe>", []),
    ("<iframe><a href=/inside></iframe>", []),
    ("<meta http-equiv=refresh content='0;url=/r'>", [("https://example.org/r", "refresh")]),
    ("<meta http-equiv=Refresh content='5'>", []),
    ("<meta name=refresh content='0;url=/r'>", []),
    ("<svg><a xlink:href=/s><text>x</text></a></svg>", [("https://example.org/s", "a")]),
    ("<svg><a href=/s>x</a></svg>", [("https://example.org/s", "a")]),
    ("<svg><a href=/new xlink:href=/old>x</a></svg>", [("https://example.org/new", "a")]),
    ("<img src=/i.png srcset='/j.png 2x'>", []),
    ("<form action=/f></form>", []),
    ("<!-- <a href=/c>x</a> -->", []),
    ("<template><a href=/t>x</a></template>", []),
    (
        "<template><template><a href=/t>x</a></template><a href=/u>x</a></template><a href=/v>",
        [("https://example.org/v", "a")],
    ),
    ("<noscript><a href=/n>x</a></noscript>", [("https://example.org/n", "a")]),
    ("<head><noscript><link rel=next href=/n></noscript></head>", [("https://example.org/n", "next")]),
    ("<script>'<a href=/s>'</script>", []),
    ("<style><a href=/s></style>", []),
    ("<textarea><a href=/s></textarea>", []),
    ("<title><a href=/s></title>", []),
    ("<xmp><a href=/s></xmp>", []),
    ("<plaintext><a href=/s>", []),
    ("<a href=/1><a href=/2>", [("https://example.org/1", "a"), ("https://example.org/2", "a")]),
    ("<table><a href=/1><tr><td><a href=/2>", [("https://example.org/1", "a"), ("https://example.org/2", "a")]),
    ("<a href=/x<b>", [("https://example.org/x%3Cb", "a")]),
    ("<a href='/x' href='/y'>", [("https://example.org/x", "a")]),
    ("<a href=/x", []),
]


@both_parsers
@pytest.mark.parametrize(("html", "expected"), ELEMENTS)
def test_elements_give_their_links(parse: Parse, html: str, expected: list[tuple[str, str]]) -> None:
    assert [(link.url, link.relation) for link in links(html, parse)] == expected


BASES = [
    ("<base href=/b/><a href=x>", "https://example.org/b/x"),
    ("<base href=b/><a href=x>", "https://example.org/dir/b/x"),
    ("<base href='https://else.example/c'><a href=x>", "https://else.example/x"),
    ("<base href=/1/><base href=/2/><a href=x>", "https://example.org/1/x"),
    ("<base target=_top><base href=/2/><a href=x>", "https://example.org/2/x"),
    ("<a href=x><base href=/late/>", "https://example.org/late/x"),
    ("<base href='http://['><base href=/2/><a href=x>", "https://example.org/dir/x"),
    ("<base href='data:text/plain,x'><a href=x>", "https://example.org/dir/x"),
    ("<base href='javascript:x'><a href=x>", "https://example.org/dir/x"),
    ("<template><base href=/t/></template><a href=x>", "https://example.org/dir/x"),
    ("<base href=/b/><a href=#f>", "https://example.org/b/#f"),
    ("<base href=''><a href=x>", "https://example.org/dir/x"),
]


@both_parsers
@pytest.mark.parametrize(("html", "url"), BASES)
def test_links_start_from_the_first_base(parse: Parse, html: str, url: str) -> None:
    assert urls(html, parse) == [url]


@both_parsers
def test_rel_and_text_are_kept_with_the_link(parse: Parse) -> None:
    (link,) = links("<a href=/x rel='UGC  NoFollow'> two\n <b>words</b> </a>", parse)
    assert link == Link("https://example.org/x", "a", "two words", True, "ugc nofollow")
    (sponsored,) = links("<a href=/x rel='sponsored nofollowing'>x</a>", parse)
    assert (sponsored.nofollow, sponsored.rel) == (False, "sponsored nofollowing")


@both_parsers
def test_an_alternate_keeps_its_language_and_type(parse: Parse) -> None:
    html = (
        "<link rel=alternate hreflang=ko href=/ko>"
        "<link rel=alternate type='Application/Atom+XML' title=' All  news' href=/feed>"
    )
    korean, feed = links(html, parse)
    assert (korean.language, korean.media_type) == ("ko", "")
    assert (feed.media_type, feed.text, feed.relation) == ("application/atom+xml", "All news", "alternate")


@both_parsers
def test_images_are_links_only_when_asked_for(parse: Parse) -> None:
    html = "<img src=/1.png srcset='/2.png, /3.png 2x,/4.png 100w' alt=cat><picture><source srcset=/5.png></picture>"
    assert urls(html, parse) == []
    found = links(html, parse, images=True)
    assert [link.url.rpartition("/")[2] for link in found] == ["1.png", "2.png", "3.png", "4.png", "5.png"]
    assert {link.relation for link in found} == {"image"}
    assert found[0].text == "cat"


@both_parsers
def test_scripts_are_links_only_when_asked_for_and_stay_unresolved(parse: Parse) -> None:
    html = "<a href=' JavaScript:go(7)'>seven</a><a href=/8 onclick='go(8)'>eight</a>"
    assert urls(html, parse) == ["https://example.org/8"]
    found = [(link.url, link.relation, link.text) for link in links(html, parse, scripts=True)]
    assert found == [
        ("JavaScript:go(7)", "script", "seven"),
        ("go(8)", "script", "eight"),
        ("https://example.org/8", "a", "eight"),
    ]


@both_parsers
def test_whatever_runs_code_when_clicked_is_a_link_where_scripts_are(parse: Parse) -> None:
    html = (
        "<table><tr onclick='go(1)'><td>one</td></tr></table><button ONCLICK=\"location.href='/2'\">two</button>"
        "<img onclick='go(3)'><p onclick=' '>none</p><a href=/4 onclick='go(4)'>four</a>"
    )
    assert urls(html, parse) == ["https://example.org/4"]
    found = [(link.url, link.text) for link in links(html, parse, scripts=True) if link.relation == "script"]
    assert sorted(found) == [("go(1)", "one"), ("go(3)", ""), ("go(4)", "four"), ("location.href='/2'", "two")]


def test_a_declarative_shadow_root_is_shown_without_scripts_and_its_links_count() -> None:
    assert urls("<div><template shadowrootmode=open><a href=/s>x</a></template></div>") == ["https://example.org/s"]


@both_parsers
def test_no_more_links_are_read_than_the_settings_allow(parse: Parse) -> None:
    html = "".join(f"<a href=/{number}>x</a>" for number in range(100))
    assert [link.url for link in links(html, parse, link_limit=3)] == [f"https://example.org/{n}" for n in range(3)]


@both_parsers
def test_a_query_is_written_in_the_encoding_of_the_document(parse: Parse) -> None:
    html = "<a href='/검색?q=한글&x=①#끝'>x</a>"
    (link,) = links(html, parse, charset="euc-kr")
    assert link.url == "https://example.org/%EA%B2%80%EC%83%89?q=%C7%D1%B1%DB&x=%A8%E7#%EB%81%9D"
    (unknown,) = links("<a href='?q=é가'>x</a>", parse, charset="shift_jis")
    assert unknown.url == "https://example.org/dir/page.html?q=%26%23233%3B%26%2344032%3B"
    (japanese,) = links("<a href='?q=日本～ソ'>x</a>", parse, charset="euc-jp")
    assert japanese.url == "https://example.org/dir/page.html?q=%C6%FC%CB%DC%A1%C1%A5%BD"
    (wide,) = links("<a href='?q=한'>x</a>", parse, charset="utf-16le")
    assert wide.url == "https://example.org/dir/page.html?q=%ED%95%9C"


@both_parsers
@given(st.lists(st.from_regex(r"/[a-z]{1,8}(/[a-z0-9_-]{1,8}){0,3}(\?[a-z]=[0-9]{1,3})?", fullmatch=True), max_size=20))
def test_links_that_were_rendered_come_back_in_order(parse: Parse, paths: list[str]) -> None:
    html = "<ul>" + "".join(f'<li><a href="{path}">to {path}</a>' for path in paths) + "</ul>"
    found = links(html, parse)
    assert [link.url for link in found] == [f"https://example.org{path}" for path in paths]
    assert [link.text for link in found] == [f"to {path}" for path in paths]


@both_parsers
def test_elements_come_in_document_order(parse: Parse) -> None:
    html = "<link rel=next href=/1><a href=/2></a><iframe src=/3></iframe><svg><a xlink:href=/4 /></svg><area href=/5>"
    numbers = [int(url.rpartition("/")[2]) for url in urls(html, parse)]
    assert len(numbers) == 5
    assert all(one < other for one, other in pairwise(numbers))


def test_link_headers_are_read_relative_to_the_document() -> None:
    values = [
        '<next.html>; rel="next"; title="More, please", </first>; rel=first',
        '<https://example.org/c>; rel="canonical nofollow"; hreflang=ko; type="Text/HTML"',
        "</s.css>; rel=preload; as=style, </x>; rel=stylesheet",
    ]
    found = list(links_of_header(values, URL))
    assert [(link.url, link.relation) for link in found] == [
        ("https://example.org/dir/next.html", "next"),
        ("https://example.org/first", "first"),
        ("https://example.org/c", "canonical"),
    ]
    assert found[0].text == "More, please"
    assert (found[2].nofollow, found[2].language, found[2].media_type) == (True, "ko", "text/html")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("<a>;rel=next", ["next"]),
        ("<a> ; REL = next ; rel=prev", ["next"]),
        ('<a>; rel="next\tprev"', ["next", "prev"]),
        ("<a>", []),
        ("<a>; rev=next", []),
        ("<a>; rel=next; anchor='#x'", []),
        ('<a>; anchor="/other"; rel=next', []),
        ('<a>; anchor=""; rel=next', ["next"]),
        ("nonsense, <a>; rel=next", ["next"]),
        ('"<x>; rel=next", <a>; rel=prev', ["prev"]),
        ("<a;b,c>; rel=next", ["next"]),
        (";;;<,,>;=;rel", []),
        ("<a>;;; rel=next;", ["next"]),
        ('<a>; title="un\\"quoted, <b>; rel=prev"; rel=next', ["next"]),
        ("<a>; rel=next, <b>; rel=prev", ["next", "prev"]),
        ("<a>; rel=next,<b>; rel=prev,", ["next", "prev"]),
        ("<a", []),
    ],
)
def test_a_link_header_is_split_as_rfc_8288_says(value: str, expected: list[str]) -> None:
    assert [link.relation for link in links_of_header([value], URL)] == expected


@given(st.lists(st.text(alphabet='<>;,="\\ relnxt', max_size=60), max_size=3))
def test_no_link_header_raises(values: list[str]) -> None:
    assert all(link.url.startswith("https://") for link in links_of_header(values, URL))
