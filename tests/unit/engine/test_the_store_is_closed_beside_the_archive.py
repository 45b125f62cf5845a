"""At the end of a run the store waits for the disk while the archive's index is sorted, and nobody goes on before both
are done."""

import asyncio
import threading
from pathlib import Path

import pytest

from recrawl.config import Settings
from recrawl.engine.assembly import assemble
from recrawl.folder.folder import Folder
from recrawl.model.site import Site
from recrawl.store.memory import MemoryStore

ADDRESS = "http://127.0.0.1:1/"


class SlowStore(MemoryStore):
    """Its first closing ends when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.may_end, self.closed_by = threading.Event(), list[int]()

    def close(self) -> None:
        is_first = not self.closed_by
        self.closed_by.append(threading.get_ident())
        if is_first:
            assert self.may_end.wait(60.0)


class BrokenStore(MemoryStore):
    def close(self) -> None:
        raise OSError("the disk is gone")


def folder_at(path: Path) -> Folder:
    folder = Folder(path / "crawl")
    folder.create("")
    folder.put_site(Site("shop", (ADDRESS,), own=("127.0.0.1:1",)))
    return folder


async def _assembled(folder: Folder, store: MemoryStore) -> None:
    async with assemble(folder, Settings(), "0", store=store):
        pass


def test_the_archive_is_closed_while_the_store_still_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SlowStore()
    monkeypatch.setattr("recrawl.engine.assembly.WarcArchive.close", lambda archive: store.may_end.set())
    asyncio.run(_assembled(folder_at(tmp_path), store))
    assert store.closed_by[0] != threading.get_ident()


def test_an_end_waits_for_the_store(tmp_path: Path) -> None:
    store = SlowStore()
    later = threading.Timer(0.05, store.may_end.set)
    later.start()
    asyncio.run(_assembled(folder_at(tmp_path), store))
    assert store.may_end.is_set()


def test_a_store_that_cannot_be_closed_is_heard_of(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="the disk is gone"):
        asyncio.run(_assembled(folder_at(tmp_path), BrokenStore()))
