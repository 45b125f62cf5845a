"""While modules are being loaded."""

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130


@contextmanager
def loading() -> Iterator[None]:
    """Nobody looks for cycles among what modules leave: nearly all of it stays to the end."""
    gc.disable()
    try:
        with _ending_at_once():
            yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _ending_at_once() -> Iterator[None]:
    """Nothing is under way yet, so Ctrl-C ends it at once. As an exception it would come up anywhere in other people's
    modules, and some places make another error of it. Who ignores Ctrl-C goes on doing so."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    with suppress(ValueError):  # not in the main thread: it hears of no signals
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        with suppress(ValueError):
            signal.signal(signal.SIGINT, before)
