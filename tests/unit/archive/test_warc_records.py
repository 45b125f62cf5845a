"""What stands in the records."""

import gzip
import hashlib
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.archive.exchanges import NOON, capture, not_modified, open_archive, reply, warcs

from recrawl.archive.folder import WarcArchive
from recrawl.archive.member import members
from recrawl.archive.reading import index_line, payload_of
from recrawl.archive.record import BrokenRecord, Record, parse, render, sha1, warc_date
from recrawl.archive.settings import ArchiveSettings
from recrawl.engine.clock import Dice
from recrawl.formats.cdxj import parse as parse_line
from recrawl.model.capture import Capture
from recrawl.model.failure import Failure


def records_of(path: Path) -> list[Record]:
    with path.open("rb") as file:
        return [parse(member.data) for member in members(file, 0)]


def archived(folder: Path, *captures: Capture, **settings: object) -> list[Record]:
    archive = open_archive(folder, **settings)
    archive.append(captures)
    archive.close()
    [path] = warcs(folder)
    return records_of(path)


def test_a_file_is_named_after_its_worker_and_its_moment(tmp_path: Path) -> None:
    archived(tmp_path, capture())
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "recrawl-w0-20231114221320-00000.cdxj",
        "recrawl-w0-20231114221320-00000.warc.gz",
    ]


def test_the_first_record_describes_the_file_and_the_others_belong_together(tmp_path: Path) -> None:
    info, response, request, metadata = archived(tmp_path, capture())
    assert [one.kind for one in (info, response, request, metadata)] == ["warcinfo", "response", "request", "metadata"]
    assert info.field("WARC-Filename") == "recrawl-w0-20231114221320-00000.warc.gz"
    assert request.field("WARC-Concurrent-To") == response.field("WARC-Record-ID")
    assert metadata.field("WARC-Concurrent-To") == response.field("WARC-Record-ID")
    identities = [one.field("WARC-Record-ID") for one in (info, response, request, metadata)]
    assert len(set(identities)) == 4
    assert all(re.fullmatch("<urn:uuid:[0-9a-f-]{36}>", identity) for identity in identities)


def test_a_record_of_a_worker_has_one_identity_in_angle_brackets(tmp_path: Path) -> None:
    archive = WarcArchive(tmp_path, "0", ArchiveSettings(), lambda: NOON, Dice(1).record_id)
    first = capture()
    archive.append([first, not_modified(first, NOON + 60)])
    archive.close()
    [path] = warcs(tmp_path)
    identities = [record.field("WARC-Record-ID") for record in records_of(path)]
    assert len(set(identities)) == 5
    assert all(re.fullmatch("<urn:uuid:[0-9a-f-]{36}>", identity) for identity in identities)


def test_a_response_carries_its_moment_peer_and_digests(tmp_path: Path) -> None:
    seen = capture(body=b"hello", coding="gzip")
    response = archived(tmp_path, seen)[1]
    assert response.field("WARC-Date") == "2023-11-14T22:13:20.250000Z"
    assert response.field("WARC-Target-URI") == "http://example.com/"
    assert response.field("WARC-IP-Address") == "127.0.0.1"
    assert response.field("WARC-Payload-Digest") == sha1(seen.reply.sent_body)
    assert response.field("WARC-Block-Digest") == sha1(response.block)
    assert response.field("Recrawl-Body-Digest") == seen.digest
    assert response.block == seen.reply.raw_head + seen.reply.sent_body


def test_the_metadata_tells_why(tmp_path: Path) -> None:
    facts = (("why", "due"), ("share changed", "0.3"), ("reason", "a\r\nForged: line"))
    metadata = archived(tmp_path, capture(facts=facts))[3]
    lines = metadata.block.decode().splitlines()
    assert {"why: due", "share-changed: 0.3", "reason: a Forged: line"} <= set(lines)


