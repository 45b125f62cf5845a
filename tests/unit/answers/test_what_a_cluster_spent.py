"""The purse of a cluster lies in its database: people hear what was spent of it, and what waits for tomorrow."""

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from recrawl.answers.allowance import ledgers
from recrawl.answers.chances import waiting
from recrawl.answers.reading import reading
from recrawl.cli.status import status
from recrawl.folder.folder import Folder
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.schedule.settings import DAY_S
from recrawl.store.postgres import open_postgres
from recrawl.store.shared.leases import open_leases

TOWN = "http://town.example/"


@pytest.fixture
def folder(tmp_path: Path, postgres_store: str) -> Folder:
    """With a page that is due."""
    folder = Folder(tmp_path)
    folder.create(f'[state]\nstore = "{postgres_store}"\n')
    with closing(open_postgres(postgres_store)) as store:
        store.save(Batch(entered=(Page(fingerprint(TOWN), TOWN, "town.example", "town", due_at=1.0),)))
    return folder


def drawn(dsn: str, requests: int, days: int = 1) -> float:
    """So many out of the purse of today, or of the span of days it lies in; the moment."""
    with closing(open_leases(dsn)) as leases:
        now = leases.now()
        today = int(now // DAY_S)
        leases.draw("town", today - today % days + days - 1, (requests, 0), (requests, 0), today)
    return now


def test_a_spent_budget_is_told_and_named_as_what_holds_pages_back(folder: Folder, postgres_store: str) -> None:
    folder.put_site(Site("town", (TOWN,), requests_per_day=5.0))
    now = drawn(postgres_store, 5)
    with reading(folder) as found:
        held = waiting(found, now)
    assert [one.says for one in held.hindrances] == ["the day's budget of town is spent (5 of 5 requests)"]
    assert held.at == (now // DAY_S + 1) * DAY_S
    assert "spent today, town: 5 of 5 requests" in CliRunner().invoke(status, [str(folder.path)]).output


def test_what_is_saved_up_over_days_counts_for_all_of_them(folder: Folder, postgres_store: str) -> None:
    folder.put_site(Site("town", (TOWN,), requests_per_day=0.2))
    now = drawn(postgres_store, 2, days=10)
    with reading(folder) as found:
        assert [spent.requests for _, spent in ledgers(found, now)] == [2]
        assert waiting(found, now).at == (now // DAY_S - now // DAY_S % 10 + 10) * DAY_S
