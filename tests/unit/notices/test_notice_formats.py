"""The text formats of S4 and their neighbours: inverse pairs, golden bytes, errors with their place."""

import gzip
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as some

from recrawl.extract.feed import read_feed
from recrawl.extract.sitemap import read_sitemap
from recrawl.formats import (
    atom,
    batch_file,
    his,
    notice_agent,
    notice_mail,
    registration,
    signature,
    sitemap_xml,
    uod,
    w3c_moment,
)
from recrawl.formats.atom import Feed, Item
from recrawl.formats.batch_file import BatchFile, Collected
from recrawl.formats.his import Entry
from recrawl.formats.registration import Action, Answer, BadRequest, Request
from recrawl.formats.sitemap_xml import Listed, Sitemap
from recrawl.formats.uod import Record, Switch
from recrawl.model.failure import FormatError
from recrawl.model.notice import NoticeKind

DAY = 86_400
LAST = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())
kinds = some.sampled_from(list(NoticeKind))
letters = some.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp"), blacklist_characters="\x85")
paths = some.text(letters, max_size=40).map(lambda text: "/" + text)
moments = some.integers(0, LAST)
days = some.integers(0, LAST // DAY).map(lambda day: day * DAY)
sizes = some.integers(0, 10**17)
entries = some.builds(Entry, kinds, paths, sizes, moments)
dated = some.builds(Entry, kinds, paths, sizes, days)
emails = some.from_regex(r"\A[a-z0-9+._-]{0,8}[a-z0-9]@[a-z0-9]{1,8}(\.[a-z]{2,5})?\Z").filter(
    lambda email: not registration.email_fault(email)
)
latencies = some.integers(0, 400_000_000).map(lambda millionths: millionths / 1_000_000)
tokens = some.from_regex(r"\A[A-Za-z0-9_-]{0,40}\Z")
urls = some.text(letters, min_size=1, max_size=40).map(lambda text: "http://h/" + text.strip())


@given(some.lists(entries))
def test_a_history_reads_back_as_it_was_written(written: list[Entry]) -> None:
    assert his.parse(his.render(written)) == written


@given(some.lists(dated))
def test_a_notice_mail_reads_back_as_it_was_written_to_the_day(written: list[Entry]) -> None:
    body = notice_mail.render(written)
    assert notice_mail.parse(body) == written
    assert notice_mail.parse(body.replace("\n", "\r\n")) == written
    assert notice_mail.read(body, 10_000).faults == 0


def test_a_notice_line_is_s4s_byte_for_byte() -> None:
    at = int(datetime(2003, 7, 20, tzinfo=UTC).timestamp())
    entry = Entry(NoticeKind.ADDED, "/web/html/index.html", 156, at)
    assert notice_mail.render([entry]) == "<RoBoT> A:/web/html/index.html:156:20030720\n"
    assert notice_mail.SUBJECT == "Robot : Update of Index"


def test_a_path_may_hold_colons() -> None:
    assert his.parse_line("U:/a:b:1:20030720:7:20030720").path == "/a:b:1:20030720"


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("X:/a:1:20030720", 1),
        ("A", 1),
        ("", 1),
        ("A:a:1:20030720", 3),
        ("A:http://evil/:1:20030720", 3),
        ("A:/a:-1:20030720", 6),
        ("A:/a:01:20030720", 6),
        ("A:/a:1:20031320", 8),
        ("A:/a:1:2003", 8),
        ("A:/a:1:", 8),
        ("A:/a:１:20030720", 6),
        ("A:/a\x00:1:20030720", 3),
    ],
)
def test_a_broken_event_is_an_error_with_its_column(line: str, column: int) -> None:
    with pytest.raises(FormatError) as error:
        his.parse_line(line, 7)
    assert (error.value.line, error.value.column) == (7, column)


def test_reading_a_mail_counts_broken_lines_and_looks_at_no_more_than_it_may() -> None:
    body = "Dear robot,\n<RoBoT> A:/a:1:20030720\n<RoBoT> nonsense\n<RoBoT>A:/b:1:20030720\nbye\n"
    reading = notice_mail.read(body, 100)
    assert [entry.path for entry in reading.entries] == ["/a"]
    assert (reading.faults, reading.cut) == (1, False)
    long = notice_mail.read("<RoBoT> A:/a:1:20030720\n" * 1000, 100)
    assert (len(long.entries), long.cut) == (100, True)


