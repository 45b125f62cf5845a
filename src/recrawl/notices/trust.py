"""How often a source was right, and how often it kept silent, for each site: counts that forget slowly.

    precision   of its notices, how many were real changes
    recall      of the real changes, how many it had announced
    lift        how much better than guessing: 1 always right where nobody could have known, 0 no better than the
                pages' own rates foretell. A sitemap that calls every page changed has the precision of a coin, no lift

The scheduler learns its own likelihoods from the same outcomes (`estimate/trust`), but only of sources with a proved
lift; these counts are for people, and for the first question of all: is this source worth listening to?
"""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from recrawl.model.failure import FormatError
from recrawl.model.notice import Source
from recrawl.model.swift import replace
from recrawl.model.values import dataclass

FORGET = 0.995  # per outcome: about the last 200 count
FORGET_SILENCE = 0.999  # how long it is remembered that silence could be believed: about 1000 outcomes
BENEFIT = (2.0, 1.0)  # right and wrong notices that a source starts with: believed until it proves otherwise
HEARD_FROM = 0.3  # below this lift a source is asked only by samples
PROVED_FROM = 0.4  # from this lift on, after some outcomes, the scheduler hears of it too
PROVED_RIGHT = 5.0
ENOUGH = 10.0  # outcomes after which it must be better than guessing beyond chance
CREDIT_A_PROOF = 20.0
FIRST_CREDIT = 5  # pages that an unproved source may make due at once
SAMPLE = 20  # of an ignored source's notices, one in so many is still checked
DOUBT = 0.5  # changes that must have been seen before a recall is half believed
MOST_RECALL = 0.9998
MOST_SERVERS = 200  # that are told apart
EVERYWHERE = "*"
SIGNED = frozenset({Source.AGENT})  # it proved who it is; the site's owner speaks


@dataclass(frozen=True, slots=True)
class Record:
    right: float = 0.0
    wrong: float = 0.0
    missed: float = 0.0
    notices: int = 0  # ever received
    expected: float = 0.0  # of the announced visits, how many would have found a change anyway
    told: float = 0.0  # changes that it announced, remembered longer than `right`
    untold: float = 0.0  # and those that it did not
    servers: tuple[str, ...] = ()  # whose pages it ever spoke of: of others its silence says nothing

    def speaks_of(self, server: str) -> bool:
        return server in self.servers or EVERYWHERE in self.servers

    @property
    def silence(self) -> float:
        """The share of changes that it may be trusted to announce: what it did for long, doubted while that is little;
        but what it failed to announce of late counts at once."""
        lately = 1.0 - self.missed / (self.right + self.missed) if self.missed else 1.0
        return min(self.told / (self.told + self.untold + DOUBT), lately, MOST_RECALL)

    @property
    def lift(self) -> float:
        right = self.right + BENEFIT[0] - self.expected
        return right / max(right + self.wrong + BENEFIT[1], 1e-9)

    @property
    def proved(self) -> bool:
        return self.right >= PROVED_RIGHT and self.lift >= PROVED_FROM and self._beyond_chance(3.0)

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
        judged = self.right + self.wrong
        return self.lift < HEARD_FROM or (judged >= ENOUGH and not self._beyond_chance(1.0))

    def _beyond_chance(self, deviations: float) -> bool:
        """More right than the pages' own rates foretell, by so many standard deviations of a guess."""
        return self.right - self.expected >= deviations * math.sqrt(self.expected + 0.25)


Trust = Mapping[Source, Record]


def memo_key(site: str) -> str:
    return f"trust:{site}"


def read(data: bytes | None) -> dict[Source, Record]:
    if not data:
        return {}
    try:
        return {Source(name): _record(row) for name, row in json.loads(data).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise FormatError(f"trust in sources cannot be read: {error}") from error


def _record(row: dict[str, Any]) -> Record:
    """An older recrawl remembered only the last outcomes."""
    older = {"told": row.get("right", 0.0), "untold": row.get("missed", 0.0)}
    servers = row.get("servers", ())
    if not isinstance(servers, list | tuple):
        raise TypeError("servers are a list")
    return Record(**{**older, **row, "servers": tuple(map(str, servers))})


def write(trust: Trust) -> bytes:
    return json.dumps({source.value: asdict(record) for source, record in trust.items()}).encode()


def heard(trust: Trust, source: Source, notices: int, servers: Collection[str] = ()) -> dict[Source, Record]:
    """More notices came from it, of pages of these servers."""
    record = trust.get(source, Record())
    known = tuple(sorted({*record.servers, *servers}))
    spoken_of = (EVERYWHERE,) if len(known) > MOST_SERVERS or EVERYWHERE in known else known
    return {**trust, source: replace(record, notices=record.notices + notices, servers=spoken_of)}


def fold(trust: Trust, announced_by: Collection[Source], changed: bool, foretold: float = 0.0) -> dict[Source, Record]:
    """One visit that was evidence: who had announced, who had kept silent, and was there a change? `foretold`: how
    probable it was by the page's own history."""
    return {source: _after(record, source in announced_by, changed, foretold) for source, record in trust.items()}


def foretold_change(changes: int, watched_s: float, gap_s: float) -> float:
    """How probable a change within a gap was, by what the page did while it was watched (S1's sums)."""
    return -math.expm1(-gap_s * (changes + 0.5) / (watched_s + gap_s)) if gap_s > 0 else 0.0


def _after(record: Record, announced: bool, changed: bool, foretold: float) -> Record:
    if not announced and not changed:
        return record
    kept = (FORGET * count for count in (record.right, record.wrong, record.missed, record.expected))
    right, wrong, missed, expected = kept
    return replace(
        record,
        right=right + (announced and changed),
        wrong=wrong + (announced and not changed),
        missed=missed + (not announced and changed),
        expected=expected + announced * foretold,
        told=FORGET_SILENCE * record.told + (announced and changed),
        untold=FORGET_SILENCE * record.untold + (not announced and changed),
    )


def rest(trust: Trust) -> float:
    """How much longer a page of which nobody speaks may rest. Who announces a share r of the changes leaves a page that
    changes 1 - r times as often, and for the same price the gap grows with the root of that (V(x) is about λx²/2).
    r is doubted while little has been seen, and never believed to be all."""
    return 1.0 / math.sqrt(1.0 - max((record.silence for record in trust.values() if record.proved), default=0.0))


def credit(source: Source, record: Record) -> int:
    """How many pages it may make due at once: more with every proof, few after lies."""
    if record.ignored:
        return 0
    if source in SIGNED:
        return 1_000_000
    if not record.proved:
        return FIRST_CREDIT
    return FIRST_CREDIT + math.floor(CREDIT_A_PROOF * max(record.right - record.expected, 0.0) * record.lift)
