"""Answers that came and are not written yet: a kill does not have them asked for again.

A commit gathers many visits. Until then each answer stands in a file beside the store, so a kill -9 leaves it: the next
run finds it and is answered by it, without a request. What is to be read is handed to the system as soon as it is
there, since reading may be the end of us; a 304 when the turn of the loop in which it came is over, together with the
others of that turn, in one frame. Two files take turns, each used again from its start when everything in it is
written; a new turn has a number that nobody can guess, so what an earlier one left behind is not read, not even where a
server sent what looks like an entry. A power cut may leave less, never something else: every frame has a checksum.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from struct import Struct

from xxhash import xxh3_64_intdigest

from recrawl.fetch.evidence import answered
from recrawl.fetch.head import parse_headers, status_of
from recrawl.fetch.wishes import forget_wishes, wishes
from recrawl.fetch.worker_files import dead_files, opened
from recrawl.model.page import Page
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Evidence, Reply, Times
from recrawl.native import compiled

SUFFIX = ".journal"
LIFE_S = 3600.0  # an older answer says too little about now
TURN_BYTES = 1024 * 1024  # so much is enough for a turn, if the other file is free
MOST_BYTES = 64 * 1024 * 1024  # of one file: beyond that answers go unnoted
MOST_READ_BYTES = 16 * 1024 * 1024  # of what other runs left
KEPT = (Evidence.DOCUMENT, Evidence.NOT_MODIFIED, Evidence.REDIRECT, Evidence.MISSING)
_FRAME = Struct("<QIQ")  # turn, bytes that follow, their checksum
_FACTS = Struct("<qd5dQ6I")  # of an entry: page, at, times, received bytes, how long the texts are

if compiled is not None:
    compiled.noted(Reply, Ask, Times)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came for a page, and to which question."""

    page: int
    at: float
    times: Times
    received_bytes: int
    etag: str
    last_modified: str
    peer: str
    raw_request: bytes
    raw_head: bytes
    sent_body: bytes

    def is_awaited_by(self, page: Page, now: float) -> bool:
        """The page was due before this came, has not been seen since, and was not made due anew. One that became due at
        this very answer (somebody said it is gone, and it was missing) waits for another."""
        if page.due_at is None or not page.due_at < self.at <= now <= self.at + LIFE_S:
            return False
        return page.checked_at is None or page.checked_at < self.at

    def answers(self, ask: Ask) -> bool:
        """Whether it is the same question."""
        return (ask.etag, ask.last_modified) == (self.etag, self.last_modified) and not ask.headers and not ask.form

    def reply(self, ask: Ask) -> Reply:
        head = [line + b"\n" for line in self.raw_head.split(b"\n")[:-1]]
        return answered(
            ask,
            self.at,
            status_of(head),
            parse_headers(head),
            self.sent_body,
            raw_request=self.raw_request,
            raw_head=self.raw_head,
            peer=self.peer,
            times=self.times,
            received_bytes=self.received_bytes,
        )


Came = tuple[int, Reply]  # for a page


class Journal:
    """Of one worker. `folder` holds the files of all of them; those of the dead are read when this one begins, as far
    as the `pages` of the store still wait for what is in them."""

    def __init__(self, folder: Path, worker: str, pages: Callable[[Sequence[int]], Sequence[Page]], now: float) -> None:
        folder.mkdir(exist_ok=True)
        forget_wishes(folder, now - LIFE_S)
        self._folder = folder
        dead = dead_files(folder, SUFFIX, MOST_READ_BYTES)
        left = {path: {answer.page: answer for answer in answers_in(data)} for path, data in dead}
        last = {page: answer for answers in left.values() for page, answer in answers.items()}
        awaited = {page.id for page in pages(list(last)) if last[page.id].is_awaited_by(page, now)}
        self.in_hand = {page: last[page] for page in awaited}
        self._dead = {path: answers.keys() & awaited for path, answers in left.items()}  # who waits for each file
        self._ends_at = now + LIFE_S  # of what they left
        self._forget_dead(frozenset())
        self._turn, self._other = (_File(folder, f"{worker}{side}") for side in "ab")
        self._came: list[Came] = []  # and is not written yet

    def holds(self, page: int) -> bool:
        """Something to be recalled."""
        return page in self.in_hand

    def recall(self, page: Page, ask: Ask, now: float) -> Reply | None:
        """The answer that a killed run got for this page, if it still waits for it and nobody wished for a new one."""
        answer = self.in_hand.pop(page.id, None) if self.in_hand else None
        if answer is None or not answer.is_awaited_by(page, now) or not answer.answers(ask):
            return None
        if any(one.at > answer.at and one.is_for(page) for one in wishes(self._folder)):
            return None
        return answer.reply(ask)

    def note(self, page: int, reply: Reply) -> None:
        """An answer came."""
        self.gather(page, reply)
        self.flush()

    def gather(self, page: int, reply: Reply) -> None:
        """An answer came, others may have come with it: `flush` writes them together, before any of them is read and
        any other request leaves."""
        if self._dead and reply.at > self._ends_at:
            self.in_hand.clear()
            self._forget_dead(frozenset().union(*self._dead.values()))
        if reply.evidence not in KEPT:
            return
        self._came.append((page, reply))

    def flush(self) -> None:
        """Hand what came to the system."""
        if not self._came:
            return
        came, self._came = self._came, []
        at = came[-1][1].at
        if self._turn.size >= TURN_BYTES and self._other.is_free_at(at):
            self._turn, self._other = self._other, self._turn
            self._turn.begin()
        self._turn.write([page for page, _ in came], at, packed(came))

    def settled(self, pages: Iterable[int]) -> None:
        """What was learnt from the answers for these pages is written."""
        self.flush()
        written = frozenset(pages)
        self._turn.waiting -= written
        self._other.waiting -= written
        if self._dead:
            self._forget_dead(written)

    def _forget_dead(self, written: frozenset[int]) -> None:
        """A file of theirs goes as soon as nobody waits for what is in it."""
        for awaited in self._dead.values():
            awaited -= written
        for path in [path for path, awaited in self._dead.items() if not awaited]:
            del self._dead[path]
            with suppress(OSError):  # another worker was faster, or it is not ours
                path.unlink()

    def close(self) -> None:
        self.flush()
        for file in (self._turn, self._other):
            file.close()