def test_equal_bytes_become_a_revisit_of_the_first(tmp_path: Path) -> None:
    first = capture(body=b"same", coding="gzip")
    later = capture(at=NOON + 60, body=b"same", coding="gzip", same_as=first)
    revisit = archived(tmp_path, first, later)[4]
    assert revisit.kind == "revisit"
    assert revisit.field("WARC-Profile").endswith("/revisit/identical-payload-digest")
    assert revisit.field("WARC-Refers-To-Target-URI") == first.url
    assert revisit.field("WARC-Refers-To-Date") == warc_date(first.at)
    assert revisit.field("WARC-Payload-Digest") == sha1(first.reply.sent_body)
    assert revisit.block == later.reply.raw_head


@pytest.mark.parametrize("first_coding", ["deflate", "gzip"])
def test_other_bytes_of_an_equal_page_are_stored_whole(tmp_path: Path, first_coding: str) -> None:
    first = capture(body=b"same" * 9, coding=first_coding)
    later = capture(at=NOON + 60, body=b"same" * 9, coding="br", same_as=first)
    assert archived(tmp_path, first, later)[4].kind == "response"


@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_what_is_stored_decoded_is_compared_decoded(tmp_path: Path, coding: str) -> None:
    first = capture(body=b"same" * 9, coding=coding)
    later = capture(at=NOON + 60, body=b"same" * 9, same_as=first)
    assert archived(tmp_path, first, later)[4].kind == "revisit"


def test_a_claim_that_nothing_bears_out_is_stored_whole(tmp_path: Path) -> None:
    never_stored = capture(at=NOON - 99)
    assert archived(tmp_path, capture(same_as=never_stored))[1].kind == "response"


def test_a_304_refers_to_what_it_confirms_in_one_record(tmp_path: Path) -> None:
    first = capture(body=b"kept")
    [*_, before, revisit] = archived(tmp_path, first, not_modified(first, NOON + 60))
    assert (before.kind, revisit.kind) == ("metadata", "revisit")
    assert revisit.field("WARC-Profile").endswith("/revisit/server-not-modified")
    assert revisit.field("WARC-Refers-To-Date") == warc_date(first.at)
    assert revisit.field("WARC-Payload-Digest") == sha1(b"kept")
    assert revisit.block == b""
    [sidecar] = tmp_path.glob("*.cdxj")
    line = parse_line(sidecar.read_text().splitlines()[-1])
    assert index_line(revisit, line.offset, line.length, line.filename) == line


def test_an_original_is_found_in_files_of_earlier_runs_and_other_workers(tmp_path: Path) -> None:
    first = capture(body=b"kept")
    other = open_archive(tmp_path, "w1", now=NOON - 50)
    other.append([first])
    archive = open_archive(tmp_path, "w0", now=NOON + 50)
    places = archive.append([not_modified(first, NOON + 60)])
    other.close()
    places += archive.append([not_modified(first, NOON + 70)])
    archive.close()
    reopened = open_archive(tmp_path, "w2", now=NOON + 100)
    places += reopened.append([not_modified(first, NOON + 110)])
    assert [reopened.read(place).body for place in places] == [b"kept"] * 3


@pytest.mark.parametrize("name", ["Authorization", "COOKIE", "Proxy-Authorization", "cookie"])
def test_secrets_of_a_request_are_not_written(tmp_path: Path, name: str) -> None:
    sent = f"GET / HTTP/1.1\r\nHost: a\r\n{name}: secret\r\n more-secret\r\nAccept: */*\r\n\r\n".encode()
    request = archived(tmp_path, capture(raw_request=sent))[2]
    assert request.block == b"GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n"


def test_a_request_that_is_not_known_makes_no_record(tmp_path: Path) -> None:
    assert [one.kind for one in archived(tmp_path, capture(raw_request=b""))] == ["warcinfo", "response", "metadata"]


def test_records_beside_the_response_can_be_left_out(tmp_path: Path) -> None:
    kinds = [one.kind for one in archived(tmp_path, capture(), requests=False, metadata=False)]
    assert kinds == ["warcinfo", "response"]


