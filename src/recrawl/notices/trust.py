"""How often a source was right, and how often it kept silent, for each site: counts that forget slowly.

    precision   of its notices, how many were real changes
    recall      of the real changes, how many it had announced

The scheduler learns its own likelihoods from the same outcomes (`estimate/trust`); these counts are for people, and
for the first question of all: is this source worth listening to?
"""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace

from recrawl.model.failure import FormatError
from recrawl.model.notice import Source

FORGET = 0.995  # per outcome: about the last 200 count
BENEFIT = (3.0, 1.0)  # right and wrong notices that a source starts with: believed until it proves otherwise
HEARD_FROM = 0.1  # below this precision a source is asked only by samples
FIRST_CREDIT = 20  # pages that an unproved source may make due at once
SAMPLE = 20  # of an ignored source's notices, one in so many is still checked
SIGNED = frozenset({Source.AGENT})  # it proved who it is; the site's owner speaks


@dataclass(frozen=True, slots=True)
class Record:
    right: float = 0.0
    wrong: float = 0.0
    missed: float = 0.0
    notices: int = 0  # ever received

    @property
    def precision(self) -> float:
        right, wrong = self.right + BENEFIT[0], self.wrong + BENEFIT[1]
        return right / (right + wrong)

    @property
    def recall(self) -> float | None:
        """None while no real change has been seen."""
        seen = self.right + self.missed
        return self.right / seen if seen > 0 else None

    @property
    def ignored(self) -> bool:
        return self.precision < HEARD_FROM


Trust = Mapping[Source, Record]


def memo_key(site: str) -> str:
    return f"trust:{site}"


def read(data: bytes | None) -> dict[Source, Record]:
    if not data:
        return {}
    try:
        return {Source(name): Record(**row) for name, row in json.loads(data).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise FormatError(f"trust in sources cannot be read: {error}") from error


def write(trust: Trust) -> bytes:
    return json.dumps({source.value: asdict(record) for source, record in trust.items()}).encode()


def heard(trust: Trust, source: Source, notices: int) -> dict[Source, Record]:
    """More notices came from it."""
    record = trust.get(source, Record())
    return {**trust, source: replace(record, notices=record.notices + notices)}


def fold(trust: Trust, announced_by: Collection[Source], changed: bool) -> dict[Source, Record]:
    """One visit that was evidence: who had announced, who had kept silent, and was there a change?"""
    return {source: _after(record, source in announced_by, changed) for source, record in trust.items()}


def _after(record: Record, announced: bool, changed: bool) -> Record:
    if not announced and not changed:
        return record
    right, wrong, missed = (FORGET * count for count in (record.right, record.wrong, record.missed))
    return replace(
        record,
        right=right + (announced and changed),
        wrong=wrong + (announced and not changed),
        missed=missed + (not announced and changed),
    )


def credit(source: Source, record: Record) -> int:
    """How many pages it may make due at once: more with every proof, few after lies."""
    if record.ignored:
        return 0
    if source in SIGNED:
        return 1_000_000
    return FIRST_CREDIT + math.floor(FIRST_CREDIT * record.right * record.precision)
