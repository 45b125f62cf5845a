"""Files that belong to one worker for as long as it lives, and stay for the next one when it is killed."""

import fcntl
import os
from pathlib import Path
from time import time_ns


def opened(folder: Path, name: str, suffix: str) -> tuple[Path, int]:
    """It is locked for as long as this process lives, and never seen before it is."""
    unseen = folder / f"{name}-{time_ns():x}.new"
    handle = os.open(unseen, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return unseen.rename(unseen.with_suffix(suffix)), handle


def dead_files(folder: Path, suffix: str, most_bytes: int) -> list[tuple[Path, bytes]]:
    """What the dead left, oldest first, so that of two words on a page the last one stands; of much the newest."""
    found, room = [], most_bytes
    for path in sorted(folder.glob(f"*{suffix}"), key=_written_at, reverse=True):
        left = _read_if_dead(path, room)
        if left is not None:
            room -= len(left)
            found.append((path, left))
    return found[::-1]


def _written_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _read_if_dead(path: Path, most: int) -> bytes | None:
    """None: its worker lives, or another has just removed it. One that cannot be read (somebody else's) holds nothing:
    it may go, and must keep nobody from crawling."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return file.read(max(most, 0))
    except (FileNotFoundError, BlockingIOError):
        return None
    except OSError:
        return b""
