"""What the compiled part writes into records is what Python would have written."""

import base64
import hashlib
import uuid

from hypothesis import given
from hypothesis import strategies as st

from recrawl.archive.record import plain_sha1_text, sha1, sha1_text
from recrawl.engine.clock import plain_urn_uuid, urn_uuid


@given(st.binary(max_size=100))
def test_a_sha1_is_written_in_base_32(data: bytes) -> None:
    digest = hashlib.sha1(data).digest()
    assert sha1(data) == sha1_text(digest) == plain_sha1_text(digest) == "sha1:" + base64.b32encode(digest).decode()


@given(st.binary(min_size=16, max_size=16))
def test_an_identity_is_a_random_uuid(data: bytes) -> None:
    written = urn_uuid(data)
    assert written == plain_urn_uuid(data)
    assert uuid.UUID(written.removeprefix("<urn:uuid:").removesuffix(">")).version == 4
