"""Answers that came before a kill are at hand after it, and only where they still say what was asked."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch import journal as journals
from recrawl.fetch.evidence import answered, failed
from recrawl.fetch.journal import LIFE_S, Journal, answers_in
from recrawl.model.address import fingerprint, server_of
from recrawl.model.failure import Failure
from recrawl.model.page import Page
from recrawl.model.visit import Ask, Evidence, Reply, Times
from recrawl.native import compiled

NOW = 1_000_000.0
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: \xe4\r\n\r\n"


def page_of(url: str) -> Page:
    return Page(fingerprint(url), url, server_of(url), "site", found_at=NOW - 9.0, due_at=NOW - 9.0)


def reply_to(ask: Ask, at: float = NOW, body: bytes = b"<p>words</p>", head: bytes = HEAD) -> Reply:
    lines = [line + b"\n" for line in head.split(b"\n")[:-1]]
    return answered(
        ask,
        at,
        journals.status_of(lines),
        journals.parse_headers(lines),
        body,
        raw_request=b"GET / HTTP/1.1\r\n\r\n",
        raw_head=head,
        peer="127.0.0.1",
        times=Times(0.0, 0.25, 0.5, 0.75, 1.0),
        received_bytes=len(head) + len(body),
    )


class Pages:
    """What the store knows."""

    def __init__(self, *pages: Page) -> None:
        self.known = {page.id: page for page in pages}

    def __call__(self, ids: Sequence[int]) -> list[Page]:
        return [self.known[number] for number in ids if number in self.known]


def killed(journal: Journal) -> None:
    """What a kill -9 does: descriptors are closed, nothing is tidied."""
    for file in (journal._turn, journal._other):
        os.close(file._handle)


def left_by_a_kill(folder: Path, *replies: Reply) -> None:
    journal = Journal(folder, "0", Pages(), NOW)
    for reply in replies:
        journal.note(fingerprint(reply.ask.url), reply)
    killed(journal)


A, B = page_of("http://a.example/"), page_of("http://b.example/x")
ASK_A, ASK_B = Ask(A.url), Ask(B.url, etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")


def test_after_a_kill_the_answer_is_the_same_to_the_last_byte(tmp_path: Path) -> None:
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
    replies = reply_to(ASK_A), reply_to(ASK_B, NOW + 1, b"", head)
    left_by_a_kill(tmp_path / "j", *replies)
    journal = Journal(tmp_path / "j", "0", Pages(A, B), NOW + 5)
    assert (journal.recall(A, ASK_A, NOW + 5), journal.recall(B, ASK_B, NOW + 5)) == replies


def test_it_is_given_once(tmp_path: Path) -> None:
    left_by_a_kill(tmp_path / "j", reply_to(ASK_A))
    journal = Journal(tmp_path / "j", "0", Pages(A), NOW + 5)
    assert journal.recall(A, ASK_A, NOW + 5) is not None
    assert journal.recall(A, ASK_A, NOW + 5) is None


@pytest.mark.parametrize(
    "page",
    [
        replace(A, checked_at=NOW),
        replace(A, checked_at=NOW + 1),
        replace(A, due_at=NOW + 1),
        replace(A, due_at=None),
    ],
    ids=["its visit is written", "seen since", "made due anew", "not due any more"],
)
def test_a_page_that_does_not_wait_for_it_is_asked(tmp_path: Path, page: Page) -> None:
    left_by_a_kill(tmp_path / "j", reply_to(ASK_A))
    assert Journal(tmp_path / "j", "0", Pages(page), NOW + 5).recall(page, ASK_A, NOW + 5) is None
    early = Journal(tmp_path / "j", "0", Pages(A), NOW + 5)
    assert early.recall(page, ASK_A, NOW + 5) is None


@pytest.mark.parametrize(
    "ask", [Ask(A.url, etag='"2"'), Ask(A.url, last_modified="yesterday"), Ask(A.url, headers=(("x", "y"),))]
)
def test_another_question_is_asked(tmp_path: Path, ask: Ask) -> None:
    left_by_a_kill(tmp_path / "j", reply_to(ASK_A))
    assert Journal(tmp_path / "j", "0", Pages(A), NOW + 5).recall(A, ask, NOW + 5) is None


@pytest.mark.parametrize("now", [NOW + LIFE_S + 1, NOW - 1], ids=["long ago", "by a clock that ran ahead"])
def test_an_answer_of_another_time_is_asked_for_again(tmp_path: Path, now: float) -> None:
    left_by_a_kill(tmp_path / "j", reply_to(ASK_A))
    assert Journal(tmp_path / "j", "0", Pages(A), now).recall(A, ASK_A, now) is None


def test_failures_and_servers_that_want_rest_are_not_kept(tmp_path: Path) -> None:
    busy = reply_to(ASK_A, head=b"HTTP/1.1 503 Busy\r\nRetry-After: 60\r\n\r\n")
    left_by_a_kill(tmp_path / "j", busy, failed(ASK_B, NOW, Failure.RESET, "gone"))
    journal = Journal(tmp_path / "j", "0", Pages(A, B), NOW + 5)
    assert journal.recall(A, ASK_A, NOW + 5) is None
    assert journal.recall(B, ASK_B, NOW + 5) is None


def test_a_second_kill_takes_nothing_away(tmp_path: Path) -> None:
    """What was recalled and not written yet is still at hand."""
    left_by_a_kill(tmp_path / "j", reply_to(ASK_A))
    second = Journal(tmp_path / "j", "0", Pages(A), NOW + 5)
    assert second.recall(A, ASK_A, NOW + 5) is not None
    killed(second)
    assert Journal(tmp_path / "j", "0", Pages(A), NOW + 6).recall(A, ASK_A, NOW + 6) is not None


def test_the_files_go_when_everything_is_written(tmp_path: Path) -> None:
    left_by_a_kill(tmp_path / "j", reply_to(ASK_A), reply_to(ASK_B))
    journal = Journal(tmp_path / "j", "0", Pages(A), NOW + 5)
    journal.recall(A, ASK_A, NOW + 5)
    journal.note(A.id, reply_to(ASK_A, NOW + 5))
    assert len(list((tmp_path / "j").iterdir())) == 3
    journal.settled([A.id])
    assert len(list((tmp_path / "j").iterdir())) == 2
    journal.close()
    assert list((tmp_path / "j").iterdir()) == []


def test_what_many_kills_left_does_not_pile_up(tmp_path: Path) -> None:
    """Each time one page is still waited for, another one."""
    pages = [replace(A, id=number) for number in range(9)]
    for number, page in enumerate(pages):
        written = [replace(one, checked_at=NOW + number) for one in pages[: max(number - 1, 0)]]
        journal = Journal(tmp_path / "j", "0", Pages(*written, *pages[len(written) :]), NOW + number)
        assert len(list((tmp_path / "j").iterdir())) <= 3
        journal.note(page.id, reply_to(ASK_A, NOW + number))
        killed(journal)


def test_what_nobody_came_for_within_the_hour_is_let_go(tmp_path: Path) -> None:
    """Pages of another worker, of a site that rests, or beyond the budget: a run may last for years."""
    left_by_a_kill(tmp_path / "j", reply_to(ASK_A))
    journal = Journal(tmp_path / "j", "0", Pages(A), NOW + 5)
    journal.note(B.id, reply_to(ASK_B, NOW + LIFE_S))
    assert len(list((tmp_path / "j").iterdir())) == 3
    journal.note(B.id, reply_to(ASK_B, NOW + LIFE_S + 6))
    assert len(list((tmp_path / "j").iterdir())) == 2
    assert not journal.in_hand


def test_a_file_that_cannot_be_read_keeps_nobody_from_crawling(tmp_path: Path) -> None:
    """One of somebody else, say."""
    (tmp_path / "j" / "0a-1.journal").mkdir(parents=True)
    left_by_a_kill(tmp_path / "j", reply_to(ASK_A))
    assert Journal(tmp_path / "j", "0", Pages(A), NOW + 5).recall(A, ASK_A, NOW + 5) is not None


def test_what_still_waits_at_the_end_stays(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "0", Pages(), NOW)
    journal.note(A.id, reply_to(ASK_A))
    journal.close()
    assert Journal(tmp_path / "j", "1", Pages(A), NOW + 5).recall(A, ASK_A, NOW + 5) is not None


def test_two_files_take_turns_and_stay_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "TURN_BYTES", 4000)
    journal = Journal(tmp_path / "j", "0", Pages(), NOW)
    for number in range(500):
        journal.note(number, reply_to(ASK_A, NOW + number, b"x" * 300))
        if number:
            journal.settled([number - 1])
    assert all(path.stat().st_size < 5000 for path in (tmp_path / "j").iterdir())
    killed(journal)
    pages = [replace(A, id=number) for number in range(500)]
    after = Journal(tmp_path / "j", "0", Pages(*pages), NOW + 1000)
    assert after.recall(pages[499], ASK_A, NOW + 1000) is not None


def test_a_page_that_waits_for_its_second_look_does_not_hold_the_others_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its budget was spent after the first: the answer stands there, and a day's others behind it."""
    monkeypatch.setattr(journals, "TURN_BYTES", 4000)
    journal = Journal(tmp_path / "j", "0", Pages(), NOW)
    journal.note(A.id, reply_to(ASK_A))
    for number in range(500):
        journal.note(number, reply_to(ASK_A, NOW + number * 600.0, b"x" * 300))
        journal.settled([number])
    assert all(path.stat().st_size < 9000 for path in (tmp_path / "j").iterdir())


