"""The scheduling core for a crawler of your own: tell it what you saw, ask it what to look at next.

Nothing here fetches, stores or reads a clock: moments come in as epoch seconds, and `to_bytes` is all that must be kept
between two runs.
"""

import base64
import json
from collections.abc import Iterable, Sequence

import numpy as np

from recrawl.model.address import fingerprint
from recrawl.model.belief import Sightings, pack, unpack
from recrawl.model.failure import FormatError, UsageError
from recrawl.model.notice import Source
from recrawl.model.values import dataclass
from recrawl.ports import LearningPolicy, Policy, PricedPolicy
from recrawl.schedule import budget
from recrawl.schedule.group_names import group_name
from recrawl.schedule.settings import HOUR_S
from recrawl.schedule.value import ValuePolicy, value_policy

FORM = 1
PRICE_EVERY_HOURS = 0.25


@dataclass(frozen=True, slots=True)
class Look:
    """One visit that proved something; of a failed one nothing is told. `changed` is ignored for a first visit."""

    name: str  # the page's address, or any other name it has with you
    at: float
    changed: bool = False
    group: str = ""  # a site, or "site|pattern": pages expected to be alike
    size_bytes: float = 20_000.0
    response_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Entry:
    belief: bytes
    due_at: float


class Diary:
    """Pages under names of your own. `requests_per_day` is the pace the schedule aims at."""

    def __init__(self, policy: Policy, requests_per_day: float, now: float) -> None:
        if requests_per_day <= 0:
            raise UsageError(f"requests_per_day must be above 0, not {requests_per_day}")
        if isinstance(policy, ValuePolicy):  # its hours are counted from now on
            policy = value_policy(policy.settings, hour=int(now // HOUR_S))
        self._policy: Policy = policy
        self._bucket = budget.started(requests_per_day, now)
        self._priced_at = now
        self._entries: dict[str, Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def due_at(self, name: str) -> float | None:
        """None: never seen."""
        entry = self._entries.get(name)
        return entry.due_at if entry else None

    def due(self, now: float, names: Iterable[str] = ()) -> list[str]:
        """What to visit now: of these `names` those never seen, then those due, the longest overdue first."""
        fresh = [name for name in dict.fromkeys(names) if name not in self._entries]
        waiting = [(entry.due_at, name) for name, entry in self._entries.items() if entry.due_at <= now]
        return fresh + [name for _, name in sorted(waiting)]

    def saw(self, looks: Sequence[Look]) -> None:
        """Fold what visits proved into the beliefs and set the next due times; many cost little more than one."""
        names = [look.name for look in looks]
        if len(set(names)) < len(names):
            raise UsageError("a batch holds each page once: hand over the second look in another call")
        if not looks:
            return
        before = unpack(self._belief(name) for name in names)
        seen = _sightings(looks, first=[name not in self._entries for name in names])
        now = float(seen.at.max())
        luck = np.array([_luck(look) for look in looks])
        importance = np.ones(len(looks))
        if isinstance(self._policy, LearningPolicy):
            groups = [look.group if "|" in look.group else group_name(look.group, "") for look in looks]
            policy = self._policy.with_groups(groups)
            nobody = np.zeros((len(looks), len(Source)), dtype=np.int64)
            context = policy.context(groups, np.zeros(len(looks)), nobody)
            after = policy.observe(before, seen, context)
            policy = policy.learned(before, seen, context).at(now)
            if hours := self._hours_to_price(seen, now):
                policy = policy.priced(self._bucket.fill, hours)
            self._policy = policy
            gaps_s = policy.next_gap_s(after, importance, now, luck, context)
        else:
            after = self._policy.observe(before, seen)
            if isinstance(self._policy, PricedPolicy) and (hours := self._hours_to_price(seen, now)):
                self._policy = self._policy.priced(self._bucket.fill, hours)
            gaps_s = self._policy.next_gap_s(after, importance, now, luck)
        after["gap_s"] = gaps_s
        for look, belief, gap_s in zip(looks, pack(after), gaps_s, strict=True):
            self._entries[look.name] = Entry(belief, look.at + float(gap_s))

    def forget(self, name: str) -> None:
        """A page that is gone."""
        self._entries.pop(name, None)

    def to_bytes(self) -> bytes:
        memory = self._policy.memory() if isinstance(self._policy, LearningPolicy | PricedPolicy) else b""
        pages = [[name, _text(entry.belief), entry.due_at] for name, entry in self._entries.items()]
        bucket = [self._bucket.per_day, self._bucket.tokens, self._bucket.at, self._priced_at]
        kept = {"form": FORM, "policy": self._policy.name, "memory": _text(memory), "bucket": bucket, "pages": pages}
        return json.dumps(kept, ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, data: bytes, policy: Policy) -> "Diary":
        """What `to_bytes` gave, under the same policy."""
        try:
            kept = json.loads(data)
            per_day, tokens, at, priced_at = kept["bucket"]
            if (kept["form"], kept["policy"]) != (FORM, policy.name):
                raise UsageError(f"a diary of policy {kept['policy']!r} in form {kept['form']}, not of {policy.name!r}")
            diary = cls(policy, per_day, at)
            diary._bucket, diary._priced_at = budget.Bucket(per_day, tokens, at), priced_at
            if isinstance(diary._policy, LearningPolicy | PricedPolicy) and kept["memory"]:
                diary._policy = diary._policy.remembering(_bytes(kept["memory"]))
            diary._entries = {name: Entry(_bytes(belief), due_at) for name, belief, due_at in kept["pages"]}
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"not a diary: {error}") from error
        return diary

    def _belief(self, name: str) -> bytes:
        entry = self._entries.get(name)
        return entry.belief if entry else b""

    def _hours_to_price(self, seen: Sightings, now: float) -> float:
        """The budget's bucket flows on: the hours since the price listened to it, 0 while that is too early again.
        First visits are not counted, or known pages would starve."""
        self._bucket = budget.flowed(self._bucket, now, int((~seen.first).sum()))
        hours = (now - self._priced_at) / HOUR_S
        if hours < PRICE_EVERY_HOURS:
            return 0.0
        self._priced_at = now
        return hours


def _sightings(looks: Sequence[Look], first: Sequence[bool]) -> Sightings:
    return Sightings(
        at=np.array([look.at for look in looks]),
        changed=np.array([look.changed for look in looks]) & ~np.array(first),
        first=np.array(first),
        changed_ago_s=np.full(len(looks), np.nan),
        size_bytes=np.array([look.size_bytes for look in looks]),
        response_s=np.array([look.response_s for look in looks]),
    )


def _luck(look: Look) -> float:
    """In [0, 1), drawn from the visit itself: the same diary gives the same schedule."""
    return (fingerprint(f"{look.name} {look.at}") % (1 << 53)) / float(1 << 53)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
