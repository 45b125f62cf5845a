"""One function for each reader: bytes in; an error of recrawl's own is an answer, anything else is a crash.

Where a format has an inverse, what was read must read back the same.
"""

import io
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from recrawl.archive import http_head, member, reading, record
from recrawl.archive.http_head import MISLEADING
from recrawl.archive.member import BrokenMember
from recrawl.archive.record import BrokenRecord
from recrawl.detect.content import link_blocks, read_link_blocks
from recrawl.detect.digest import fold
from recrawl.exchange import import_lists, import_records
from recrawl.extract import charset, document, feed, mime, sitemap, srcset, turbo
from recrawl.extract.beside import side_by_side
from recrawl.extract.links import anchored, links_in
from recrawl.extract.page_read import links_of, read_page
from recrawl.extract.resolve import Resolver
from recrawl.extract.settings import DEFAULT
from recrawl.extract.text import read_runs
from recrawl.fetch import dates, head, retry_after, validators
from recrawl.fetch.evidence import answered
from recrawl.formats import (
    atom,
    batch_file,
    cdxj,
    crawlscript,
    doc_record,
    his,
    notice_mail,
    opml,
    page_state,
    registration,
    signature,
    site_toml,
    sitemap_xml,
    uod,
)
from recrawl.index import query
from recrawl.model.failure import RecrawlError
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Limits
from recrawl.native import compiled
from recrawl.notices import indexnow, mail, mailbox, webhook, websub
from recrawl.scope import globs
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.robots import RobotsRules
from recrawl.scope.robots_policy import expires_at
from tests.sights import differences
from tests.versions import source_differences

NOW = 1_790_000_000.0
URL = "https://example.org/a/b?c=d"
SMALL = Limits(decoded_bytes=1 << 20)
ORIGINS = frozenset({"https://example.org"})
_canonicaliser = Canonicaliser()


def addresses(data: bytes) -> None:
    link, _, base = data.decode("utf-8", "surrogateescape").partition("\n")
    found = _canonicaliser.canonical(link, base or URL)
    if found is not None:
        again = _canonicaliser.canonical(found.url)
        assert again == found, (found, again)


def patterns(data: bytes) -> None:
    written, _, tried = data.decode("utf-8", "replace").partition("\n")
    address = _canonicaliser.canonical(tried or URL)
    globs.read_pattern(written).matches(address.url if address else URL)


def robots(data: bytes) -> None:
    rules = RobotsRules.parse(data)
    for path in ("/", "/a/b?c", "https://example.org/%7e*$"):
        rules.allowed("recrawl", path)
        rules.explain(path, "recrawl")
    expires_at(NOW, 503, [("retry-after", data.decode("latin-1"))])


def html(data: bytes) -> None:
    """What a first visit looks at, and what the others read: they find the same links. Read beside another version it
    is the same document."""
    parsed = document.parse(data, "text/html", URL)
    parsed.is_plainly_a_page(1200)
    glance, whole = document.glance(parsed), document.read(data, "text/html", URL)
    assert {link.url for link in glance.links} == {link.url for link in whole.links}
    assert link_blocks(whole) == read_link_blocks(whole)
    middle = len(data) // 2
    other = document.parse(data[:middle] + b"<p>other</p>" + data[middle:], "text/html", URL)
    old = document.parse(data, "text/html", URL, beside=other)
    sides = side_by_side(other, old, (), fold)
    if compiled is not None:
        again = document.parse(data[:middle] + b"<p>other</p>" + data[middle:], "text/html", URL)
        known = compiled.Met(len(whole.links) + 1, 1)
        known.remember([link.url for link in whole.links])
        at_once = side_by_side(again, document.parse(data, "text/html", URL, beside=again), known, fold)
        assert (at_once is None) == (sides is None)
        if at_once is not None and sides is not None:
            links, unmet = at_once.document.links, [link for link in sides.document.links if link.url not in known]
            assert {*unmet} <= {*links} <= {*sides.document.links}  # what needs no look may be left out
            assert at_once == replace(sides, document=replace(sides.document, links=links))
    beside, changed = document.kept(old), document.compared(other)
    assert (beside.title, beside.main, beside.links) == (whole.title, whole.main, whole.links)
    if sides is not None:
        assert sides.document == replace(changed, main=())
        for blocks, between in ((beside.main, sides.gone), (changed.main, sides.come)):
            assert between == [block.text for block in blocks[sides.head : len(blocks) - sides.tail]]


def sights(data: bytes) -> None:
    """What a page says at sight it says as a tree."""
    assert not differences(data), data


def readings(data: bytes) -> None:
    """What the compiled part reads of a page is what a walk over its tree reads."""
    assert not source_differences(data), data
    tree = turbo.parse(data.decode("utf-8", "replace"))
    page = read_page(tree, DEFAULT)
    if page is None:
        return
    walked = read_runs(tree, (), DEFAULT.text_chars, DEFAULT.node_limit)
    assert (page.reading.runs, page.reading.skeleton) == (walked.runs, walked.skeleton)
    links = [link for some in links_of(page, Resolver(URL)) for link in some]
    resolver = Resolver(URL)
    assert links == links_in(anchored(tree, resolver, DEFAULT), tree, resolver, DEFAULT)


def any_document(data: bytes) -> None:
    kind, _, body = data.partition(b"\n")
    content_type = kind.decode("latin-1")
    mime.kind_of(body, content_type)
    document.read(body, content_type, URL, headers=[("link", content_type), ("x-robots-tag", content_type)])
    srcset.addresses(content_type)


def charsets(data: bytes) -> None:
    kind, _, body = data.partition(b"\n")
    charset.decode(body, kind.decode("latin-1"))