def test_an_earlier_turn_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the few entries of a new turn lie those of an old one."""
    monkeypatch.setattr(journals, "TURN_BYTES", 4000)
    journal = Journal(tmp_path / "j", "0", Pages(), NOW)
    for number in range(60):
        journal.note(number, reply_to(ASK_A, NOW, b"x" * 500))
        journal.settled([number])
    killed(journal)
    read = [answer.page for path in (tmp_path / "j").iterdir() for answer in answers_in(path.read_bytes())]
    assert len(read) == len(set(read))
    assert max(read) == 59
    assert len(read) < 20


def test_no_server_can_answer_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the few entries of a new turn lie bytes that a server sent in an old one: entries, if it likes."""
    monkeypatch.setattr(journals, "TURN_BYTES", 1000)
    lie = journals._packed(B.id, reply_to(Ask(B.url), body=b"<p>lies</p>"))
    lies = journals._FRAME.pack(1, len(lie), journals.xxh3_64_intdigest(lie)) + lie
    as_long = len(reply_to(ASK_A).sent_body) * b"x"
    journal = Journal(tmp_path / "j", "0", Pages(), NOW)
    for number in range(2):
        journal.note(number, reply_to(ASK_A, body=as_long + 9 * lies))
        journal.settled([number])
    journal.note(A.id, reply_to(ASK_A))
    killed(journal)
    after = Journal(tmp_path / "j", "0", Pages(A, B), NOW + 5)
    assert after.recall(A, ASK_A, NOW + 5) is not None
    assert after.recall(B, Ask(B.url), NOW + 5) is None


