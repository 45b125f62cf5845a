"""What the compiled part writes into records is what Python would have written."""

import base64
import hashlib
import random
import string
import uuid
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.archive.http_head import (
    MISLEADING,
    is_plain_head,
    is_plain_request,
    is_plainly_head,
    is_plainly_request,
)
from recrawl.archive.member import BrokenMember, compressed, inflated, stored
from recrawl.archive.reading import payload_of, plain_payload
from recrawl.archive.record import (
    BrokenRecord,
    Record,
    odd_record,
    odd_warc_date,
    plain_sha1_text,
    sha1,
    sha1_text,
    warc_date,
)
from recrawl.archive.record import parse as parse_record
from recrawl.archive.warc import odd_warc_fields
from recrawl.engine.clock import plain_urn_uuids, urn_uuids
from recrawl.formats.cdxj import OWN, CdxLine, parse, parse_written, render, written
from recrawl.native import compiled


@given(st.binary(max_size=100))
def test_a_sha1_is_written_in_base_32(data: bytes) -> None:
    digest = hashlib.sha1(data).digest()
    assert sha1(data) == sha1_text(digest) == plain_sha1_text(digest) == "sha1:" + base64.b32encode(digest).decode()


@given(st.lists(st.binary(min_size=16, max_size=16), max_size=3))
def test_identities_are_random_uuids(data: list[bytes]) -> None:
    written = urn_uuids(b"".join(data))
    assert written == plain_urn_uuids(b"".join(data)) and len(written) == len(data)
    assert all(uuid.UUID(one.removeprefix("<urn:uuid:").removesuffix(">")).version == 4 for one in written)


