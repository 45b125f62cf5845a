"""Sitemaps and feeds read again: what differs from the last reading is a notice.

The memory of a signal is a table: for each address it named, the moment it gave. The first reading only fills the
table (and leads to pages not known yet). Later, an address not named before is new, another moment is an update, and
an address that left a sitemap read whole may be gone. Feeds forget their old entries by design: there nothing is.
"""

import struct
from collections.abc import Mapping, Sequence

from recrawl.model.address import fingerprint
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.values import dataclass
from recrawl.notices.claim import Claim

MOST_REMEMBERED = 100_000
UNSAID = -1
_ROW = struct.Struct("<qq")


@dataclass(frozen=True, slots=True)
class Said:
    """One entry of a signal: `moment_at` None where it gave none. `deleted`: it says so itself (a tombstone)."""

    url: str
    moment_at: float | None = None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """`claims`: differences. `leads`: addresses that a first reading named, to be discovered like links."""

    claims: tuple[Claim, ...]
    leads: tuple[str, ...]
    memory: bytes


def compare(memory: bytes | None, said: Sequence[Said], source: Source, whole: bool, now: float) -> Heard:
    """`whole`: everything the signal has to say was read, so what is missing has left it."""
    named = {fingerprint(one.url): one for one in said}
    if memory is None:
        leads = tuple(one.url for one in said if not one.deleted)
        return Heard((), leads, _packed({number: _moment(one) for number, one in named.items()}))
    before = _unpacked(memory)
    claims = [
        claim
        for number, one in named.items()
        if (claim := _difference(before.get(number), one, source, now)) is not None
    ]
    after = {number: _moment(one) for number, one in named.items() if not one.deleted}
    kept = after if whole else {**before, **after}
    return Heard(tuple(claims), (), _packed(kept))


def left(memory: bytes | None, said: Sequence[Said]) -> frozenset[int]:
    """Ids that the last reading named and this one does not."""
    return frozenset() if memory is None else frozenset(_unpacked(memory)) - {fingerprint(one.url) for one in said}


def memo_key(page: int) -> str:
    return f"signal:{page}"


def _difference(before: int | None, one: Said, source: Source, now: float) -> Claim | None:
    if one.deleted:
        return Claim(one.url, NoticeKind.DELETED, source) if before is not None else None
    if before is None:
        return Claim(one.url, NoticeKind.ADDED, source)
    moment = _moment(one)
    if moment in (before, UNSAID) or moment > now + 86_400:
        return None
    return Claim(one.url, NoticeKind.UPDATED, source)


def _moment(one: Said) -> int:
    return UNSAID if one.moment_at is None else int(one.moment_at)


def _packed(table: Mapping[int, int]) -> bytes:
    """The newest are kept where there are too many."""
    rows = list(table.items())[-MOST_REMEMBERED:]
    return b"".join(_ROW.pack(number, moment) for number, moment in rows)


def _unpacked(memory: bytes) -> dict[int, int]:
    return dict(_ROW.iter_unpack(memory[: len(memory) // _ROW.size * _ROW.size]))
