"""A site of a cluster that gets another name keeps its pages, when somebody says so and nobody is at work."""

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from recrawl.cli.cluster import cluster
from recrawl.cli.status import status
from recrawl.config import Settings, State
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.failure import UsageError
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.ports import Store
from recrawl.store.shared.leases import open_leases

TOWN = "http://town.example/"
PAGES = [Page(fingerprint(url), url, "town.example", "town") for url in (TOWN, TOWN + "a", TOWN + "b")]
DAY = 86_400.0


@pytest.fixture
def folder(tmp_path: Path, postgres_store: str) -> Folder:
    folder = Folder(tmp_path)
    folder.create(f'[state]\nstore = "{postgres_store}"\n')
    folder.put_site(Site("city", (TOWN,), requests_per_day=5.0))
    with closing(stored(folder, postgres_store)) as store:
        store.save(Batch(pages=tuple(PAGES)))
    return folder


def stored(folder: Folder, dsn: str) -> Store:
    return open_store(folder, Settings(state=State(store=dsn)))


def adopted(folder: Folder) -> str:
    done = CliRunner().invoke(cluster, ["adopt", "--folder", str(folder.path)])
    if done.exception is not None:
        raise done.exception
    return done.output


def test_its_pages_and_what_it_spent_go_to_the_new_name(folder: Folder, postgres_store: str) -> None:
    with closing(open_leases(postgres_store)) as leases:
        day = int(leases.now() // DAY)
        leases.draw("town", day, (5, 0), (3, 0), day)
        leases.draw("town", day - 1, (5, 0), (5, 0), day)
        assert "recrawl cluster adopt" in CliRunner().invoke(status, [str(folder.path)]).output
        assert adopted(folder) == "3 pages of 'town' belong to 'city' now\n"
        assert leases.draw("city", day, (5, 0), (5, 0), day) == (2, 0)
        assert leases.draw("city", day - 1, (5, 0), (5, 0), day) == (5, 0)
    with closing(stored(folder, postgres_store)) as store:
        assert {page.site for page in store.scan()} == {"city"}
    assert adopted(folder) == "every site of the store has a site file here\n"


def test_beside_a_worker_nothing_is_given_away(folder: Folder, postgres_store: str) -> None:
    with closing(open_leases(postgres_store)) as leases:
        leases.join("somebody", 1.0, 30.0)
        with pytest.raises(UsageError, match="workers are running"):
            adopted(folder)
    with closing(stored(folder, postgres_store)) as store:
        assert {page.site for page in store.scan()} == {"town"}