class _File:
    def __init__(self, folder: Path, name: str) -> None:
        self._path, self._handle = opened(folder, name, SUFFIX)
        self.waiting: set[int] = set()  # pages whose answers stand here and nowhere else
        self._last_at = 0.0
        self.begin()

    def is_free_at(self, now: float) -> bool:
        """Everything in it is written, or too old: a page whose second look must wait may wait for days."""
        return not self.waiting or self._last_at + LIFE_S < now

    def begin(self) -> None:
        self._number = int.from_bytes(os.urandom(8))
        self.size = 0
        self.waiting.clear()

    def write(self, pages: Sequence[int], at: float, entries: bytes) -> None:
        if self.size + len(entries) > MOST_BYTES:
            return
        framed = _FRAME.pack(self._number, len(entries), xxh3_64_intdigest(entries)) + entries
        with suppress(OSError):  # a full disk: whoever must write says so; without this a kill repeats a request
            if os.pwrite(self._handle, framed, self.size) == len(framed):
                self.size += len(framed)
                self.waiting.update(pages)
                self._last_at = at

    def close(self) -> None:
        """A file in which something still waits stays for the next run."""
        if not self.waiting:
            self._path.unlink(missing_ok=True)
        os.close(self._handle)


def forget(folder: Path) -> None:
    """What killed runs left is not wanted any more. For who holds the folder, before its workers begin."""
    for path in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            path.unlink()


def answers_in(data: bytes) -> Iterator[Answer]:
    """Of one turn, as far as they are whole."""
    place, turn = 0, None
    while place + _FRAME.size <= len(data):
        number, size, checksum = _FRAME.unpack_from(data, place)
        place += _FRAME.size
        entries = data[place : place + size]
        place += size
        if turn not in (None, number) or len(entries) < size or xxh3_64_intdigest(entries) != checksum:
            return
        turn = number
        yield from _entries(entries)


def _entries(entries: bytes) -> Iterator[Answer]:
    place = 0
    while place + _FACTS.size <= len(entries):
        answer, place = _unpacked(entries, place)
        yield answer


def packed(came: list[Came]) -> bytes:
    """The entries of one frame."""
    plain: bytes | None = compiled.packed_answers(came) if compiled is not None else None
    return b"".join([_packed(*one) for one in came]) if plain is None else plain


def _packed(page: int, reply: Reply) -> bytes:
    ask, times = reply.ask, reply.times
    texts = (
        ask.etag.encode("utf-8", "surrogatepass"),
        ask.last_modified.encode("utf-8", "surrogatepass"),
        reply.peer.encode(),
        reply.raw_request,
        reply.raw_head,
        reply.sent_body,
    )
    facts = _FACTS.pack(
        page,
        reply.at,
        times.resolve_s,
        times.connect_s,
        times.tls_s,
        times.first_byte_s,
        times.total_s,
        reply.received_bytes,
        *map(len, texts),
    )
    return b"".join((facts, *texts))


def _unpacked(entries: bytes, place: int) -> tuple[Answer, int]:
    """The one that begins there, and where it ends."""
    page, at, resolve_s, connect_s, tls_s, first_byte_s, total_s, received_bytes, *sizes = _FACTS.unpack_from(
        entries, place
    )
    texts, place = [], place + _FACTS.size
    for size in sizes:
        texts.append(entries[place : place + size])
        place += size
    etag, last_modified, peer, raw_request, raw_head, sent_body = texts
    answer = Answer(
        page,
        at,
        Times(resolve_s, connect_s, tls_s, first_byte_s, total_s),
        received_bytes,
        etag.decode("utf-8", "surrogatepass"),
        last_modified.decode("utf-8", "surrogatepass"),
        peer.decode(errors="replace"),
        raw_request,
        raw_head,
        sent_body,
    )
    return answer, place
