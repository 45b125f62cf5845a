"""What was spent of the budgets, as it is written down: by the name of the site, also of sites that went.

Whose file is taken away and put back on the same day has spent what it had; so has one that comes under another name.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.schedule.budget import Budget, Spent
from recrawl.schedule.portion import Portion

MOST_UNCOUNTED = 64
NEVER = -1


@dataclass(frozen=True, slots=True)
class Account:
    """`until`: the day from which on it counts no more."""

    spent: Spent
    until: int


def written(accounts: Mapping[str, Account], **facts: object) -> bytes:
    rows = {
        "sites": list(accounts),
        "spent": [_row(one.spent) for one in accounts.values()],
        "until": [one.until for one in accounts.values()],
    }
    return json.dumps({**facts, **rows}).encode()


def accounts_in(memo: bytes | None, part: str = "spent", counted: bool = False) -> dict[str, Account]:
    """`counted`: without what may have gone uncounted."""
    if not memo:
        return {}
    kept: Mapping[str, Any] = json.loads(memo)
    rows = [Spent(*row) for row in kept.get(part, kept["spent"])]
    if not counted and not kept["clean"]:
        rows = [_with_uncounted(one, kept.get("uncounted", MOST_UNCOUNTED)) for one in rows]
    names = kept.get("sites", map(_nameless, range(len(rows))))
    until = kept.get("until", [one.day + 1 for one in rows])
    return {name: Account(*account) for name, *account in zip(names, rows, until, strict=True)}


def _nameless(place: int) -> str:
    """As it was written before names were kept."""
    return f"#{place}"


def _row(spent: Spent) -> list[int]:
    return [spent.day, spent.requests, spent.bytes]


def recalled(memo: bytes | None, wanted: Sequence[Budget]) -> list[Spent]:
    """The day's spending so far; after a crash with what may have gone uncounted. Who has a turn at the whole of a
    budget takes over the whole of what was spent."""
    cut, whole = (fitted(accounts_in(memo, part), wanted) for part in ("spent", "whole"))
    return [whole[place] if one.turns > 1 else cut[place] for place, one in enumerate(wanted)]


def fitted(accounts: Mapping[str, Account], wanted: Sequence[Budget]) -> list[Spent]:
    """By the name of its site. One that was not there before may be one that went, under another name: then it has
    spent as much; a budget over all sites, as much as those together."""
    if len(accounts) == len(wanted) and all(name == _nameless(place) for place, name in enumerate(accounts)):
        return [one.spent for one in accounts.values()]
    went = most(one.spent for name, one in gone(accounts, wanted).items() if name)
    in_all = total(Spent(), *(one.spent for one in accounts.values()))
    missing = {one.site: went if one.site else in_all for one in wanted}
    return [accounts[one.site].spent if one.site in accounts else missing[one.site] for one in wanted]


def gone(accounts: Mapping[str, Account], wanted: Sequence[Budget]) -> dict[str, Account]:
    """Of which nothing is wanted now."""
    left = accounts.keys() - {one.site for one in wanted}
    return {name: accounts[name] for name in sorted(left)}


def most(rows: Iterable[Spent]) -> Spent:
    return max(rows, key=lambda one: (one.day, one.requests), default=Spent())


def shared_out(memos: Sequence[bytes], workers: int) -> list[bytes]:
    """What a crew of another size spent, cut into even parts for this one: first its workers, then those of the old
    crew that it has no more, whose memos are emptied. Each of several workers has one, be it of nothing: who looks for
    them stops where there is none, and one that had nothing to ask for may be killed before it writes its own."""
    if len(memos) == workers or (not memos and workers == 1):
        return list(memos)
    whole = together(memos)
    facts: dict[str, object] = {"clean": True, "uncounted": 0, "begun": 0, "day": NEVER}
    facts["largest"] = max(map(largest, memos), default=0)
    facts["whole"] = [_row(one.spent) for one in whole.values()]
    portions = [Portion(number, workers) for number in range(workers)]
    parts = [{name: replace(one, spent=each.spent(one.spent)) for name, one in whole.items()} for each in portions]
    return [written(part, **facts) for part in parts] + [b""] * (len(memos) - workers)


def together(memos: Sequence[bytes]) -> dict[str, Account]:
    """Of all workers of a crew."""
    each = [accounts_in(memo) for memo in memos]
    return {name: _joined([one[name] for one in each if name in one]) for one in each for name in one}


def _joined(accounts: Sequence[Account]) -> Account:
    return Account(total(*(one.spent for one in accounts)), max(one.until for one in accounts))


def total(*parts: Spent) -> Spent:
    """Of the last day on which any of them has spent something."""
    day = max((one.day for one in parts if one.requests or one.bytes), default=max(one.day for one in parts))
    today = [one for one in parts if one.day == day]
    return Spent(day, sum(one.requests for one in today), sum(one.bytes for one in today))


def largest(memo: bytes | None) -> int:
    return int(json.loads(memo).get("largest", 0)) if memo else 0


def _with_uncounted(spent: Spent, requests: int) -> Spent:
    """Taken to have been as large as the others of the day."""
    likely_bytes = spent.bytes * requests // max(spent.requests, 1)
    return replace(spent, requests=spent.requests + requests, bytes=spent.bytes + likely_bytes)
