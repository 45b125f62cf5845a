"""Content codings: undone whole, or refused."""

import gzip
import io
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.fetch.rough_server import SQUEEZE, raw_deflate

from recrawl.fetch.decode import FREE_BYTES, MOST_MEMBERS, Bomb, Undecodable, codings_of, decode, most_bytes
from recrawl.fetch.decode_newer import zstd
from recrawl.model.visit import Limits

LIMITS = Limits()
TEXT = b"".join(b"<p>line %d of a page</p>\n" % number for number in range(9000))
CODINGS = sorted(SQUEEZE)


@pytest.mark.parametrize("name", CODINGS)
@given(body=st.binary(max_size=70_000))
def test_every_coding_is_undone(name: str, body: bytes) -> None:
    assert decode(SQUEEZE[name](body), [name], LIMITS) == body


@pytest.mark.parametrize("name", CODINGS)
def test_a_long_body_is_undone_in_pieces(name: str) -> None:
    assert decode(SQUEEZE[name](TEXT), [name.upper()], LIMITS) == TEXT


@pytest.mark.parametrize("name", CODINGS)
def test_no_proper_beginning_of_a_coded_body_passes_for_whole(name: str) -> None:
    coded = SQUEEZE[name](TEXT[:3000])
    for end in range(1, len(coded)):
        with pytest.raises(Undecodable):
            decode(coded[:end], [name], LIMITS)


@pytest.mark.parametrize("name", CODINGS)
@given(body=st.binary(min_size=1, max_size=300))
def test_no_bytes_break_a_decoder(name: str, body: bytes) -> None:
    try:
        assert isinstance(decode(body, [name], LIMITS), bytes)
    except (Undecodable, Bomb) as refused:
        assert str(refused)


def test_gzip_may_have_many_members_and_old_names_and_junk_behind() -> None:
    members = b"".join(gzip.compress(TEXT[at : at + 5000]) for at in range(0, len(TEXT), 5000))
    assert decode(members, ["x-gzip"], LIMITS) == TEXT
    assert decode(members + b"\0\0\0 junk", ["gzip"], LIMITS) == TEXT
    with pytest.raises(Undecodable):
        decode(members + gzip.compress(TEXT)[:-3], ["gzip"], LIMITS)


def test_a_gzip_head_may_carry_a_name() -> None:
    out = io.BytesIO()
    with gzip.GzipFile("page.html", "wb", fileobj=out, mtime=1) as file:
        file.write(TEXT)
    assert decode(out.getvalue(), ["gzip"], LIMITS) == TEXT


def test_a_gzip_body_with_a_wrong_checksum_is_refused() -> None:
    coded = bytearray(gzip.compress(TEXT))
    coded[-6] ^= 1
    with pytest.raises(Undecodable):
        decode(bytes(coded), ["gzip"], LIMITS)


def test_deflate_is_zlib_or_raw() -> None:
    assert decode(zlib.compress(TEXT), ["deflate"], LIMITS) == TEXT
    assert decode(raw_deflate(TEXT), ["deflate"], LIMITS) == TEXT


def test_zstd_may_have_many_frames_and_skippable_ones() -> None:
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    frames = zstd.compress(TEXT[:100]) + skippable + zstd.compress(TEXT[100:])
    assert decode(frames, ["zstd"], LIMITS) == TEXT
    with pytest.raises(Undecodable):
        decode(frames + b"junk", ["zstd"], LIMITS)


def test_a_zstd_window_beyond_eight_mebibytes_is_refused() -> None:
    options = {zstd.CompressionParameter.window_log: 24, zstd.CompressionParameter.content_size_flag: 0}
    packer = zstd.ZstdCompressor(options=options)
    coded = packer.compress(TEXT) + packer.flush()
    with pytest.raises(Undecodable):
        decode(coded, ["zstd"], LIMITS)