def test_a_worker_that_lives_keeps_its_own(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.unit.fetch.test_journal import *\n"
        "j = Journal(Path(sys.argv[1]), '1', Pages(), NOW); j.note(A.id, reply_to(ASK_A)); print('noted', flush=True)\n"
        "sys.stdin.read()"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "j")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "noted\n"
        beside = Journal(tmp_path / "j", "0", Pages(A), NOW + 5)
        assert beside.recall(A, ASK_A, NOW + 5) is None
        other.kill()
    assert Journal(tmp_path / "j", "0", Pages(A), NOW + 5).recall(A, ASK_A, NOW + 5) is not None


def test_a_full_disk_is_left_to_those_who_must_write(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "0", Pages(), NOW)
    full = os.open("/dev/full", os.O_RDWR)
    os.dup2(full, journal._turn._handle)
    os.close(full)
    journal.note(A.id, reply_to(ASK_A))
    assert not journal._turn.waiting


NOT_MODIFIED = b"HTTP/1.1 304 Not Modified\r\nETag: a\r\n\r\n"


def test_what_came_together_is_written_together(tmp_path: Path) -> None:
    pages = [replace(A, id=number) for number in range(1, 9)]
    journal = Journal(tmp_path / "j", "0", Pages(), NOW)
    for page in pages[:6]:
        journal.gather(page.id, reply_to(ASK_B, body=b"", head=NOT_MODIFIED))
    assert journal._turn.size == 0
    journal.flush()
    written = journal._turn.size
    assert written > 0
    journal.flush()
    assert journal._turn.size == written
    journal.note(pages[6].id, reply_to(ASK_B, body=b"", head=NOT_MODIFIED))
    killed(journal)
    after = Journal(tmp_path / "j", "0", Pages(*pages), NOW + 5)
    replies = [after.recall(page, ASK_B, NOW + 5) for page in pages]
    assert replies == [*[reply_to(ASK_B, body=b"", head=NOT_MODIFIED)] * 7, None]


