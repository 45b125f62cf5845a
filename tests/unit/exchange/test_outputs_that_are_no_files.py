"""`-o /dev/null`, a pipe, a link: whatever is named is written to, and never replaced by a file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from recrawl.agent.whole import write_whole
from recrawl.exchange.export_target import whole_file

DATA = b"url\nhttp://a.example/\n"


def _exported(file: Path) -> None:
    with whole_file(file) as out:
        out.write(DATA)


WAYS = pytest.mark.parametrize("write", [_exported, lambda file: write_whole(file, DATA)], ids=["export", "whole"])


@WAYS
def test_a_pipe_is_written_to_and_stays_a_pipe(write: Callable[[Path], None], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(pipe)
        assert os.read(reader, 1000) == DATA
    finally:
        os.close(reader)
    assert pipe.is_fifo() and [file.name for file in tmp_path.iterdir()] == ["pipe"]


@WAYS
def test_a_link_stays_a_link_to_what_was_written(write: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    link, file = tmp_path / "link", tmp_path / "deep" / "file"
    file.write_bytes(b"old")
    link.symlink_to(file)
    write(link)
    assert link.is_symlink() and file.read_bytes() == DATA
