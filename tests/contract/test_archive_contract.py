"""The laws of the Archive port, over every implementation."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.archive.exchanges import CODERS, NOON, capture, captured, not_modified, open_archive

from recrawl.archive.memory import MemoryArchive
from recrawl.model.capture import Place
from recrawl.model.failure import Failure, NotFound
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.ports import Archive

Opener = Callable[[Path], Archive]
OPENERS: dict[str, Opener] = {
    "memory": lambda _folder: MemoryArchive(),
    "warc": open_archive,
    "warc, a file a capture": lambda folder: open_archive(folder, file_bytes=1),
    "warc, synced and bare": lambda folder: open_archive(folder, sync=True, requests=False, metadata=False),
}


@pytest.fixture(params=list(OPENERS))
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    opened: Archive = OPENERS[request.param](tmp_path / "warc")
    return opened


def test_it_is_an_archive(archive: Archive) -> None:
    assert isinstance(archive, Archive)


@pytest.mark.parametrize("coding", CODERS)
def test_a_place_reads_back_what_was_seen(archive: Archive, coding: str) -> None:
    seen = capture(body=b"<p>caf\xc3\xa9</p>" * 500, coding=coding)
    [place] = archive.append([seen])
    payload = archive.read(place)
    assert (payload.url, payload.status, payload.headers) == (seen.url, 200, seen.reply.headers)
    assert payload.body == seen.reply.body
    assert payload.at == pytest.approx(seen.at, abs=1e-6)


@pytest.mark.parametrize("coding", CODERS)
def test_a_body_that_is_not_needed_may_be_let_go_before(archive: Archive, coding: str) -> None:
    seen = capture(body=b"<p>caf\xc3\xa9</p>" * 500, coding=coding)
    if not archive.needs_body(seen.reply):
        light = replace(seen.reply, body=b"", let_go_bytes=len(seen.reply.body))
        [place] = archive.append([replace(seen, reply=light)])
        assert archive.read(place).body == seen.reply.body


def test_places_come_in_the_order_of_the_captures(archive: Archive) -> None:
    seen = [capture(f"http://example.com/{number}", NOON + number, b"page %d" % number) for number in range(20)]
    places = archive.append(seen[:7]) + archive.append(seen[7:])
    assert [archive.read(place).url for place in places] == [one.url for one in seen]
    assert len(set(places)) == len(places)


def test_nothing_to_append_is_no_places(archive: Archive) -> None:
    assert archive.append([]) == []


def test_a_repeated_capture_is_harmless(archive: Archive) -> None:
    seen = capture()
    first, second = archive.append([seen]) + archive.append([seen])
    assert archive.read(first) == archive.read(second)


def test_the_same_payload_later_reads_back_with_its_own_moment(archive: Archive) -> None:
    first = capture(body=b"unchanged")
    later = capture(at=NOON + 60, body=b"unchanged", same_as=first)
    archive.append([first])
    [place] = archive.append([later])
    payload = archive.read(place)
    assert (payload.body, payload.status) == (b"unchanged", 200)
    assert payload.at == pytest.approx(NOON + 60)


def test_the_same_page_in_another_coding_reads_back(archive: Archive) -> None:
    first = capture(body=b"unchanged" * 99, coding="gzip")
    later = capture(at=NOON + 60, body=b"unchanged" * 99, coding="br", same_as=first)
    places = archive.append([first, later])
    assert [archive.read(place).body for place in places] == [b"unchanged" * 99] * 2
    assert archive.read(places[1]).headers == later.reply.headers


def test_a_304_reads_as_the_response_it_confirms(archive: Archive) -> None:
    first = capture(body=b"kept", coding="gzip")
    places = archive.append([first])
    places += archive.append([not_modified(first, NOON + 60)])
    payload = archive.read(places[1])
    assert (payload.body, payload.status, payload.headers) == (b"kept", 200, first.reply.headers)
    assert payload.at == pytest.approx(NOON + 60)


def test_a_304_that_confirms_nothing_known_reads_as_it_came(archive: Archive) -> None:
    unknown = capture("http://example.com/elsewhere", NOON - 999)
    [place] = archive.append([not_modified(unknown, NOON)])
    payload = archive.read(place)
    assert (payload.body, payload.status, payload.headers) == (b"", 304, (("etag", '"v1"'),))


def test_two_versions_in_one_second_are_kept_apart(archive: Archive) -> None:
    early = capture(at=NOON, body=b"early")
    late = capture(at=NOON + 0.5, body=b"late")
    archive.append([early, late])
    [to_early] = archive.append([not_modified(early, NOON + 9)])
    [to_late] = archive.append([not_modified(late, NOON + 9)])
    assert (archive.read(to_early).body, archive.read(to_late).body) == (b"early", b"late")


def test_an_answer_without_a_body_reads_back(archive: Archive) -> None:
    [place] = archive.append([capture(body=b"", status=404)])
    assert (archive.read(place).body, archive.read(place).status) == (b"", 404)


def test_a_failure_reads_back_as_no_answer(archive: Archive) -> None:
    nothing = Reply(Ask("http://example.com/"), NOON, Evidence.FAILED, failure=Failure.CONNECT, detail="refused")
    [place] = archive.append([captured(nothing, "http://example.com/", NOON)])
    assert (archive.read(place).status, archive.read(place).body) == (0, b"")


def test_a_walk_meets_every_capture_once_in_order(archive: Archive) -> None:
    first = capture("http://example.com/b", NOON, b"one")
    seen = [first, capture("http://example.com/a", NOON + 1, b"two"), not_modified(first, NOON + 2)]
    places = archive.append(seen[:2]) + archive.append(seen[2:])
    walked = list(archive.walk())
    assert [place for place, _ in walked] == places
    assert [payload for _, payload in walked] == [archive.read(place) for place in places]
    assert [payload.body for _, payload in walked] == [b"one", b"two", b"one"]


def test_what_is_closed_can_still_be_read_and_closed_again(archive: Archive) -> None:
    [place] = archive.append([capture(body=b"kept")])
    archive.close()
    archive.close()
    assert archive.read(place).body == b"kept"
    assert len(list(archive.walk())) == 1


@pytest.mark.parametrize("file", ["nothing.warc.gz", "../secret", "", "recrawl-w0-20200101000000-00000.warc.gz"])
def test_a_place_that_was_never_given_is_not_found(archive: Archive, file: str) -> None:
    with pytest.raises(NotFound):
        archive.read(Place(file, 0, 10))