@pytest.mark.parametrize("end", [lambda journal: journal.close(), lambda journal: journal.settled([B.id])])
def test_what_came_last_is_written_before_anything_is_settled_or_closed(
    tmp_path: Path, end: Callable[[Journal], None]
) -> None:
    journal = Journal(tmp_path / "j", "0", Pages(), NOW)
    journal.gather(A.id, reply_to(ASK_B, body=b"", head=NOT_MODIFIED))
    end(journal)
    assert journal._turn.waiting == {A.id}


words = st.sampled_from(("", "a", '"\xe4"', "\ud800", "x" * 70))
asks = st.builds(Ask, st.just(B.url), words, words)
answers = st.builds(
    Reply, asks, st.floats(0, 2e9), st.just(Evidence.DOCUMENT), raw_request=st.binary(max_size=9),
    raw_head=st.binary(max_size=9), sent_body=st.binary(max_size=9), peer=st.sampled_from(("", "127.0.0.1", "\xe4")),
    times=st.builds(Times, st.floats(0, 9), st.integers(0, 9)), received_bytes=st.integers(0, 2**64 - 1),
)  # fmt: skip


@pytest.mark.compiled
@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), answers), max_size=4))
def test_answers_are_packed_alike_or_left_to_python(came: list[tuple[int, Reply]]) -> None:
    expected = b"".join(journals._packed(*one) for one in came)
    assert journals.packed(came) == expected
    is_plain = all((reply.ask.etag + reply.ask.last_modified + reply.peer).isascii() for _, reply in came)
    assert (compiled.packed_answers(came) == expected) == is_plain


@pytest.mark.compiled
@pytest.mark.parametrize("came", [[5], [(1, 2)], [(2**63, reply_to(ASK_A))], [("x", reply_to(ASK_A))]])
def test_what_is_no_answer_is_left_to_python(came: list[object]) -> None:
    assert compiled.packed_answers(came) is None


@given(st.data())
def test_a_torn_or_changed_file_gives_less_and_never_something_else(data: st.DataObject) -> None:
    written = [
        journals._FRAME.pack(0, len(entry), journals.xxh3_64_intdigest(entry)) + entry
        for entry in (journals._packed(number, reply_to(ASK_B, NOW + number)) for number in range(4))
    ]
    whole = b"".join(written)
    cut = data.draw(st.integers(0, len(whole)))
    torn = bytearray(whole[:cut])
    for place in data.draw(st.lists(st.integers(0, max(cut - 1, 0)), max_size=3)):
        if torn:
            torn[place] ^= data.draw(st.integers(0, 255))
    found = list(answers_in(bytes(torn)))
    assert found == list(answers_in(whole))[: len(found)]


@given(st.binary(max_size=300))
def test_bytes_of_any_kind_are_no_answers(data: bytes) -> None:
    assert list(answers_in(data)) == []


@pytest.mark.compiled
def test_a_number_that_runs_something_when_asked_is_left_to_python() -> None:
    came: list[tuple[int, Reply]] = []

    class Growing:
        """The list that is packed grows under whoever asks."""

        def __float__(self) -> float:
            came.append((1, reply))
            return 1.0

        def __index__(self) -> int:
            came.append((1, reply))
            return 1

    reply, number = reply_to(ASK_A), cast("Any", Growing())
    for one in (
        (number, reply),
        (1, replace(reply, at=number)),
        (1, replace(reply, times=replace(reply.times, total_s=number))),
    ):
        came[:] = [one]
        assert compiled.packed_answers(came) is None
        assert len(came) == 1
