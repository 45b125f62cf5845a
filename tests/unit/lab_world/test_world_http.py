"""The world keeps the rules of HTTP, and breaks them only where its pages are told to."""

import gzip
import zlib
from email.utils import parsedate_to_datetime

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from recrawl.lab.tempers import DAY_S, HOUR_S, Poisson
from recrawl.lab.world import START_AT, World, answer, changed_at, changes_between, version
from recrawl.lab.world_parts import Dated, Declared, Ending, PageSpec, Robots, ServerSpec, Tag
from recrawl.model.visit import Ask

DECODERS = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "br": brotli.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompress(body),
}
URL = "http://one.test/page"
moments = st.floats(START_AT, START_AT + 20 * DAY_S)


def world_of(page: PageSpec, coding: str = "", robots: Robots = Robots()) -> World:
    return World(9, (ServerSpec("one", pages=(page,), coding=coding, robots=robots),))


def validators(world: World, at: float) -> tuple[str, str]:
    headers = dict(answer(world, Ask(URL), at).headers)
    return headers.get("ETag", ""), headers.get("Last-Modified", "")


@pytest.mark.parametrize("tag", [Tag.STRONG, Tag.WEAK, Tag.NONE])
@pytest.mark.parametrize("dated", [Dated.HONEST, Dated.NONE])
@settings(max_examples=40, deadline=None)
@given(seen_at=moments, back_at=moments)
def test_an_honest_page_answers_304_exactly_when_it_did_not_change(
    tag: Tag, dated: Dated, seen_at: float, back_at: float
) -> None:
    seen_at, back_at = sorted((seen_at, back_at))
    world = world_of(PageSpec("/page", Poisson(2 * DAY_S), tag=tag, dated=dated))
    etag, last_modified = validators(world, seen_at)
    said = answer(world, Ask(URL, etag, last_modified), back_at)
    same = not changes_between(world, URL, seen_at, back_at)
    has_validator = tag is not Tag.NONE or dated is not Dated.NONE
    assert said.status == (304 if same and has_validator else 200)
    assert (said.body == b"") is (said.status == 304)


def test_a_frozen_tag_says_not_modified_although_the_page_changed() -> None:
    world = world_of(PageSpec("/page", Poisson(HOUR_S), tag=Tag.FROZEN, dated=Dated.NONE))
    etag, _ = validators(world, START_AT)
    assert version(world, URL, START_AT + 5 * DAY_S) > 0
    assert answer(world, Ask(URL, etag), START_AT + 5 * DAY_S).status == 304


def test_a_frozen_date_says_not_modified_although_the_page_changed() -> None:
    world = world_of(PageSpec("/page", Poisson(HOUR_S), tag=Tag.NONE, dated=Dated.FROZEN))
    _, last_modified = validators(world, START_AT)
    assert answer(world, Ask(URL, "", last_modified), START_AT + 5 * DAY_S).status == 304


def test_restless_validators_never_match() -> None:
    world = world_of(PageSpec("/page", tag=Tag.RESTLESS, dated=Dated.RESTLESS))
    etag, last_modified = validators(world, START_AT)
    assert answer(world, Ask(URL, etag, last_modified), START_AT + 60).status == 200
    assert answer(world, Ask(URL, "", last_modified), START_AT + 60).status == 200


def test_if_none_match_decides_alone_compares_weakly_and_takes_lists_and_the_star() -> None:
    world = world_of(PageSpec("/page"))
    etag, last_modified = validators(world, START_AT)
    for asked, status in (
        (f"W/{etag}", 304),
        (f'"other", {etag}', 304),
        ("*", 304),
        ('"other"', 200),
    ):
        assert answer(world, Ask(URL, asked, last_modified), START_AT).status == status


def test_a_broken_date_is_no_condition() -> None:
    assert answer(world_of(PageSpec("/page")), Ask(URL, "", "yesterday"), START_AT).status == 200


@settings(max_examples=60, deadline=None)
@given(moments)
def test_an_honest_date_names_the_last_change(at: float) -> None:
    world = world_of(PageSpec("/page", Poisson(DAY_S)))
    stamp = parsedate_to_datetime(validators(world, at)[1]).timestamp()
    changed = changed_at(world, URL, at)
    assert stamp == changed if changed is not None else stamp < START_AT


