"""Memory goes back to the system when it is let go, instead of staying with the process.

glibc raises the size from which it asks the system for memory of its own with every large piece that is freed, up to
32 MiB, and keeps small pieces for later; a crawl that met a few giant pages then keeps their room for ever. Elsewhere
(musl, macOS) nothing is done.
"""

import ctypes
from contextlib import suppress

LARGE_BYTES = 512 * 1024
SPARE_BYTES = 4 * 1024 * 1024  # kept at the top of the heap
ARENAS = 1  # Python lets one thread work at a time anyway, and each arena keeps what it let go

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # malloc.h


def tune() -> None:
    with suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_TRIM_THRESHOLD, SPARE_BYTES)
        mallopt(_ARENA_MAX, ARENAS)


def trim() -> None:
    """After something large was let go: what lies idle between smaller pieces, too. A few milliseconds."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
