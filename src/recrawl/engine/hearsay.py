"""Addresses that a worker has entered into the store, told to the others of its crew in memory that all share.

Each worker of a crew meets nearly every link of a site itself. What another one has entered and committed it then
passes over as it passes over what it met before, where else it would make a page of it for the store to say that it has
it. Nobody depends on being told: who comes too late, or misses something, asks the store as before.
"""

import mmap
from collections.abc import Iterable, Iterator
from struct import Struct

from xxhash import xxh3_64_intdigest

from recrawl.model.page import Page

RING_BYTES = 1 << 20  # of each worker; what was told before is overwritten
_COUNT = 8  # bytes told so far, by each worker
_HEAD = Struct("=QII")  # checksum, bytes of the name of the site, bytes of addresses

Said = tuple[str, list[str]]  # a site, and addresses of its pages


class Hearsay:
    """Survives the fork. Only its worker writes to a ring, and counts what it has written after that."""

    def __init__(self, crew: int) -> None:
        self.crew = crew
        self._memory = mmap.mmap(-1, crew * (_COUNT + RING_BYTES))
        self._told = memoryview(self._memory)[: crew * _COUNT].cast("q")

    def tell(self, worker: int, site: str, urls: Iterable[str]) -> None:
        name, text = site.encode("utf-8", "surrogatepass"), "\n".join(urls).encode("utf-8", "surrogatepass")
        piece = _HEAD.pack(xxh3_64_intdigest(name + text), len(name), len(text)) + name + text
        if not text or len(piece) > RING_BYTES:
            return
        told, ring = self._told[worker], self._ring(worker)
        place = told % RING_BYTES
        first = min(len(piece), RING_BYTES - place)
        self._memory[ring + place : ring + place + first] = piece[:first]
        self._memory[ring : ring + len(piece) - first] = piece[first:]
        self._told[worker] = told + len(piece)

    def told(self, worker: int) -> int:
        """How many bytes so far."""
        return self._told[worker]

    def between(self, worker: int, heard: int, told: int) -> bytes:
        """What a worker told after so many bytes; nothing where that was overwritten, be it while we read."""
        ring = self._ring(worker)
        if told - heard > RING_BYTES:
            return b""
        place, wanted = heard % RING_BYTES, told - heard
        first = min(wanted, RING_BYTES - place)
        text = self._memory[ring + place : ring + place + first] + self._memory[ring : ring + wanted - first]
        return text if self._told[worker] - heard <= RING_BYTES else b""

    def _ring(self, worker: int) -> int:
        return self.crew * _COUNT + worker * RING_BYTES


class Listener:
    """One worker of the crew: what it tells, and what it hears of the others."""

    def __init__(self, hearsay: Hearsay, number: int) -> None:
        self._hearsay, self._number = hearsay, number
        self._heard = {worker: 0 for worker in range(hearsay.crew) if worker != number}

    def tell_all(self, pages: Iterable[Page]) -> None:
        """Not where a seed has gone: that says more of a site than that the store holds a page."""
        by_site: dict[str, list[str]] = {}
        for page in pages:
            if not page.hops:
                by_site.setdefault(page.site, []).append(page.url)
        for site, urls in by_site.items():
            self._hearsay.tell(self._number, site, urls)

    def news(self) -> Iterator[Said]:
        for worker, heard in self._heard.items():
            self._heard[worker] = told = self._hearsay.told(worker)
            if told != heard:
                yield from pieces(self._hearsay.between(worker, heard, told))


def pieces(text: bytes) -> Iterator[Said]:
    """Up to the first that is not whole."""
    place = 0
    while place + _HEAD.size <= len(text):
        checksum, name_bytes, bytes_of_all = _HEAD.unpack_from(text, place)
        begin = place + _HEAD.size
        place = begin + name_bytes + bytes_of_all
        if place > len(text) or xxh3_64_intdigest(text[begin:place]) != checksum:
            return
        name, urls = text[begin : begin + name_bytes], text[begin + name_bytes : place]
        yield name.decode("utf-8", "surrogatepass"), urls.decode("utf-8", "surrogatepass").split("\n")
