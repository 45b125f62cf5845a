"""The archive in memory: the same laws, nothing on disk. For tests and for the lab's simulated months."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from recrawl.archive.http_head import headers_of
from recrawl.model.capture import Capture, Laid, Payload, Place
from recrawl.model.failure import NotFound
from recrawl.model.visit import Reply

FILE = "memory"


class MemoryArchive:
    def __init__(self) -> None:
        self._payloads: list[Payload] = []
        self._kept: dict[tuple[str, int], list[int]] = {}  # whole responses by address and microsecond

    def append(self, captures: Sequence[Capture]) -> list[Place]:
        return [self._add(capture) for capture in captures]

    def lay(self, captures: Sequence[Capture]) -> Laid:
        return Laid(partial(self.append, captures))

    def read(self, place: Place, body_bytes: int = 0) -> Payload:
        if place.file != FILE or not 0 <= place.offset < len(self._payloads):
            raise NotFound(f"{place.file!r} has no record at {place.offset}")
        return self._payloads[place.offset]

    def walk(self) -> Iterator[tuple[Place, Payload]]:
        for number, payload in enumerate(self._payloads):
            if payload.status:
                yield self._place(number), payload

    def needs_body(self, reply: Reply) -> bool:
        return True

    def close(self) -> None:
        """Nothing to finish; what was kept can still be read."""

    def _add(self, capture: Capture) -> Place:
        number = len(self._payloads)
        payload = self._payload(capture)
        self._payloads.append(payload)
        if capture.reply.status not in (0, 304):
            self._kept.setdefault(_moment(capture.url, capture.at), []).append(number)
        return self._place(number)

    def _payload(self, capture: Capture) -> Payload:
        """A 304 reads as the response it confirms, where that is kept."""
        reply = capture.reply
        kept = self._kept.get(_moment(capture.url, capture.same_as_at), []) if capture.same_as_at is not None else []
        if reply.status == 304 and kept:
            return replace(self._payloads[kept[-1]], at=capture.at)
        headers = headers_of(reply.raw_head) or reply.headers
        return Payload(capture.url, capture.at, reply.status, headers if reply.status else (), reply.body)

    def _place(self, number: int) -> Place:
        return Place(FILE, number, len(self._payloads[number].body))


def _moment(url: str, at: float) -> tuple[str, int]:
    return url, round(at * 1_000_000)