@given(some.lists(some.builds(Record, emails, latencies, days, some.none() | days, some.sampled_from(list(Switch)))))
def test_robots_uod_reads_back_as_it_was_written(written: list[Record]) -> None:
    assert uod.parse(uod.render(written)) == written


def test_a_uod_record_is_five_fields() -> None:
    [record] = uod.parse("robot@search.example:7:20030720:-:ON\n")
    assert uod.render([record]) == "robot@search.example:7:20030720:-:ON\n"
    with pytest.raises(FormatError) as error:
        uod.parse("robot@search.example:7:20030720:-:ON\nrobot@search.example:7:20030720:-:MAYBE\n")
    assert (error.value.line, error.value.column) == (2, 35)


requests = some.builds(Request, some.sampled_from(list(Action)), emails, some.none() | latencies, tokens)


@given(requests)
def test_a_registration_reads_back_from_both_of_its_forms(written: Request) -> None:
    assert registration.parse_form(registration.render_form(written)) == written
    assert registration.parse_json(registration.render_json(written)) == written


@given(some.binary(max_size=80) | some.text(max_size=60).map(str.encode))
def test_no_bytes_make_the_registration_reader_fail_otherwise_than_by_saying_so(body: bytes) -> None:
    for parse in (registration.parse_form, registration.parse_json):
        try:
            assert isinstance(parse(body), Request)
        except BadRequest as fault:
            assert fault.message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"ACTION=Register",
        b"ACTION=Explode&ROBOT_EMAIL=a@b.example",
        b"ACTION=Register&ROBOT_EMAIL=a@b.example%0d%0aBcc:c@d.example",
        b"ACTION=Register&ROBOT_EMAIL=a@b.example&LATENCY=-1",
        b"ACTION=Register&ROBOT_EMAIL=a@b.example&LATENCY=nan",
        b"ACTION=Register&ROBOT_EMAIL=a@b.example&LATENCY=1e9",
        b"ACTION=Register&ROBOT_EMAIL=a@b.example&EXTRA=1",
        b"ACTION=Register&ROBOT_EMAIL=a@b.example&CALLBACK=file:///etc/passwd",
        b"ACTION=Register&ROBOT_EMAIL=\xff",
        b"x" * 100,
    ],
)
def test_a_registration_that_makes_no_sense_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        registration.parse_form(body)


def test_answers_are_two_lines() -> None:
    codes = {action: registration.render_answer(registration.failed(action)) for action in Action}
    assert codes == {
        Action.REGISTER: b"201\nregister failed\n",
        Action.UNREGISTER: b"202\nunregister failed\n",
        Action.CHANGE: b"203\nchange failed\n",
        Action.SUSPEND: b"204\nsuspend failed\n",
        Action.RESUME: b"205\nresume failed\n",
        Action.CONFIRM: b"206\nconfirm failed\n",
    }
    assert registration.render_answer(registration.succeeded("unseen")) == b"100\nsuccess\n"


@given(some.sampled_from(sorted(registration.REMARKS)), some.text(letters, max_size=20).map(str.strip), tokens, tokens)
def test_answers_read_back_from_both_of_their_forms(code: int, detail: str, token: str, secret: str) -> None:
    plain = Answer(code, registration.REMARKS[code])
    assert registration.parse_answer(registration.render_answer(plain)) == plain
    rich = Answer(code, registration.REMARKS[code], detail, token, secret)
    assert registration.parse_answer(registration.render_answer_json(rich)) == rich


collected = some.builds(Collected, urls, kinds, moments, some.binary(max_size=60))


@given(some.builds(BatchFile, some.just("www.example.com"), some.lists(collected, max_size=5).map(tuple)))
def test_a_batch_file_reads_back_whatever_the_documents_hold(written: BatchFile) -> None:
    assert batch_file.parse(batch_file.render(written)) == written


def test_a_document_may_look_like_a_batch_file() -> None:
    tricky = batch_file.render(BatchFile("h", (Collected("http://h/a", NoticeKind.ADDED, 0, b"x"),)))
    written = BatchFile("h", (Collected("http://h/b", NoticeKind.UPDATED, DAY, tricky),))
    assert batch_file.parse(batch_file.render(written)) == written
    assert batch_file.render(written).startswith(
        b"#HOSTNAME : h\n# URL : http://h/b\n# Action : U\n# SIZE : 92\n# LASTMODIFIED : 19700102000000\n\n"
        b"#HOSTNAME : h\n"
    )


