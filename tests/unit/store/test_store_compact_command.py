"""`recrawl db compact`: what was the same long ago is forgotten, what changed stays."""

import json
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner

from recrawl.cli.root import recrawl
from recrawl.engine.clock import SystemClock
from recrawl.folder.folder import Folder
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Visit, Why
from recrawl.store.sqlite import open_sqlite

DAY_S = 86_400.0
URL = "https://a.example/"


def test_old_visits_that_proved_no_change_are_forgotten_by_a_command(tmp_path: Path) -> None:
    folder, now = Folder(tmp_path), SystemClock().now()
    folder.create('[operator]\ncontact = "me@example.org"\n')
    page = Page(fingerprint(URL), URL, "a.example", "one")
    ages = ((200, Change.SAME), (150, Change.CHANGED), (120, Change.UNKNOWN), (3, Change.SAME))
    visits = [
        Visit(page.id, now - days * DAY_S, Why.DUE, 200, Evidence.DOCUMENT, change, received_bytes=5)
        for days, change in ages
    ]
    with closing(open_sqlite(folder.database)) as store:
        store.save(Batch(pages=(page,), visits=tuple(visits)))
    words = ("db", "compact", "--folder", str(tmp_path), "--json")
    assert json.loads(CliRunner().invoke(recrawl, words).output)["forgotten"] == 2
    assert json.loads(CliRunner().invoke(recrawl, [*words, "--older", "1d"]).output)["forgotten"] == 1
    with closing(open_sqlite(folder.database)) as store:
        assert [visit.change for visit in store.visits(page.id)] == [Change.CHANGED]
        assert store.totals().visits == 4 and store.totals().bytes == 20
