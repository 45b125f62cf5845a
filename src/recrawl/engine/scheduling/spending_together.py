"""What all workers of a folder have spent: for whoever asks without being one, and for a crew of another size."""

from collections.abc import Sequence
from itertools import count, takewhile

from recrawl.engine.scheduling.spending import Spending, spent_memo
from recrawl.engine.scheduling.spending_memo import Account, accounts_in, fitted, shared_out, together, total
from recrawl.model.batch import Batch
from recrawl.ports import Store
from recrawl.schedule import budget as budgets
from recrawl.schedule.budget import Budget, Spent


def spent_today(store: Store, wanted: Sequence[Budget], now: float) -> list[Spent]:
    """What all workers of a folder have counted so far."""
    found = [[Spent()] * len(wanted), *(fitted(accounts_in(memo, counted=True), wanted) for memo in _memos(store))]
    return [total(*(budgets.so_far(one, rows[place], now) for rows in found)) for place, one in enumerate(wanted)]


def _memos(store: Store) -> list[bytes]:
    kept = takewhile(bool, (store.memo(spent_memo(str(number))) for number in count()))
    return [memo for memo in kept if memo]


def spent_alone(store: Store) -> dict[str, Account]:
    """What a folder had spent, by budget, before its store was copied to where a cluster works on it."""
    return together(_memos(store))


def counted(store: Store, wanted: Sequence[Budget], site: str, now: float) -> bool:
    """Count one request of somebody who is no worker, while none is at work. False: there is no room for it."""
    spending = _together(store, wanted)
    room = bool(spending.begin(site, now))
    if room:
        _write_together(store, spending, now)
    return room


def received(store: Store, wanted: Sequence[Budget], site: str, now: float, got_bytes: int) -> None:
    """Its answer."""
    spending = _together(store, wanted)
    spending.end(site, now, got_bytes)
    _write_together(store, spending, now)


def _together(store: Store, wanted: Sequence[Budget]) -> Spending:
    """What all workers have spent, as if it had been one."""
    memos = shared_out(_memos(store), 1)
    return Spending(wanted, memos[0] if memos else None)


def _write_together(store: Store, spending: Spending, now: float) -> None:
    memos = [spending.memo(now, closing=True), *(b"" for _ in _memos(store)[1:])]
    store.save(Batch(memos=tuple((spent_memo(str(number)), memo) for number, memo in enumerate(memos))))


def share_out(store: Store, workers: int) -> None:
    """Before a crew starts: what one of another size has spent of the day counts for this one."""
    memos = _memos(store)
    shares = shared_out(memos, workers)
    if shares != memos:
        store.save(Batch(memos=tuple((spent_memo(str(number)), memo) for number, memo in enumerate(shares))))
