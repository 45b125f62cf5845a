"""The folder's log, where it cannot be written."""

import json
import os
import resource
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.folder.log import LogFile, as_dict, as_line, is_of_new_page
from recrawl.model.event import Event, EventKind

STOPPED = Event(EventKind.STOPPED, 1.0)
TEXTS = st.sampled_from(("", "http://e.org/ä\u2028", 'q"\\\n\x7f', "\ud800", "sha256:ab"))
EVENTS = st.builds(
    Event,
    st.sampled_from((EventKind.ADDED, EventKind.UPDATED)),
    st.sampled_from((0.0, -1.0, 1.5, 1_771_000_000.123456, 1e22, float("inf"), float("nan"))),
    TEXTS,
    TEXTS,
    st.sampled_from((None, 0, 7, -(2**63))),
    TEXTS,
    st.just("") | TEXTS,
    st.sampled_from((None, 0.0, 0.5)),
    st.sampled_from(({}, {"target": "ö"})),
    st.sampled_from((0, 12)),
)


@given(EVENTS)
def test_a_line_is_what_the_encoder_would_write(event: Event) -> None:
    assert as_line(event) == json.dumps(as_dict(event), ensure_ascii=False, default=str)


def test_an_event_of_a_new_page_is_written_without_the_encoder() -> None:
    assert is_of_new_page(Event(EventKind.ADDED, 1.5, "http://e.org/", "e", 7, "sha256:ab", cursor=1))


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


def test_several_workers_take_no_line_under_way_for_a_torn_one(tmp_path: Path) -> None:
    log, told = LogFile(tmp_path / "log"), [Event(EventKind.ADDED, 1.0, "http://a.example/" + "x" * 200, page=1)] * 60
    workers = []
    for _ in range(3):
        if not (worker := os.fork()):
            for _ in range(200):
                log.tell(*told)
            os._exit(0)
        workers.append(worker)
    for worker in workers:
        os.waitpid(worker, 0)
    assert (tmp_path / "log").read_text().splitlines() == [as_line(told[0])] * (3 * 200 * 60)
