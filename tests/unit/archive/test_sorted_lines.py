"""A line of a sorted sidecar is found wherever it stands, however alike its neighbours begin."""

import mmap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.archive.cdxj_index import MARK_BYTES, FoundLines, MarkedLines, SortedLines

ALIKE = b"org,example)/" + b"a" * MARK_BYTES


Made = Callable[[mmap.mmap], SortedLines]
BOTH = pytest.mark.parametrize("made", [pytest.param(FoundLines, marks=pytest.mark.compiled), MarkedLines])


def _lines(path: Path, keys: list[bytes], made: Made) -> SortedLines:
    path.write_bytes(b"".join(sorted(key + b" {}\n" for key in keys)))
    with path.open("rb") as file:
        return made(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


@BOTH
@pytest.mark.parametrize("count", [1, 2, 511, 512, 513, 3000])
@pytest.mark.parametrize("begin", [b"org,example)/", ALIKE])
def test_every_key_is_found_and_none_that_is_not_there(tmp_path: Path, count: int, begin: bytes, made: Made) -> None:
    keys = [begin + b"%06d 20260101000000 " % (2 * number) for number in range(count)]
    lines = _lines(tmp_path / "x.cdxj", keys, made)
    assert all(lines.beginning_with(key) == [key + b" {}\n"] for key in keys)
    assert not any(lines.beginning_with(begin + b"%06d " % (2 * number + 1)) for number in range(-1, count))


@BOTH
def test_all_lines_under_a_key_are_found(tmp_path: Path, made: Made) -> None:
    keys = [ALIKE + b" 2026 %03d" % number for number in range(700)]
    lines = _lines(tmp_path / "x.cdxj", [b"a", *keys, b"z"], made)
    assert len(lines.beginning_with(ALIKE + b" 2026 ")) == 700


@BOTH
@given(st.lists(st.binary(max_size=130).filter(lambda key: b"\n" not in key), min_size=1), st.data())
def test_what_is_found_is_what_a_look_at_every_line_finds(
    tmp_path_factory: pytest.TempPathFactory, made: Made, keys: list[bytes], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.cdxj"
    lines = _lines(path, keys, made)
    key = data.draw(st.sampled_from(keys))
    key = key[: data.draw(st.integers(0, len(key)))] or b" "
    everything = [line + b"\n" for line in path.read_bytes().split(b"\n")[:-1]]
    assert lines.beginning_with(key) == [line for line in everything if line.startswith(key)]