def http(data: bytes) -> None:
    """An answer as libcurl hands it over: head lines, then the body with its content codings."""
    top, gap, body = data.partition(b"\r\n\r\n")
    given = [line + b"\r\n" for line in top.split(b"\r\n")] + [b"\r\n"] * bool(gap)
    raw = b"".join(given)
    assert head.head_of(given) == head.odd_head_of(given)
    assert http_head.is_plain_head(raw, MISLEADING) == http_head.is_plainly_head(raw, MISLEADING)
    assert http_head.is_plain_request(raw, MISLEADING) == http_head.is_plainly_request(raw, MISLEADING)
    lines = head.final_head(given)
    headers = head.parse_headers(lines)
    reply = answered(Ask(URL, etag='"x"', limits=SMALL), NOW, head.status_of(lines), headers, body)
    assert len(reply.body) <= SMALL.decoded_bytes
    validators.is_safe_etag(reply.header("etag"))
    for name in ("retry-after", "last-modified", "date"):
        retry_after.retry_after_s(reply.header(name), NOW)
        dates.parse_http_date(reply.header(name), NOW)
    websub.hubs_in_headers(headers)
    for stored in (top, top + gap):
        assert http_head.headers_of(stored) == http_head.odd_headers_of(stored)


def sitemaps(data: bytes) -> None:
    sitemap.read_sitemap(data)
    sitemap_xml.hear(data)
    _reads_back(sitemap_xml.parse, sitemap_xml.render, data)


def feeds(data: bytes) -> None:
    feed.read_feed(data)
    atom.parse(data)


def crawl_script(data: bytes) -> None:
    sites = crawlscript.parse(data)
    if not any(crawlscript.unsayable(site) for site in sites):
        again = crawlscript.parse(crawlscript.render(sites))
        assert again == sites, (sites, again)


def site_file(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    site = site_toml.parse(text, name="x")
    assert site_toml.parse(site_toml.render(site), name="x") == site


def history(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    _reads_back(his.parse, his.render, text)


def robot_table(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    _reads_back(uod.parse, uod.render, text)


def letter(data: bytes) -> None:
    mail.judge(data, (), (), NOW, "mx.example.org")
    text = data.decode("utf-8", "replace")
    notice_mail.read(text, 1000)
    for parse in (notice_mail.parse_confirmation, signature.parse):
        _tolerantly(lambda parse=parse: parse(text))


def registrations(data: bytes) -> None:
    for parse in (registration.parse_form, registration.parse_json, registration.parse_answer):
        _tolerantly(lambda parse=parse: parse(data))
    registration.callback_fault(data.decode("utf-8", "replace"))
    registration.email_fault(data.decode("utf-8", "replace"))


def mailboxes(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".mbox") as file:
        file.write(data)
        file.flush()
        for found in mailbox.letters(file.name):
            mail.judge(found.raw, (), (), NOW)


def pushes(data: bytes) -> None:
    header, _, body = data.partition(b"\n")
    text = header.decode("latin-1")
    indexnow.read_post(body, ORIGINS)
    indexnow.read_get({"url": text, "key": text[:20], "keyLocation": text}, ORIGINS)
    webhook.receive_signed(body, text, (), frozenset(), NOW)
    webhook.receive_with_token(body, text, {"secret": ORIGINS}, NOW)
    webhook.receive_with_token(body, "Bearer secret", {"secret": ORIGINS}, NOW)
    websub.is_signed("secret", body, text)


def warcs(data: bytes) -> None:
    assert member.inflated(member.compressed(data, 1)) == data
    with suppress(BrokenRecord):
        plain = reading.plain_payload(data, SMALL.decoded_bytes)
        assert plain in (None, reading.payload_of(record.parse(data), SMALL.decoded_bytes))
    with suppress(BrokenMember):
        list(member.members(io.BytesIO(data), 0))
    with tempfile.NamedTemporaryFile() as file, suppress(import_records.TornEnd):
        file.write(data)
        file.flush()
        for found in import_records.records(Path(file.name)):
            with suppress(import_records.Unusable):
                import_records.reply_of(found, SMALL)


def cdx_lines(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    line = cdxj.parse(text)
    assert cdxj.parse(cdxj.render(line)) == line
    if text.isascii():
        assert cdxj.parse_written(data) == line
        assert cdxj.written(line) == cdxj.render(line).encode() + b"\n"


def urlkeys(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    cdxj.urlkey(text)
    cdxj.thorough_urlkey(text)


def lists(data: bytes) -> None:
    for parse in (import_lists.from_lines, import_lists.from_sitemap, import_lists.from_opml, import_lists.from_csv):
        _tolerantly(lambda parse=parse: list(parse(data, "x")))
    _reads_back(opml.parse, opml.render, data)


def kept_files(data: bytes) -> None:
    for module in (batch_file, doc_record, page_state):
        _tolerantly(lambda module=module: module.parse(data))


def search(data: bytes) -> None:
    query.parse(data.decode("utf-8", "surrogateescape"), NOW)


TARGETS: dict[str, Callable[[bytes], None]] = {
    one.__name__: one
    for one in (
        addresses, patterns, robots, html, sights, readings, any_document, charsets, http, sitemaps, feeds,
        crawl_script, site_file, history, robot_table, letter, registrations, mailboxes, pushes, warcs, cdx_lines,
        urlkeys, lists, kept_files, search,
    )
}  # fmt: skip


def run(name: str, data: bytes) -> None:
    """Raises what is a fault of ours."""
    _tolerantly(lambda: TARGETS[name](data))


def _tolerantly(work: Callable[[], object]) -> None:
    with suppress(RecrawlError):  # an answer: it says what is wrong with the input
        work()


def _reads_back(parse: Callable[[Any], Any], render: Callable[[Any], Any], text: bytes | str) -> None:
    value = parse(text)
    assert parse(render(value)) == value, value
