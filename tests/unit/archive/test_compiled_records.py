"""What the compiled part writes into records is what Python would have written."""

import base64
import hashlib
import uuid

from hypothesis import given
from hypothesis import strategies as st

from recrawl.archive.http_head import MISLEADING, is_plain_head, is_plainly_head
from recrawl.archive.record import plain_sha1_text, sha1, sha1_text
from recrawl.archive.warc import odd_warc_fields
from recrawl.engine.clock import plain_urn_uuid, urn_uuid
from recrawl.native import compiled


@given(st.binary(max_size=100))
def test_a_sha1_is_written_in_base_32(data: bytes) -> None:
    digest = hashlib.sha1(data).digest()
    assert sha1(data) == sha1_text(digest) == plain_sha1_text(digest) == "sha1:" + base64.b32encode(digest).decode()


@given(st.binary(min_size=16, max_size=16))
def test_an_identity_is_a_random_uuid(data: bytes) -> None:
    written = urn_uuid(data)
    assert written == plain_urn_uuid(data)
    assert uuid.UUID(written.removeprefix("<urn:uuid:").removesuffix(">")).version == 4


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


texts = st.text(st.sampled_from("aZ9-_ :é\t\n\0\x7f!"), max_size=8) | st.just("x" * 700)


@given(st.lists(st.tuples(texts, texts), max_size=5).map(tuple))
def test_fields_are_written_alike_or_left_to_python(pairs: tuple[tuple[str, str], ...]) -> None:
    assert compiled.named_fields(pairs) in (None, odd_warc_fields(pairs))


def test_usual_fields_are_written() -> None:
    assert compiled.named_fields((("why", "due"), ("failure", ""), ("fetch-time-ms", "1.5"))) == (
        b"why: due\r\nfetch-time-ms: 1.5\r\n"
    )
