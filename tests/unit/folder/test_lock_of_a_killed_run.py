"""A run that was killed leaves the folder to the next one as soon as its last worker is gone."""

import os
import signal
import time
from pathlib import Path

import pytest

from recrawl.folder import lock
from recrawl.folder.folder import Folder
from recrawl.model.failure import StoreInUse


def killed_run(folder: Folder) -> int:
    """A run that took the folder, forked a worker and was killed; its worker still holds the lock."""
    reading, writing = os.pipe()
    run = os.fork()
    if run == 0:
        with folder.locked():
            worker = os.fork()
            if worker:
                os.write(writing, str(worker).encode())
            time.sleep(600)
    worker = int(os.read(reading, 32))
    os.close(reading)
    os.close(writing)
    os.kill(run, signal.SIGKILL)
    os.waitpid(run, 0)
    return worker


def test_the_next_run_waits_for_the_last_worker_of_a_killed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    worker = killed_run(folder)
    looks: list[float] = []

    def look_again(wait_s: float) -> None:
        looks.append(wait_s)
        if len(looks) == 3:
            os.kill(worker, signal.SIGKILL)

    monkeypatch.setattr(lock.time, "sleep", look_again)
    monkeypatch.setattr(lock, "ORPHANS_S", 600.0)
    with folder.locked():
        assert len(looks) >= 3
        assert folder.lock.read_text().strip() == str(os.getpid())


def test_it_does_not_wait_without_end_nor_for_a_run_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    worker = killed_run(folder)
    try:
        monkeypatch.setattr(lock, "ORPHANS_S", 0.1)
        with pytest.raises(StoreInUse, match="in use by another recrawl"), folder.locked():
            pass
    finally:
        os.kill(worker, signal.SIGKILL)
    monkeypatch.setattr(lock, "ORPHANS_S", 600.0)
    with folder.locked(), pytest.raises(StoreInUse, match=f"process {os.getpid()}"), folder.locked():
        pass
