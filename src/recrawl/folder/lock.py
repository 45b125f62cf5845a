"""The lock between two runs of one folder: it goes with the last process that inherited it."""

import fcntl
import os
import time
from pathlib import Path

from recrawl.model.failure import ConfigError, StoreInUse

ORPHANS_S = 5.0  # the workers of a run that was killed are killed by the kernel, which takes a moment
LOOK_EVERY_S = 0.05


def hold(handle: int, folder: Path) -> None:
    """For this process and those it forks; a run that has ended may leave workers that are still ending."""
    give_up_at_s: float | None = None
    while not _taken(handle, folder):
        owner = _owner(handle)
        give_up_at_s = give_up_at_s or time.monotonic() + ORPHANS_S
        if _is_there(owner) or time.monotonic() >= give_up_at_s:
            raise StoreInUse(f"{folder} is in use by another recrawl (process {owner}): stop it, or wait until it ends")
        time.sleep(LOOK_EVERY_S)
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)


def _taken(handle: int, folder: Path) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise ConfigError(f"cannot lock {folder}: {error.strerror}; its disk must know locks (flock)") from error
    return True


def _owner(handle: int) -> str:
    return os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"


def _is_there(owner: str) -> bool:
    """Who has just taken the lock has not signed yet: looked at again."""
    if not owner.isdecimal():
        return False
    try:
        os.kill(int(owner), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        return True
    return True