def test_headers_that_do_not_describe_the_stored_body_are_set_aside_and_come_back(tmp_path: Path) -> None:
    headers = [("Transfer-Encoding", "chunked"), ("Content-Length", "9999"), ("Vary", "a")]
    seen = capture(body=b"chunks", headers=headers)
    archive = open_archive(tmp_path)
    [place] = archive.append([seen])
    archive.close()
    block = records_of(warcs(tmp_path)[0])[1].block
    assert (
        b"\r\nX-Crawler-Transfer-Encoding: chunked\r\nX-Crawler-Content-Length: 9999\r\nVary: a\r\n\r\nchunks" in block
    )
    assert archive.read(place).headers == seen.reply.headers


@pytest.mark.parametrize(
    ("status_line", "stored", "protocol"),
    [
        ("HTTP/2 200", b"HTTP/1.1 200 OK\r\n", "h2"),
        ("HTTP/3 200 ", b"HTTP/1.1 200 OK\r\n", "h3"),
        ("HTTP/1.0 200 Fine", b"HTTP/1.0 200 Fine\r\n", ""),
        ("HTTP/1.1 200", b"HTTP/1.1 200\r\n", ""),
        ("ICY 200 OK", b"HTTP/1.1 200 OK\r\n", ""),
    ],
)
def test_a_status_line_is_one_that_readers_accept(
    tmp_path: Path, status_line: str, stored: bytes, protocol: str
) -> None:
    response = archived(tmp_path, capture(status_line=status_line))[1]
    assert response.block.startswith(stored)
    assert response.field("WARC-Protocol") == protocol


def test_interim_answers_and_trailers_are_no_part_of_the_head(tmp_path: Path) -> None:
    seen = capture(body=b"body")
    raw = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + seen.reply.raw_head + b"X-Trailer: t\r\n\r\n"
    response = archived(tmp_path, replace(seen, reply=replace(seen.reply, raw_head=raw)))[1]
    assert response.block == seen.reply.raw_head + b"body"


def test_a_reply_known_only_decoded_is_stored_decoded(tmp_path: Path) -> None:
    seen = capture(body=b"plain", coding="gzip")
    bare = replace(seen, reply=replace(seen.reply, sent_body=b"", raw_head=b""))
    archive = open_archive(tmp_path)
    [place] = archive.append([bare])
    archive.close()
    assert b"\r\nX-Crawler-content-encoding: gzip\r\n\r\nplain" in records_of(warcs(tmp_path)[0])[1].block
    assert (archive.read(place).body, archive.read(place).headers) == (b"plain", seen.reply.headers)


@pytest.mark.parametrize(
    ("failure", "reason"),
    [(Failure.BODY_TOO_LARGE, "length"), (Failure.TOTAL_TIMEOUT, "time"), (Failure.RESET, "disconnect")],
)
def test_an_answer_that_was_cut_off_says_so(tmp_path: Path, failure: Failure, reason: str) -> None:
    cut = reply(b"", failure=failure, headers=[("Content-Length", "5000")])
    response = archived(tmp_path, Capture("http://example.com/", NOON, cut, ""))[1]
    assert response.field("WARC-Truncated") == reason
    assert response.block.endswith(b"X-Crawler-Content-Length: 5000\r\n\r\n")


@pytest.mark.parametrize(
    ("peer", "field"), [("127.0.0.1:80", "127.0.0.1"), ("[::1]:80", "::1"), ("::1", "::1"), ("proxy", ""), ("", "")]
)
def test_the_peer_is_an_address_or_not_named(tmp_path: Path, peer: str, field: str) -> None:
    assert archived(tmp_path, capture(peer=peer))[1].field("WARC-IP-Address") == field


def test_an_address_that_would_break_a_header_is_escaped(tmp_path: Path) -> None:
    response = archived(tmp_path, capture("http://example.com/a b\r\nWARC-Type: x/한"))[1]
    assert response.field("WARC-Target-URI") == "http://example.com/a%20b%0D%0AWARC-Type:%20x/%ED%95%9C"


def test_a_body_that_came_compressed_is_stored_as_it_came(tmp_path: Path) -> None:
    seen = capture(body=b"text " * 9999, coding="gzip")
    archived(tmp_path, seen)
    assert seen.reply.sent_body in warcs(tmp_path)[0].read_bytes()


