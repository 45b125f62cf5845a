"""The folder's log, where it cannot be written."""

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
