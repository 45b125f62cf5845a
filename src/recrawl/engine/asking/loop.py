"""The one place where any exception is caught: a fault of ours costs one page, is counted and shown."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol, TypeVar

from recrawl.engine.tally import Count, Tally
from recrawl.model.failure import RecrawlError

T = TypeVar("T")
Found = TypeVar("Found")
Lane = TypeVar("Lane", bound="Held")
MOST = 100  # beyond this many faults something is wrong with recrawl itself: stop


class TooManyFaults(RecrawlError):
    """recrawl itself is broken; the log holds the traces."""


async def guarded(work: Awaitable[T], tally: Tally, tell: Callable[[str], None]) -> T | None:
    """Run it; None if it failed by a fault of ours. What the operator must know (a RecrawlError) goes through."""
    try:
        return await work
    except (asyncio.CancelledError, RecrawlError):
        raise
    except Exception:  # noqa: BLE001 — this is the place
        tally.add(Count.ERRORS)
        tell(traceback.format_exc())
        if tally[Count.ERRORS] > MOST:
            raise TooManyFaults(f"more than {MOST} internal errors: see the log, and please report them") from None
        return None


class Held(Protocol):
    """Somebody waits for it elsewhere, and hears there what went wrong."""

    def fails(self, error: Exception) -> None: ...


def handed_on(step: Callable[[Lane, float], None], lanes: Iterable[Lane], now: float) -> None:
    """The same step for many in a row: what goes wrong with one is nothing to the others."""
    for lane in lanes:
        try:
            step(lane, now)
        except Exception as error:  # noqa: BLE001 — to whoever waits, and is `guarded`
            lane.fails(error)


def each_tried(step: Callable[[T], Found], things: Iterable[T]) -> list[Found | Exception]:
    """The same step for many in a row; what goes wrong with one is for whoever asks for that one."""
    found: list[Found | Exception] = []
    for one in things:
        try:
            found.append(step(one))
        except Exception as error:  # noqa: BLE001 — raised where it is asked for, and is `guarded`
            found.append(error)
    return found
