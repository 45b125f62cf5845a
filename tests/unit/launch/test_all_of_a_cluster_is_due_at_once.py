"""`run --all` in a cluster goes by the database's clock, as its workers do, whatever the machine's says."""

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.launch.run import _prepare
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page, Status
from recrawl.model.site import Site

URL, SERVER = "http://127.0.0.1:1/", "127.0.0.1:1"


@pytest.mark.parametrize("ahead_s", [-3600.0, 3600.0])
def test_everything_is_due_now_by_the_clock_of_the_workers(
    tmp_path: Path, postgres_store: str, monkeypatch: pytest.MonkeyPatch, ahead_s: float
) -> None:
    folder, settings = Folder(tmp_path), Settings()
    settings = replace(settings, state=replace(settings.state, store=postgres_store))
    folder.create("")
    folder.put_site(Site("shop", (URL,), own=(SERVER,)))
    now, page = time.time(), Page(fingerprint(URL), URL, SERVER, "shop", status=Status.LIVE, visits=1)
    with closing(open_store(folder, settings)) as store:
        store.save(Batch(pages=(replace(page, checked_at=now, due_at=now + 86_400.0),)))
        monkeypatch.setattr(time, "time", lambda read=time.time: read() + ahead_s)
        _prepare(folder, settings, True, 1, print)
        [after] = store.pages([page.id])
    assert after.due_at is not None and abs(after.due_at - now) < 600.0
