import hashlib
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.digest import body_digest, fold, read, text_digest, written
from recrawl.detect.simhash import distance, share_between, simhash
from recrawl.model.document import Block

ENGLISH = "the keeper of the light writes down every ship that passes in the night and counts them at dawn " * 3
KOREAN = "등대지기는 밤마다 지나가는 모든 배를 기록하고 새벽에 그 수를 센다 안개가 오면 나팔을 분다 " * 3
JAPANESE = "灯台守は夜ごとに通り過ぎるすべての船を書き留め夜明けにその数を数える霧が来ると笛を鳴らす"


def test_the_body_digest_is_sha256_in_bytes_and_in_the_form_of_warc() -> None:
    digest = body_digest(b"hello")
    assert digest == hashlib.sha256(b"hello").digest()
    assert written(digest) == "sha256:" + hashlib.sha256(b"hello").hexdigest()


@given(st.binary())
def test_the_written_digest_reads_back(body: bytes) -> None:
    assert read(written(body_digest(body))) == body_digest(body)
    assert written(b"") == ""


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_white_space_and_unicode_composition_do_not_enter_the_text_digest() -> None:
    assert text_digest([Block(1, "caf\u00e9  au\n lait")]) == text_digest([Block(1, " cafe\u0301 au lait ")])


def test_where_a_text_stands_does_not_enter_its_digest_but_its_order_does() -> None:
    one, two = Block(1, "one"), Block(2, "two")
    assert text_digest([one, two]) == text_digest([Block(8, "one"), Block(1, ""), Block(9, "two")])
    assert text_digest([one, two]) != text_digest([two, one])
    assert len(text_digest([one])) == 8


def test_lone_surrogates_can_be_digested() -> None:
    assert text_digest([Block(1, "\ud800")]) != text_digest([Block(1, "\ud801")])
    assert simhash("\ud800 word 灯台") != 0


@given(st.text())
def test_a_simhash_fits_into_a_signed_column_and_is_at_no_distance_from_itself(text: str) -> None:
    made = simhash(text)
    assert -(1 << 63) <= made < 1 << 63
    assert distance(made, simhash(text)) == 0


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(-(1 << 63), (1 << 63) - 1))
def test_distance_is_symmetric_and_bounded(one: int, other: int) -> None:
    assert distance(one, other) == distance(other, one) <= 64
    assert (distance(one, other) == 0) == (one == other)
    assert 0.0 <= share_between(one, other) <= 1.0


@pytest.mark.parametrize("text", [ENGLISH, KOREAN, JAPANESE * 4])
def test_a_retouched_text_is_near_and_another_text_is_far(text: str) -> None:
    retouched = text[: len(text) // 2] + text[len(text) // 2 + 3 :]
    assert distance(simhash(text), simhash(retouched)) <= 10
    assert distance(simhash(text), simhash("a wholly different story about bread, flour and the baker's oven")) >= 16


def test_text_without_spaces_is_compared_by_pairs_of_characters() -> None:
    halves = JAPANESE[: len(JAPANESE) // 2], JAPANESE[len(JAPANESE) // 2 :]
    swapped = halves[1] + halves[0]
    assert distance(simhash(JAPANESE), simhash(swapped)) <= 10
    assert distance(simhash(JAPANESE), simhash(JAPANESE[::-1])) >= 16


def test_a_text_without_words_has_the_simhash_zero() -> None:
    assert simhash("") == simhash(" ... !") == 0


def test_another_process_computes_the_same_simhash() -> None:
    program = f"from recrawl.detect.simhash import simhash; print(simhash({ENGLISH + KOREAN!r}))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(told.stdout) == simhash(ENGLISH + KOREAN)