@pytest.mark.parametrize("data", [b"", b"#HOSTNAME : h\n# URL : x\n", b"#HOSTNAME : h\nnonsense\n", b"\xff\n"])
def test_a_broken_batch_file_is_an_error_with_its_line(data: bytes) -> None:
    with pytest.raises(FormatError) as error:
        batch_file.parse(data)
    assert error.value.line is not None


@given(some.text(max_size=50), some.integers(0, 10**10), some.from_regex(r"\A[0-9a-f]{32}\Z"))
def test_a_signature_fits_its_text_and_secret_alone(text: str, at: int, nonce: str) -> None:
    signed = signature.sign("secret", text, at, nonce)
    assert signature.parse(signature.render(signed)) == signed
    assert signature.fits("secret", text, signed)
    assert not signature.fits("other", text, signed)
    assert not signature.fits("secret", text + "x", signed)
    assert not signature.fits("", text, signature.sign("", text, at, nonce))


in_xml = some.text(letters, min_size=1, max_size=20).map(str.strip)
in_xml = in_xml.filter(lambda text: bool(text) and not {"\ufffe", "\uffff"} & {*text})
xml_urls = in_xml.map(lambda text: "http://h/" + text)
listed = some.builds(Listed, xml_urls, some.none() | moments)


@given(some.builds(Sitemap, some.lists(listed, max_size=8).map(tuple), some.booleans()))
def test_a_sitemap_reads_back_as_it_was_written(written: Sitemap) -> None:
    data = sitemap_xml.render(written)
    assert sitemap_xml.parse(data) == written
    reading = read_sitemap(gzip.compress(data))
    assert (reading.entries, reading.index, reading.fault) == (written.entries, written.index, "")


items = some.one_of(
    some.builds(Item, xml_urls, moments, in_xml),
    some.builds(Item, some.just("http://h/gone"), moments, some.just(""), some.just(True)),
)


@given(some.builds(Feed, some.just("http://h/changes.atom"), in_xml, moments, some.lists(items, max_size=6).map(tuple)))
def test_a_change_feed_reads_back_and_every_feed_reader_sees_the_same(written: Feed) -> None:
    data = atom.render(written)
    assert atom.parse(data) == written
    seen = read_feed(data)
    assert [(item.url, item.moment_at, item.deleted) for item in seen.items] == [
        (item.url, item.updated_at, item.deleted) for item in written.items
    ]
    assert seen.topic == written.url


@given(moments)
def test_moments_of_the_w3c_read_back(at: int) -> None:
    assert w3c_moment.parse(w3c_moment.render(at)) == at


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970", 0.0),
        ("1970-01-02", 86_400.0),
        ("1970-01-01T01:00:00.5+01:00", 0.0),
        ("1970-01-01T00:00Z", 0.0),
        ("yesterday", None),
        ("2026-13-01", None),
        ("", None),
    ],
)
def test_moments_of_the_w3c_may_leave_out_their_end(text: str, expected: float | None) -> None:
    assert w3c_moment.parse(text) == expected


def test_rss_rdf_and_json_feeds_are_read() -> None:
    rss = b"""<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
      <atom:link rel="hub" href="http://hub/"/><atom:link rel="self" href="http://h/rss"/>
      <link>http://h/</link><item><guid>http://h/1</guid><pubDate>Thu, 01 Jan 1970 00:01:00 GMT</pubDate></item>
      <item><link>http://h/2</link><guid isPermaLink="false">x</guid></item></channel></rss>"""
    seen = read_feed(rss)
    assert [(item.url, item.moment_at) for item in seen.items] == [("http://h/1", 60.0), ("http://h/2", None)]
    assert (seen.hubs, seen.topic) == (("http://hub/",), "http://h/rss")
    rdf = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><link>http://h/</link></channel>
      <item rdf:about="http://h/3"><link>http://h/3</link><dc:date>1970-01-01T00:02:00Z</dc:date></item></rdf:RDF>"""
    assert [(item.url, item.moment_at) for item in read_feed(rdf).items] == [("http://h/3", 120.0)]
    value = {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "http://h/4"}, {"url": "http://h/5"}]}
    assert [item.url for item in read_feed(json.dumps(value).encode()).items] == ["http://h/4", "http://h/5"]


