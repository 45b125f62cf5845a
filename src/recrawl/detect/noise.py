"""What is known of the parts of a page and of a template: noise, real, or still to be found out.

Noise is what differs between two looks seconds apart. What differs between two visits but holds still between two
looks is real, however often it changes: so a clock is masked and a price is not. `PageNoise` lives in `Page.noise`,
`TemplateNoise` in the store's memo under `memo_key`; both are folds of a fixed greatest size.
"""

import struct
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from recrawl.detect.parts import Found, PartKind
from recrawl.model.once import once
from recrawl.model.swift import replace, swift
from recrawl.model.values import dataclass
from recrawl.model.verdict import Lesson

MOST_ENTRIES = 48  # of a page
MOST_VOTED = 256  # parts of a template
MOST_VOTES = 15  # few enough to be outvoted later
VERSION = 1
_HEAD = struct.Struct("<BBB")
_ENTRY = struct.Struct("<IBBH")
_VOTES = struct.Struct("<IBB")

REAL_PROOFS = 3  # second looks that found a part still: after these nobody asks again on this template
NOISE_PROOFS = {PartKind.FIELD: 1, PartKind.SLOT: 2, PartKind.PLACE: 2}  # for a whole template


class Nature(IntEnum):
    UNKNOWN = 0  # `value`: comparisons in a row at which it differed; `count`: of these, with nothing else differing
    STILL = 1  # was masked, then held still for long: unknown again (as above), whatever the template says
    REAL = 2  # held still at a second look; `count`: comparisons in a row at which it differed; `value`: later proofs
    NOISE = 3  # masked; `count`: looks in a row at which it held still; `value`: 16 bits of what stood there last


@swift
@dataclass(frozen=True, slots=True)
class Entry:
    key: int
    nature: Nature
    count: int = 0
    value: int = 0


@swift
@dataclass(frozen=True, slots=True)
class PageNoise:
    """`distrust`: visits still to be made without validators, since they lied. `odd`: odd answers in a row."""

    entries: tuple[Entry, ...] = ()
    distrust: int = 0
    odd: int = 0

    def entry(self, key: int) -> Entry:
        return next((entry for entry in self.entries if entry.key == key), Entry(key, Nature.UNKNOWN))

    def keys(self, *natures: Nature) -> frozenset[int]:
        return frozenset(entry.key for entry in self.entries if entry.nature in natures)

    def __str__(self) -> str:
        parts = ", ".join(f"{entry.key:08x} {entry.nature.name.lower()} {entry.count}" for entry in self.entries)
        return f"parts: {parts or 'none'}; distrust {self.distrust}; odd answers {self.odd}"


NOTHING_LEARNT = PageNoise()


@dataclass(frozen=True, slots=True)
class Votes:
    """Second looks on any page of the template: how often the part differed, how often it held still."""

    key: int
    noise: int = 0
    real: int = 0

    @property
    def nature(self) -> Nature:
        if self.noise >= NOISE_PROOFS[PartKind.of(self.key)] and self.noise >= self.real:
            return Nature.NOISE
        return Nature.REAL if self.real >= REAL_PROOFS and self.real > self.noise else Nature.UNKNOWN


@dataclass(frozen=True)
class TemplateNoise:
    votes: tuple[Votes, ...] = ()

    def nature(self, key: int) -> Nature:
        votes = self._by_key.get(key)
        return votes.nature if votes else Nature.UNKNOWN

    @once
    def noise(self) -> frozenset[int]:
        return frozenset(votes.key for votes in self.votes if votes.nature is Nature.NOISE)

    @once
    def _by_key(self) -> dict[int, Votes]:
        return {votes.key: votes for votes in self.votes}

    @once
    def told(self) -> dict[tuple[bytes, tuple[Found, ...]], Any]:
        """What others found out by these votes, who keep it here for as long as they hold (`learning.py`)."""
        return {}


@dataclass(frozen=True)
class Knowledge:
    """Both together; the page's own experience comes first."""

    page: PageNoise = NOTHING_LEARNT
    template: TemplateNoise = TemplateNoise()

    @once
    def mask(self) -> frozenset[int]:
        if not self.page.entries:
            return self.template.noise
        own = self.page.keys(Nature.NOISE)
        return own | self.template.noise - self.page.keys(Nature.REAL, Nature.STILL)

    def nature(self, found: Found) -> Nature:
        entry = self.page.entry(found.key)
        if entry.nature is not Nature.UNKNOWN:
            return entry.nature
        known = self.template.nature(found.key)
        if known is Nature.UNKNOWN and found.kind is PartKind.SLOT and self.template.nature(found.place) is Nature.REAL:
            return Nature.REAL
        return known


def memo_key(server: str, template: int) -> str:
    """The name a template's noise is kept under."""
    return f"noise:{server}:{template & (1 << 64) - 1:016x}"


def read_page(data: bytes) -> PageNoise:
    """What `write_page` wrote. A form this version does not know is forgotten, and learnt again."""
    if not data:
        return NOTHING_LEARNT
    if len(data) < _HEAD.size or data[0] != VERSION or (len(data) - _HEAD.size) % _ENTRY.size:
        return NOTHING_LEARNT
    _, distrust, odd = _HEAD.unpack_from(data)
    rows = _ENTRY.iter_unpack(data[_HEAD.size :])
    entries = tuple(Entry(key, Nature(nature & 3), count, value) for key, nature, count, value in rows)
    return PageNoise(entries, distrust, odd)


def write_page(noise: PageNoise) -> bytes:
    """Empty when there is nothing to remember, as for most pages."""
    if not noise.entries and not noise.distrust and not noise.odd:
        return b""
    head = _HEAD.pack(VERSION, noise.distrust, noise.odd)
    return head + b"".join(_ENTRY.pack(e.key, e.nature, e.count, e.value) for e in noise.entries)


def read_template(data: bytes | None) -> TemplateNoise:
    if not data or data[0] != VERSION or (len(data) - 1) % _VOTES.size:
        return TemplateNoise()
    return TemplateNoise(tuple(Votes(*row) for row in _VOTES.iter_unpack(data[1:])))


def write_template(noise: TemplateNoise) -> bytes:
    return bytes([VERSION]) + b"".join(_VOTES.pack(v.key, v.noise, v.real) for v in noise.votes)


def fold(template: TemplateNoise, lessons: Iterable[Lesson]) -> TemplateNoise:
    """Count the lessons of a verdict. When full, what was voted on least is forgotten, the oldest first."""
    votes = {entry.key: entry for entry in template.votes}
    for lesson in lessons:
        old = votes.get(lesson.key, Votes(lesson.key))
        votes[lesson.key] = Votes(
            lesson.key, min(MOST_VOTES, old.noise + lesson.noise), min(MOST_VOTES, old.real + (not lesson.noise))
        )
    kept = list(votes.values())
    while len(kept) > MOST_VOTED:
        kept.remove(min(kept, key=lambda entry: entry.noise + entry.real))
    return TemplateNoise(tuple(kept))


def with_entries(noise: PageNoise, changed: Iterable[Entry]) -> PageNoise:
    """Put entries in, newest last. When full, the oldest of the least certain goes."""
    entries = {entry.key: entry for entry in noise.entries}
    for entry in changed:
        entries.pop(entry.key, None)
        entries[entry.key] = entry
    kept = list(entries.values())
    while len(kept) > MOST_ENTRIES:
        kept.remove(min(kept, key=lambda entry: entry.nature))
    return replace(noise, entries=tuple(kept))
