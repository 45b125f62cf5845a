"""The one place where any exception is caught: a fault of ours costs one page, is counted and shown."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from typing import TypeVar

from recrawl.engine.tally import Count, Tally
from recrawl.model.failure import RecrawlError

T = TypeVar("T")
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
