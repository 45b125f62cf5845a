"""Where an export goes: whole or not at all, and never over something that is not an export."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from recrawl.model.failure import DiskFull, UsageError

NEW = ".new"
NO_SPACE = 28  # errno.ENOSPC


@contextmanager
def whole_file(target: Path) -> Iterator[IO[bytes]]:
    """Bytes under another name first; a kill or an error leaves what was there. A device or a pipe takes them as they
    come, and stays what it is."""
    if target.is_dir():
        raise UsageError(f"{target} is a folder: name a file for the export")
    if target.exists() and not target.is_file():
        with _said_plainly(target), target.open("wb") as out:
            yield out
        return
    target = target.resolve()
    _need_folder(target.parent)
    fresh = target.with_name(target.name + NEW)
    with _said_plainly(target):
        try:
            with fresh.open("wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder under another name first; it takes its place only if nothing stands there."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is there already: name a new folder, or move that one away")
    _need_folder(target.absolute().parent)
    fresh = target.with_name(target.name + NEW)
    with _said_plainly(target):
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        try:
            yield fresh
            if target.exists():
                target.rmdir()
            fresh.rename(target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def _need_folder(folder: Path) -> None:
    """A path with a slip in it is not made true."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}: make it first, or name another place")


@contextmanager
def _said_plainly(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == NO_SPACE:
            raise DiskFull(f"the disk of {target} is full: free some space and export again") from error
        raise UsageError(f"cannot write {target}: {error.strerror}; name another place") from error
