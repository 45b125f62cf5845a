"""What knowing when to come saved is said at the end of a run and by site."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.flow.conftest import Ran, Site

DAYS = 3


def sleep_for_days(database: Path, days: float) -> None:
    """As if the last visits had been so long ago."""
    with closing(sqlite3.connect(database)) as store, store:
        store.execute("UPDATE page SET checked_at = checked_at - ?", (days * 86_400.0,))


def test_the_second_run_says_what_it_did_not_need_to_ask_for(
    start_site: Callable[..., Site], recrawl: Callable[..., Ran], tmp_path: Path
) -> None:
    site = start_site(30)
    recrawl("add", site.url, "--own", "--name", "docs")
    first = json.loads(recrawl("run", "--once", "--json").out)
    assert (first["new"], first["not_due"], first["spared_bytes"]) == (30, 0, 0)
    said = recrawl("run", "--once").out
    assert "0 visits: " in said and "30 pages not due, so not asked for; next due in " in said
    assert len(site.pages_asked()) == 30

    sleep_for_days(tmp_path / "recrawl.db", DAYS)
    site.change("/p/3.html")
    again = json.loads(recrawl("run", "--once", "--all", "--json").out)
    assert (again["changed"], again["not_modified"], again["not_due"]) == (1, 29, 0)
    status = json.loads(recrawl("status", "--json").out)
    (docs,) = status["sites"]
    assert docs["saved"] == status["saved"]
    assert docs["saved"]["revisits"] == 30 and docs["saved"]["avoided_visits"] == 30 * (DAYS - 1)
    assert docs["saved"]["spared_bytes"] == again["spared_bytes"] > 29 * 1000
    assert "30 revisits where a daily crawl of the same pages would have made 90" in recrawl("status").out
