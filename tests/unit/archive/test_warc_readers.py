"""Other tools read what was written: warcio checks every file, and bodies come back byte for byte."""

import subprocess
import sys
import tempfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.archive.exchanges import (
    CODERS,
    NOON,
    capture,
    captured,
    not_modified,
    open_archive,
    reply,
    sha256,
    warcs,
)
from tests.unit.archive.warcio_check import problems, responses

from recrawl.archive.cdxj_index import merge
from recrawl.archive.http_head import headers_of
from recrawl.formats.cdxj import parse
from recrawl.model.capture import Capture, Place
from recrawl.model.failure import RecrawlError

AS_SENT = ("", "gzip", "deflate")


@pytest.mark.parametrize("coding", CODERS)
def test_warcio_reads_the_body_of_every_coding(tmp_path: Path, coding: str) -> None:
    headers = [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")]
    seen = capture(body=b"<p>caf\xc3\xa9</p>" * 5000, coding=coding, headers=headers)
    archive = open_archive(tmp_path)
    archive.append([seen])
    archive.close()
    [path] = warcs(tmp_path)
    assert problems(path) == []
    [found] = responses(path)
    assert found.body == seen.reply.body
    assert found.sent == (seen.reply.sent_body if coding in AS_SENT else seen.reply.body)
    assert found.status == "200"


def test_a_body_in_several_gzip_members_is_read_whole(tmp_path: Path) -> None:
    seen = capture(body=b"one and two", coding="gzip")
    members = CODERS["gzip"](b"one and ") + CODERS["gzip"](b"two")
    archive = open_archive(tmp_path)
    [place] = archive.append([replace(seen, reply=replace(seen.reply, sent_body=members))])
    archive.close()
    assert archive.read(place).body == b"one and two"
    assert [found.body for found in responses(warcs(tmp_path)[0])] == [b"one and two"]


def test_warcio_finds_nothing_wrong_with_revisits_and_failures(tmp_path: Path) -> None:
    first = capture(body=b"same", coding="gzip")
    archive = open_archive(tmp_path, file_bytes=1500)
    archive.append([first, capture(at=NOON + 1, body=b"same", coding="gzip", same_as=first)])
    archive.append([not_modified(first, NOON + 2), not_modified(capture("http://example.com/x"), NOON + 3)])
    archive.append([capture(body=b"", status=404), capture(status=301, body=b"x" * 200_000)])
    archive.close()
    assert [problems(path) for path in warcs(tmp_path)] == [[]] * len(warcs(tmp_path))


def test_every_line_of_the_index_leads_to_its_record(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, file_bytes=3000)
    archive.append([capture(f"http://example.com/{number % 7}", NOON + number, b"%d" % number) for number in range(30)])
    merged = tmp_path / "index" / "index.cdxj"
    assert merge(tmp_path, merged) == 30
    text = merged.read_bytes().splitlines()
    assert text == sorted(text)
    for line in (parse(one.decode()) for one in text):
        payload = archive.read(Place(line.filename, line.offset, line.length))
        assert (payload.url, sha256(payload.body)) == (line.url, "sha256:" + line.field("sha256"))
    archive.close()
    assert merge(tmp_path, merged) == 30
    assert merged.read_bytes().splitlines() == text
    assert [path.name for path in merged.parent.iterdir()] == ["index.cdxj"]


def test_more_files_than_can_be_open_at_once_are_merged(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, file_bytes=1)
    archive.append([capture(f"http://example.com/{number:03}") for number in range(300)])
    archive.close()
    assert merge(tmp_path, tmp_path / "all.cdxj") == 300


ODD = [
    b"Transfer-Encoding: chunked",
    b"transfer-encoding : x",
    b"Content-Length: 5",
    b" folded",
    b"\r",
    b"\x1c",
    b"\xa0",
]
LINE = st.sampled_from(ODD) | st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")).filter(bool)
HEADS = st.lists(LINE, max_size=8).map(lambda lines: b"HTTP/1.1 200 OK\r\n" + b"".join(x + b"\r\n" for x in lines))
BODIES = st.binary(max_size=3000) | st.sampled_from([b"WARC/1.1\r\n\r\n", b"\r\n\r\n", b"a" * 70_000])


@st.composite
def replies(draw: st.DrawFn) -> Capture:
    """Any head a server may send, well formed or not, and any body."""
    coding = draw(st.sampled_from(sorted(CODERS)))
    answer = reply(draw(BODIES), coding=coding, headers=[])
    tail = f"Content-Encoding: {coding}\r\n\r\n".encode() if coding else b"\r\n"
    raw_head = draw(HEADS) + tail
    answer = replace(answer, raw_head=raw_head, headers=headers_of(raw_head))
    at = draw(st.floats(0, 4e9).map(lambda at: round(at, 6)))
    return captured(answer, "http://example.com/", at)


@settings(max_examples=150, deadline=None)
@given(st.lists(replies(), min_size=1, max_size=4))
def test_any_answer_reads_back_byte_for_byte_here_and_in_warcio(seen: list[Capture]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = open_archive(Path(folder))
        places = archive.append(seen)
        archive.close()
        assert [archive.read(place).body for place in places] == [one.reply.body for one in seen]
        assert [archive.read(place).at for place in places] == pytest.approx([one.at for one in seen], abs=2e-6)
        [path] = warcs(Path(folder))
        assert problems(path) == []
        assert [found.body for found in responses(path)] == [one.reply.body for one in seen]


def test_a_server_that_names_a_coding_it_did_not_use_is_read_as_it_was_seen(tmp_path: Path) -> None:
    seen = capture(body=b"plain all the same", headers=[("Content-Encoding", "gzip")])
    archive = open_archive(tmp_path)
    [place] = archive.append([seen])
    assert archive.read(place).body == b"plain all the same"


def test_a_damaged_record_is_named_and_never_read_as_something_else(tmp_path: Path) -> None:
    archive = open_archive(tmp_path)
    [place] = archive.append([capture(body=b"valuable" * 100)])
    archive.close()
    [path] = warcs(tmp_path)
    damaged = bytearray(path.read_bytes())
    damaged[place.offset + place.length // 2] ^= 0xFF
    path.write_bytes(damaged)
    with pytest.raises(RecrawlError, match=f"{place.file} is damaged at byte {place.offset}"):
        archive.read(place)


def test_a_body_too_large_to_decode_is_refused(tmp_path: Path) -> None:
    archive = open_archive(tmp_path, read_bytes=1000)
    [place] = archive.append([capture(body=bytes(1_000_000), coding="gzip")])
    with pytest.raises(RecrawlError, match="more than 1000 bytes"):
        archive.read(place)


WITHOUT_ISAL = """
import sys
sys.modules["isal"] = None
from pathlib import Path
from tests.unit.archive.exchanges import capture, open_archive
from recrawl.archive.deflate import library
archive = open_archive(Path(sys.argv[1]))
seen = [capture(body=b"page" * 999, coding=coding) for coding in ("", "gzip", "deflate")]
places = archive.append(seen)
archive.close()
assert [archive.read(place).body for place in places] == [b"page" * 999] * 3
print(library.__name__)
"""


def test_the_standard_library_does_where_isal_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_ISAL, str(tmp_path)]
    run = subprocess.run(command, cwd=Path(__file__).resolve().parents[3], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("zlib\n", "")
    assert problems(warcs(tmp_path)[0]) == []


def test_the_payload_that_warcio_writes_is_read_by_us(tmp_path: Path) -> None:
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    out = BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    head = StatusAndHeaders("200 OK", [("Content-Type", "text/plain")], protocol="HTTP/1.1")
    writer.write_record(
        writer.create_warc_record("http://example.com/", "response", payload=BytesIO(b"hello"), http_headers=head)
    )
    name = "recrawl-x-20240101000000-00000.warc.gz"
    (tmp_path / name).write_bytes(out.getvalue())
    payload = open_archive(tmp_path).read(Place(name, 0, len(out.getvalue())))
    assert (payload.url, payload.status, payload.body) == ("http://example.com/", 200, b"hello")