def test_a_plain_body_is_compressed(tmp_path: Path) -> None:
    archived(tmp_path, capture(body=b"text " * 9999))
    assert warcs(tmp_path)[0].stat().st_size < 3000


def test_a_file_is_rotated_when_it_has_reached_its_size(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, file_bytes=4000)
    archive.append([capture(f"http://example.com/{number}", NOON + number) for number in range(20)])
    archive.close()
    sizes = [path.stat().st_size for path in warcs(tmp_path)]
    assert len(sizes) > 2
    assert all(4000 <= size < 6000 for size in sizes[:-1])
    assert len(list(tmp_path.glob("*.cdxj"))) == len(sizes)
    for path in warcs(tmp_path):
        assert records_of(path)[0].field("WARC-Filename") == path.name


def test_an_archive_that_kept_nothing_leaves_no_file(tmp_path: Path) -> None:
    open_archive(tmp_path).close()
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_parsed_back_whatever_is_in_its_block() -> None:
    record = Record((("WARC-Type", "resource"), ("WARC-Date", warc_date(NOON))), b"\r\n\r\nWARC/1.1\r\n\r\n")
    assert parse(render(record)) == record


def test_members_are_read_in_any_pieces() -> None:
    class Drops(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(7, size or 7))

    archive_bytes = b"".join(gzip.compress(text, mtime=0) for text in (b"one" * 99, b"two", b"", b"four" * 9999))
    assert [member.data for member in members(Drops(archive_bytes), 0)] == [b"one" * 99, b"two", b"", b"four" * 9999]


def test_what_a_browser_made_of_an_answer_is_the_version_and_the_answer_is_what_replays(tmp_path: Path) -> None:
    came = capture()
    body = "<html><body>shown ä</body></html>".encode()
    headers = (("content-type", "text/html; charset=utf-8"),)
    shown = replace(came.reply, body=body, sent_body=body, headers=headers, source=came.reply)
    digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
    archive = open_archive(tmp_path)
    [place] = archive.append([replace(came, reply=shown, digest=digest)])
    again = replace(came, reply=shown, digest=digest, at=NOON + 60, same_as_at=came.at, same_as_digest=digest)
    archive.append([again])
    read = archive.read(place)
    archive.close()
    assert (read.body, read.headers, read.status, read.url, read.at) == (body, headers, 200, came.url, came.at)
    [path] = warcs(tmp_path)
    records = records_of(path)
    kinds = [record.kind for record in records]
    assert kinds == ["warcinfo", "response", "request", "metadata", "conversion", "revisit", "request", "metadata"]
    assert records[4].field("WARC-Refers-To") == records[1].field("WARC-Record-ID")
    assert records[1].field("Recrawl-Body-Digest") == ""  # the version is what was shown
    lines = [
        parse_line(line) for line in path.with_name(path.name.replace(".warc.gz", ".cdxj")).read_text().splitlines()
    ]
    assert [line.mime for line in lines] == ["text/html", "warc/revisit"]
    torn = replace(records[4], block=body[:-1])
    with pytest.raises(BrokenRecord):
        payload_of(torn, 1 << 20)


def test_a_body_of_the_length_that_is_known_needs_no_digest_and_any_other_does() -> None:
    packed = gzip.compress(b"body")
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    fields = (("WARC-Type", "response"), ("WARC-Date", "2026-01-01T00:00:00Z"), ("Recrawl-Body-Digest", "sha256:other"))
    record = Record(fields, head + packed)
    assert payload_of(record, 1000, body_bytes=4).body == b"body"
    for known in (0, 5, len(packed)):
        with pytest.raises(BrokenRecord):
            payload_of(record, 1000, body_bytes=known)
    as_sent = Record(
        (*fields[:2], ("Recrawl-Body-Digest", f"sha256:{hashlib.sha256(packed).hexdigest()}")), record.block
    )
    assert payload_of(as_sent, 1000, body_bytes=len(packed)).body == packed
    empty = replace(record, block=b"HTTP/1.1 200 OK\r\n\r\n")
    with pytest.raises(BrokenRecord):
        payload_of(empty, 1000)  # nobody knows how long it is