@pytest.mark.parametrize("coding", DECODERS)
def test_a_coded_body_decodes_to_the_plain_one_and_is_sent_only_to_those_who_take_it(coding: str) -> None:
    world = world_of(PageSpec("/page"), coding)
    taken = answer(world, Ask(URL, headers=(("accept-encoding", f"identity, {coding};q=0.5"),)), START_AT)
    headers = dict(taken.headers)
    assert headers["Content-Encoding"] == coding
    assert int(headers["Content-Length"]) == len(taken.body)
    assert DECODERS[coding](taken.body) == taken.plain
    refused = answer(world, Ask(URL, headers=(("accept-encoding", f"{coding};q=0, identity"),)), START_AT)
    assert refused.body == refused.plain == taken.plain
    assert dict(refused.headers)["ETag"] != headers["ETag"]
    again = Ask(URL, headers["ETag"], headers=(("accept-encoding", coding),))
    assert answer(world, again, START_AT).status == 304


@pytest.mark.parametrize(
    ("charset", "declared", "header", "beginning"),
    [
        ("euc-kr", Declared.HEADER, "text/html; charset=euc-kr", b""),
        ("shift_jis", Declared.META, "text/html", b'<meta charset="shift_jis">'),
        ("euc-jp", Declared.HTTP_EQUIV, "text/html", b'content="text/html; charset=euc-jp"'),
        ("gb18030", Declared.NOWHERE, "text/html", b""),
        ("utf-8", Declared.BOM, "text/html", b"\xef\xbb\xbf"),
        ("utf-16", Declared.BOM, "text/html", b"\xff\xfe"),
    ],
)
def test_a_page_declares_its_charset_where_it_was_told_to(
    charset: str, declared: Declared, header: str, beginning: bytes
) -> None:
    language = {"euc-kr": "ko", "gb18030": "zh"}.get(charset, "ja")
    said = answer(
        world_of(PageSpec("/page", language=language, charset=charset, declared=declared)), Ask(URL), START_AT
    )
    assert dict(said.headers)["Content-Type"] == header
    assert beginning in said.plain
    assert (b"charset" in said.plain) is (declared in (Declared.META, Declared.HTTP_EQUIV))
    assert "&#" not in said.plain.decode(charset)


@pytest.mark.parametrize(
    ("ending", "status"), [(Ending.NOT_FOUND, 404), (Ending.GONE, 410), (Ending.SOFT_404, 200), (Ending.MOVED, 301)]
)
def test_a_page_ends_as_it_was_told_to(ending: Ending, status: int) -> None:
    ends_at = START_AT + DAY_S
    world = world_of(PageSpec("/page", ended_at=ends_at, ending=ending, moved_to="/new"))
    assert answer(world, Ask(URL), ends_at - 1).status == 200
    said = answer(world, Ask(URL), ends_at)
    assert said.status == status
    assert dict(said.headers).get("Location", "") == ("http://one.test/new" if ending is Ending.MOVED else "")
    assert (b"Page not found" in said.plain) is (ending is not Ending.MOVED)


def test_a_page_is_not_there_before_it_is_born() -> None:
    world = world_of(PageSpec("/page", born_at=START_AT + 60))
    assert [answer(world, Ask(URL), START_AT + wait_s).status for wait_s in (59, 60)] == [404, 200]
    assert b'href="/page"' not in answer(world, Ask("http://one.test/"), START_AT + 59).plain


def test_robots_txt_says_what_the_spec_says() -> None:
    robots = Robots(("/private/",), ("/private/open",), crawl_delay_s=2.5, traps=("/private/x",))
    said = answer(world_of(PageSpec("/page"), robots=robots), Ask("http://one.test/robots.txt"), START_AT)
    assert said.plain.decode().splitlines() == [
        "User-agent: *",
        "Disallow: /private/",
        "Allow: /private/open",
        "Crawl-delay: 2.5",
        "",
        "Sitemap: http://one.test/sitemap.xml",
    ]


def test_the_sitemap_lists_what_is_alive_with_the_date_of_its_last_change() -> None:
    world = world_of(PageSpec("/page", Poisson(DAY_S)))
    at = START_AT + 9 * DAY_S
    tree = etree.fromstring(answer(world, Ask("http://one.test/sitemap.xml"), at).plain)
    rows = {row[0].text: row[1].text for row in tree}
    assert set(rows) == world.urls(at)
    stamp = parsedate_to_datetime(validators(world, at)[1])
    assert rows[URL] == stamp.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_foreign_address_is_refused_loudly() -> None:
    with pytest.raises(KeyError, match="elsewhere"):
        answer(world_of(PageSpec("/page")), Ask("http://elsewhere.test/"), START_AT)
