"""The folder's log, where it cannot be written."""

import json
import resource
from pathlib import Path

import pytest

from recrawl.folder.log import LogFile
from recrawl.model.event import Event, EventKind

STOPPED = Event(EventKind.STOPPED, 1.0)


def test_a_full_disk_ends_no_run_by_its_log() -> None:
    """The store or the archive says it, in a sentence and with its exit code."""
    LogFile(Path("/dev/full")).tell(STOPPED)
    LogFile(Path("/dev/full")).complain("something")


def test_a_log_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        LogFile(tmp_path / "away" / "recrawl.log").tell(STOPPED)


def test_a_line_that_a_full_disk_tore_takes_no_other_with_it(tmp_path: Path) -> None:
    """The disk is full in the middle of a line, then there is room again."""
    file = tmp_path / "recrawl.log"
    LogFile(file).complain("before")
    whole, room = file.stat().st_size, 10
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (whole + room, before[1]))
    try:
        LogFile(file).tell(STOPPED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert file.stat().st_size == whole + room
    LogFile(file).complain("after")
    LogFile(file).tell(STOPPED)
    lines = file.read_text().splitlines()
    assert len(lines) == 4
    assert [json.loads(line)["kind"] for line in (lines[0], *lines[2:])] == ["complaint", "complaint", "stopped"]