HEADS = (
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 404\r\n", b"HTTP/1.1 099 x\r\n", b"HTTP/2 200\r\n", b"HTTP/1.1 200 \xe4\r\n",
    b"Server: x\r\n", b"Content-Length: 3\r\n", b"CONTENT-ENCODING: br\r\n", b"transfer-encoding:x\r\n", b" folded\r\n",
    b"content-lengthy: 1\r\n", b"no colon\r\n", b"bare\n", b"a\rb: c\r\n", b"\r\n", b"\n", b"", b"-x: y\r\n",
    b"9: y\r\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(HEADS), max_size=6).map(b"".join), st.lists(st.sampled_from(MISLEADING)).map(tuple))
def test_a_head_that_can_be_stored_as_it_came_is_known(raw: bytes, hidden: tuple[bytes, ...]) -> None:
    for head in (raw, HEADS[0] + raw + b"\r\n"):
        assert is_plain_head(head, hidden) == is_plainly_head(head, hidden)


REQUESTS = (
    b"GET / HTTP/1.1\r\n",
    b"GET  / HTTP/1.1\r\n",
    b"get / HTTP/1.1\r\n",
    b"GET / HTTP/2\r\n",
    b"GET /\r\n",
    *HEADS[5:],
)


@given(st.lists(st.sampled_from(REQUESTS), max_size=6).map(b"".join), st.lists(st.sampled_from(MISLEADING)).map(tuple))
def test_a_request_that_can_be_stored_as_it_was_sent_is_known(raw: bytes, secrets: tuple[bytes, ...]) -> None:
    for head in (raw, REQUESTS[0] + raw + b"\r\n"):
        assert is_plain_request(head, secrets) == is_plainly_request(head, secrets)


texts = st.text(st.sampled_from("aZ9-_ :é\t\n\0\x7f!"), max_size=8) | st.just("x" * 700)


@pytest.mark.compiled
@given(st.lists(st.tuples(texts, texts), max_size=5).map(tuple))
def test_fields_are_written_alike_or_left_to_python(pairs: tuple[tuple[str, str], ...]) -> None:
    assert compiled.named_fields(pairs) in (None, odd_warc_fields(pairs))


@pytest.mark.compiled
def test_usual_fields_are_written() -> None:
    assert compiled.named_fields((("why", "due"), ("failure", ""), ("fetch-time-ms", "1.5"))) == (
        b"why: due\r\nfetch-time-ms: 1.5\r\n"
    )


# ---- deflated

PRINTED = "\r\n" + string.printable[:95]
headers = st.text(st.sampled_from(PRINTED), max_size=400) | st.text(st.sampled_from("ab\n"), max_size=900)


@pytest.mark.compiled
@given(headers.map(str.encode), st.integers(1, 40))
def test_what_is_deflated_comes_out_again(text: bytes, times: int) -> None:
    data = (text * times)[:16_384]
    assert zlib.decompress(compiled.deflated(data, True), -15) == data
    begun = zlib.decompressobj(-15)
    assert begun.decompress(compiled.deflated(data, False)) == data
    assert not begun.eof


@pytest.mark.compiled
def test_matches_of_every_length_and_distance_come_out_again() -> None:
    dice = random.Random(3)
    for length in range(4, 300):
        for distance in (1, 2, 3, 4, 5, 8, 9, 64, 65, 1024, 1025, 8192, 8193, 16_384 - length):
            filling = "".join(dice.choices(PRINTED, k=distance))
            data = (filling * (1 + length // distance) + filling[: length % distance]).encode()[:16_384]
            assert zlib.decompress(compiled.deflated(data, True), -15) == data


@pytest.mark.compiled
@given(st.binary(max_size=60))
def test_what_is_more_than_ascii_is_left_to_another(data: bytes) -> None:
    assert (compiled.deflated(data, True) is None) == bool(set(data) - set(PRINTED.encode()))


@pytest.mark.compiled
def test_what_is_long_is_left_to_another() -> None:
    assert compiled.deflated(b"a" * 16_385, True) is None


@given(headers.map(str.encode) | st.binary(max_size=200), st.binary(max_size=200), st.sampled_from((0, 1, 2, 3)))
def test_members_are_whole_at_every_level(head: bytes, block: bytes, level: int) -> None:
    assert inflated(compressed(head, level)) == head
    assert inflated(stored(head, block, level)) == head + block


def test_a_member_of_headers_is_hardly_longer_than_with_a_code_of_its_own() -> None:
    dice = random.Random(5)
    fields = (
        "WARC-Type: request",
        "WARC-Date: 2026-11-17T09:30:00.123456Z",
        "Content-Type: application/http; msgtype=request",
    )
    for _ in range(50):
        identity = uuid.UUID(int=dice.getrandbits(128), version=4)
        path = "".join(dice.choices(string.ascii_lowercase + "-/", k=30))
        text = "\r\n".join(
            (*fields, f"WARC-Record-ID: <urn:uuid:{identity}>", f"WARC-Target-URI: https://example.org/{path}")
        )
        data = text.encode()
        assert len(compressed(data, 2)) < 1.08 * len(compressed(data, 3))


# ---- dates and index lines


@given(st.floats(-1e10, 3e11) | st.floats(1.7e9, 1.9e9) | st.integers(0, 2**38).map(lambda number: number / 128))
def test_dates_are_written_alike(at: float) -> None:
    try:
        expected = odd_warc_date(at)
    except (ValueError, OverflowError):
        return  # no year has room for it
    assert warc_date(at) == expected


values = st.text(st.sampled_from('aZ9~ /:?"\\\n\x7fé'), max_size=6)
keys = st.text(st.sampled_from("a,)/~é "), max_size=5)
digests = st.sampled_from(("", "A" * 32, "a" * 32, "7" * 31))
hashes = st.sampled_from(("", "0f" * 32, "0F" * 32, "f" * 63))
more = hashes.map(lambda text: (("sha256", text),) if text else ()) | st.just((("other", "x"),))
numbers = st.integers(0, 10**16)
lines = st.builds(
    CdxLine, keys, st.sampled_from(("20261117093000", "2026", "2026111709300é")), values, values,
    st.sampled_from(("", "200", "2000", "ok")), digests, numbers, numbers, values, more,
)  # fmt: skip
usual = st.builds(
    CdxLine, st.just("org,example)/a"), st.just("20261117093000"), st.just("http://example.org/a"),
    st.just("text/html"), st.sampled_from(("", "200")), st.sampled_from(("", "A" * 32)), numbers, numbers,
    st.just("x.warc.gz"), st.sampled_from(((), (("sha256", "0f" * 32),))),
)  # fmt: skip


@given(lines | usual)
def test_index_lines_are_written_alike(line: CdxLine) -> None:
    assert written(line) == render(line).encode() + b"\n"


@pytest.mark.compiled
@given(usual)
def test_usual_index_lines_are_written_and_read_by_the_compiled_part(line: CdxLine) -> None:
    text = written(line)
    whole = (line.urlkey, line.timestamp, line.url, line.mime, line.status, line.digest)
    sha256 = line.field("sha256")
    assert compiled.written_line(*whole, line.filename, sha256, line.length, line.offset) == text
    if max(line.length, line.offset) < 10**15:
        assert parse_written(text) == CdxLine(*compiled.own_line(text)) == parse(text.decode()) == line


@pytest.mark.compiled
@given(lines | usual, st.integers(0, 400), st.binary(max_size=2), st.integers(0, 3))
def test_index_lines_are_read_alike_or_left_to_python(line: CdxLine, place: int, put: bytes, taken: int) -> None:
    text = written(line)
    broken = text[:place] + put + text[place + taken :]
    own = compiled.own_line(broken)
    if own is not None:
        assert parse(broken.decode()) == CdxLine(*own)
    elif broken.isascii():
        assert OWN.fullmatch(broken.decode()) is None


RECORD_LINES = (
    b"WARC/1.1\r\n",
    b"WARC-Type: response\r\n",
    b"content-length: 3\r\n",
    b"Content-Length: 3\r\n",
    b"Content-Length: x\r\n",
    b"WARC-Date:\t 2026 \r\n",
    b"no colon\r\n",
    b"a: \xc3\xa9\r\n",
    b"b: \xff\r\n",
    b"a:b:c\r\n",
    b"\r\n",
    b"abc\r\n\r\n",
    b"c: d\rd\ne\r\n",
    b":\r\n",
)


def read_by(parse: Callable[[bytes], Record], data: bytes) -> Record | str:
    try:
        return parse(data)
    except BrokenRecord as wrong:
        return str(wrong)


@given(st.lists(st.sampled_from(RECORD_LINES), max_size=8).map(b"".join))
def test_a_record_is_read_alike_whoever_reads_it(lines: bytes) -> None:
    whole = RECORD_LINES[0] + lines + b"Content-Length: 3\r\n\r\nabc\r\n\r\n"
    for data in (lines, whole, RECORD_LINES[0] + lines + b"\r\nabc\r\n\r\n", whole[:-1]):
        assert read_by(parse_record, data) == read_by(odd_record, data)


RESPONSE_LINES = (
    b"WARC-Target-URI: http://e.org/\xc3\xa9\r\n", b"WARC-Date: 2026-11-18T10:00:00.5Z\r\n", b"WARC-Date:  2026\r\n",
    b"Recrawl-Body-Digest: sha256:00\r\n", b"warc-target-uri: http://example.org/b\r\n", b"Content-Length: 4\r\n",
    b"WARC-Target-URI: http://example.org/\xe9\r\n", b"no colon\r\n", b"WARC-Type: revisit\r\n",
    b"WARC-Target-URI:http://example.org/c\r\n", b"content-length: 4\r\n", b"recrawl-body-digest: \r\n",
)  # fmt: skip
ANSWER_LINES = (*HEADS, b"X-Crawler-Content-Length: 3\r\n", b"Content-Encoding: gzip\r\n", b"Etag:  a \r\n")


def payload_by(read: Callable[[bytes], object], data: bytes) -> object:
    try:
        return read(data)
    except BrokenRecord as wrong:
        return str(wrong)


@pytest.mark.compiled
@given(
    st.lists(st.sampled_from(RESPONSE_LINES), max_size=1).map(b"".join),
    st.lists(st.sampled_from(RESPONSE_LINES), max_size=4).map(b"".join),
    st.lists(st.sampled_from(ANSWER_LINES), max_size=4).map(b"".join),
)
def test_a_response_is_read_from_its_record_in_fewer_steps_alike(first: bytes, fields: bytes, head: bytes) -> None:
    told = b"WARC/1.1\r\nWARC-Type: response\r\n" + first + b"".join(RESPONSE_LINES[:2]) + fields
    for answer in (head, HEADS[0] + head + b"\r\n"):
        block = answer + b"body"
        for length in (len(block), 4):
            data = told + b"Content-Length: %d\r\n\r\n%b\r\n\r\n" % (length, block)
            plain = payload_by(lambda data: plain_payload(data, 1_000, 4), data)
            if plain is not None:
                assert plain == payload_by(lambda data: payload_of(parse_record(data), 1_000, 4), data)


@pytest.mark.compiled
def test_the_record_of_a_usual_response_is_read_in_fewer_steps() -> None:
    block = b"HTTP/1.1 200 OK\r\nServer: x\r\nETag: y\r\n\r\nbody"
    fields = b"WARC-Type: response\r\n" + b"".join(RESPONSE_LINES[:2])
    data = b"WARC/1.1\r\n%bContent-Length: %d\r\n\r\n%b\r\n\r\n" % (fields, len(block), block)
    plain = plain_payload(data, 1_000)
    assert plain == payload_of(parse_record(data), 1_000)
    assert plain is not None and plain.headers == (("server", "x"), ("etag", "y")) and plain.body == b"body"
    for other in (
        data.replace(b"response", b"revisit"),
        data.replace(b"Server", b"X-Crawler-Content-Length"),
        data[:-1],
    ):
        assert plain_payload(other, 1_000) is None
    with pytest.raises(TypeError):
        compiled.response_told("text")


HEADERS = b"".join(b"WARC-Field-%d: of the value %d\r\n" % (number, number * number) for number in range(20))


@pytest.mark.compiled
@pytest.mark.parametrize("size", [0, 1, 65_534, 65_535, 65_536, 140_000])
def test_a_member_of_ours_is_read_without_its_code(size: int) -> None:
    block = random.Random(size).randbytes(size)
    member = stored(HEADERS, block, 1)
    assert compiled.unpacked(member) == inflated(member) == zlib.decompress(member, 31) == HEADERS + block
    assert compiled.unpacked(compressed(HEADERS, 1)) == HEADERS
    assert compiled.unpacked(zlib.compress(HEADERS, 6, 31)) is None


@given(st.integers(0, 10**6), st.integers(1, 255), st.integers(0, 2_000))
def test_a_member_that_is_not_whole_is_never_taken_for_one(at: int, bits: int, cut: int) -> None:
    member = bytearray(stored(HEADERS, b"block" * 99, 1))
    member[at % len(member)] ^= bits
    for data in (bytes(member), bytes(member[: max(0, len(member) - 1 - cut)])):
        try:
            read = inflated(data)
        except BrokenMember:
            continue
        assert read == HEADERS + b"block" * 99  # a byte of the header that says nothing
