"""What was spent of the budgets: written with every commit, read after a restart."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.schedule.budget import Budget, Spent

UNCOUNTED = 32  # requests a crash may have left uncounted: two batches and those under way


@dataclass(frozen=True, slots=True)
class Purse:
    """What the user allows: in all, and by site; and when."""

    requests_per_day: float | None = None
    bytes_per_day: float | None = None
    windows: tuple[str, ...] = ()
    requests_per_page_day: float = 1.0 / 7.0  # implied where nothing is set: the price aims at it, nothing is refused
    target: float | None = None  # freshness to aim at instead of spending the budget whole
    max_delay_s: float | None = None


def budgets_of(purse: Purse, sites: Iterable[Site], share: float) -> list[Budget]:
    whole = Budget("", _part(purse.requests_per_day, share), _part(purse.bytes_per_day, share))
    own = [Budget(one.name, _part(one.requests_per_day, share), _part(one.bytes_per_day, share)) for one in sites]
    return [one for one in (whole, *own) if one.requests_per_day is not None or one.bytes_per_day is not None]


def _part(whole: float | None, share: float) -> float | None:
    return None if whole is None else whole * share


def written(spent: Sequence[Spent], closing: bool) -> bytes:
    return json.dumps({"clean": closing, "spent": [[one.day, one.requests, one.bytes] for one in spent]}).encode()


def recalled(memo: bytes | None, wanted: Sequence[Budget]) -> list[Spent]:
    """The day's spending so far; after a crash with what may have gone uncounted."""
    kept: dict[str, Any] = json.loads(memo) if memo else {"clean": True, "spent": []}
    rows = [Spent(*row) for row in kept["spent"]]
    if len(rows) != len(wanted):
        rows = [max(rows, key=lambda one: (one.day, one.requests))] * len(wanted) if rows else [Spent()] * len(wanted)
    return rows if kept["clean"] else [replace(one, requests=one.requests + UNCOUNTED) for one in rows]
