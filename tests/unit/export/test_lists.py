"""Lists of addresses in every form they come in."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.exchange.import_lists import LISTS, Wanted, format_of, unpacked
from recrawl.formats import opml
from recrawl.formats.opml import Subscription
from recrawl.model.failure import FormatError
from recrawl.model.site import Kind


def taken(form: str, data: bytes) -> list[Wanted]:
    return list(LISTS[form](unpacked(data, "f"), "f"))


def test_every_kind_of_list_is_read() -> None:
    assert taken("urls", b"\xef\xbb\xbfhttp://a/\r\n\n# no\n http://b/ why\n") == [
        Wanted("http://a/"),
        Wanted("http://b/"),
    ]
    sitemap = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a/x</loc></url></urlset>'
    assert taken("sitemap", gzip.compress(sitemap)) == [Wanted("http://a/x")]
    index = b"<sitemapindex><sitemap><loc>http://a/s.xml</loc></sitemap></sitemapindex>"
    assert taken("sitemap", index) == [Wanted("http://a/s.xml", Kind.SIGNAL)]
    feeds = (
        b'<opml><body><outline text="News"><outline xmlUrl="http://a/f" htmlUrl="http://a/"/></outline></body></opml>'
    )
    assert taken("opml", feeds) == [Wanted("http://a/f", Kind.SIGNAL, "News"), Wanted("http://a/", category="News")]
    table = b'Title,URL,importance,category,kind\n"a, b",http://a/,2.5,news,detail\nx,,1,,\ny,http://b/,,,\n'
    assert taken("csv", table) == [Wanted("http://a/", Kind.DETAIL, "news", 2.5), Wanted("http://b/")]


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("csv", b"title,name\nx,y\n"),
        ("csv", b"url,kind\nhttp://a/,book\n"),
        ("csv", b"url,importance\nhttp://a/,much\n"),
        ("csv", b"url,importance\nhttp://a/,nan\n"),
        ("opml", b"<rss/>"),
        ("opml", b"<opml><body>"),
        ("sitemap", b"<html/>"),
        ("urls", b"\xff\xfe"),
        ("urls", gzip.compress(b"x", mtime=0)[:-4]),
    ],
)
def test_what_cannot_be_read_is_an_error(form: str, data: bytes) -> None:
    with pytest.raises(FormatError):
        taken(form, data)


@pytest.mark.parametrize(
    ("name", "start", "form"),
    [
        ("a.txt", b"", "urls"),
        ("list", b"http://a/", "urls"),
        ("sitemap.xml.gz", b"\x1f\x8b", "sitemap"),
        ("feeds.xml", b'<?xml version="1.0"?><opml version="2.0">', "opml"),
        ("f.opml", b"", "opml"),
        ("x.csv", b"", "csv"),
        ("x.warc.gz", b"\x1f\x8b", "warc"),
        ("x.wacz", b"PK\x03\x04", "warc"),
        ("x", b"WARC/1.1", "warc"),
        ("index.cdxj", b"", "cdxj"),
    ],
)
def test_the_form_is_seen(name: str, start: bytes, form: str) -> None:
    assert format_of(name, start) == form


words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=8).map(str.strip)
names = words.filter(lambda name: name and "/" not in name)


@given(st.lists(st.builds(Subscription, names, names, names, st.lists(names, max_size=2).map("/".join))))
def test_opml_comes_back_as_it_went(subscriptions: list[Subscription]) -> None:
    def order(one: Subscription) -> tuple[str, ...]:
        return one.folder, one.feed, one.page, one.title

    assert sorted(opml.parse(opml.render(subscriptions)), key=order) == sorted(subscriptions, key=order)