HOSTILE = {
    "html": b"<!DOCTYPE html><html><body>Welcome</body></html>",
    "entities": b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset>&b;</urlset>',
    "external": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>',
    "deep": b"<a>" * 100_000,
    "nothing": b"",
    "noise": b"\x00\x01\x02" * 100,
    "half a gzip": gzip.compress(b"<urlset/>")[:10],
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_sitemap_and_no_feed_is_said_to_be_none(body: bytes) -> None:
    for reading in (read_sitemap(body), read_feed(body)):
        assert reading.fault


def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 30_000_000)
    assert len(bomb) < 100_000
    assert "more than" in read_sitemap(bomb, most_bytes=1_000_000).fault
    assert "more than" in read_feed(bomb, most_bytes=1_000_000).fault


def test_a_sitemap_that_breaks_off_has_said_its_first_part() -> None:
    whole = sitemap_xml.render(Sitemap(tuple(Listed(f"http://h/{number}", 0) for number in range(10))))
    reading = read_sitemap(whole[: len(whole) // 2])
    assert 0 < len(reading.entries) < 10
    assert "line" in reading.fault
    assert read_sitemap(whole, most_entries=3).cut


FIRST = b"<urlset><url><loc>http://a.example/</loc></url>"


@pytest.mark.parametrize(
    ("endless", "fault"),
    [
        (b"<url a='" + b"x" * 2_000_000, "a tag or comment of more than"),
        (b"<url/>" * 1_000_001, "more than 1000000 elem"),
    ],
)
def test_of_a_sitemap_that_does_not_come_to_an_end_the_first_part_is_taken(endless: bytes, fault: str) -> None:
    read = read_sitemap(FIRST + endless)
    assert [entry.url for entry in read.entries] == ["http://a.example/"]
    assert fault in read.fault


def test_a_sitemap_of_very_many_lines_is_read_up_to_its_limit() -> None:
    lines = (
        b"\xef\xbb\xbfhttp://a.example/first\r\n not an address\n\thttps://a.example/second \r"
        + b"http://a.example/x\n" * 9
    )
    read = read_sitemap(lines, most_entries=3)
    assert [entry.url[17:] for entry in read.entries] == ["first", "/second", "x"]
    assert read.cut
    assert not read_sitemap(lines, most_entries=11).cut


def test_a_json_feed_of_very_many_values_is_none() -> None:
    body = b'{"version":"https://jsonfeed.org/version/1","items":[' + b"{}," * 700_000 + b"{}]}"
    assert "values" in read_feed(body).fault


def test_a_sitemap_may_be_plain_text_and_carry_extensions() -> None:
    assert [entry.url for entry in read_sitemap(b"http://h/a\r\n\r\nhttp://h/b\n").entries] == [
        "http://h/a",
        "http://h/b",
    ]
    images = (
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        b'xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url><loc> http://h/a </loc>'
        b"<i:image><i:loc>http://h/i.png</i:loc></i:image><lastmod>1970-01-02</lastmod></url></urlset>"
    )
    assert read_sitemap(images).entries == (Listed("http://h/a", 86_400.0),)


def test_the_line_of_robots_txt_that_names_an_agent_reads_back_and_nothing_else_does() -> None:
    line = notice_agent.render("https://www.example.com/agent").encode()
    for end in (b"\n", b"\r\n", b"\r"):
        assert notice_agent.parse(b"User-agent: *" + end + line + end) == ("https://www.example.com/agent",)
    assert notice_agent.parse(b"notice-agent:http://a.example:8790/ # ours\n") == ("http://a.example:8790/",)
    for other in (
        b"",
        b"# " + line,
        b"Notice-agent: ftp://a.example/",
        b"Notice-agent: /agent",
        b"Notice-agents: http://a/",
    ):
        assert notice_agent.parse(other) == ()
    many = b"\n".join(b"Notice-agent: http://a%d.example/" % number for number in range(100))
    assert len(notice_agent.parse(many)) == notice_agent.MOST_OFFERS