def test_codings_are_undone_from_the_last_to_the_first() -> None:
    coded = SQUEEZE["br"](SQUEEZE["gzip"](TEXT))
    assert decode(coded, ["gzip, br"], LIMITS) == TEXT
    assert decode(coded, ["gzip", "identity", "br"], LIMITS) == TEXT
    with pytest.raises(Undecodable):
        decode(coded, ["br, gzip"], LIMITS)


def test_deeper_nesting_than_the_limit_is_refused() -> None:
    coded = gzip.compress(gzip.compress(gzip.compress(TEXT)))
    assert decode(coded, ["gzip, gzip, gzip"], Limits(encodings=3)) == TEXT
    with pytest.raises(Bomb, match="limit is 2"):
        decode(coded, ["gzip, gzip, gzip"], LIMITS)


def test_what_is_no_coding_leaves_the_body_alone() -> None:
    for value in ("", "identity", "UTF-8", "none", " , "):
        assert decode(TEXT, [value], LIMITS) == TEXT
    assert codings_of(["GZip ,  Br", "identity"]) == ["gzip", "br"]


def test_an_unknown_coding_is_refused_and_an_empty_body_is_not() -> None:
    with pytest.raises(Undecodable, match="sdch"):
        decode(TEXT, ["sdch"], LIMITS)
    assert decode(b"", ["gzip"], LIMITS) == b""
    assert decode(b"", ["sdch"], LIMITS) == b""


@pytest.mark.parametrize("name", CODINGS)
def test_a_plain_body_that_claims_a_coding_is_refused_as_browsers_do(name: str) -> None:
    with pytest.raises(Undecodable):
        decode(TEXT, [name], LIMITS)


def test_a_gzip_body_without_the_claim_stays_as_it_is() -> None:
    coded = gzip.compress(TEXT)
    assert decode(coded, [], LIMITS) == coded


@pytest.mark.parametrize("name", CODINGS)
def test_a_bomb_is_stopped_at_the_limit_and_not_after_it(name: str) -> None:
    coded, most = SQUEEZE[name](bytes(12 * FREE_BYTES)), 3 * FREE_BYTES
    tracemalloc.start()
    try:
        with pytest.raises(Bomb):
            decode(coded, [name], Limits(decoded_bytes=most, decoded_ratio=1e9))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most + 256 * 1024  # a decoder's own tables included


@pytest.mark.parametrize("name", CODINGS)
def test_the_limit_itself_is_allowed(name: str) -> None:
    coded = SQUEEZE[name](bytes(FREE_BYTES))
    assert len(decode(coded, [name], Limits(decoded_bytes=FREE_BYTES))) == FREE_BYTES
    with pytest.raises(Bomb):
        decode(coded, [name], Limits(decoded_bytes=FREE_BYTES - 1))


def test_the_ratio_counts_beyond_the_first_mebibyte() -> None:
    limits = Limits(decoded_ratio=10.0)
    assert most_bytes(100, limits) == FREE_BYTES
    assert most_bytes(FREE_BYTES, limits) == 10 * FREE_BYTES
    assert most_bytes(10 * FREE_BYTES, limits) == limits.decoded_bytes
    assert len(decode(gzip.compress(bytes(FREE_BYTES)), ["gzip"], limits)) == FREE_BYTES
    with pytest.raises(Bomb):
        decode(gzip.compress(bytes(FREE_BYTES + 1)), ["gzip"], limits)


def test_a_bomb_inside_a_bomb_is_stopped() -> None:
    coded = gzip.compress(gzip.compress(bytes(12 * FREE_BYTES)))
    assert len(coded) < 1024
    with pytest.raises(Bomb):
        decode(coded, ["gzip, gzip"], LIMITS)


def test_a_body_of_endless_empty_members_is_stopped() -> None:
    with pytest.raises(Bomb):
        decode(gzip.compress(b"") * (MOST_MEMBERS + 1), ["gzip"], LIMITS)
