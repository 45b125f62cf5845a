"""Every machine of a cluster has WARC files of its own: that another one's are not here is no illness."""

from contextlib import closing
from pathlib import Path

from recrawl.answers.checkup import Finding, folder_itself
from recrawl.config import Settings, State
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page, Status
from recrawl.model.visit import Version

TOWN = "http://town.example/"
FILE = "recrawl-elsewhere-1-0badcafe-20261117000000-00000.warc.gz"


def archive_in(folder: Folder, store: str) -> Finding:
    """What the doctor says of the archive where a version is known whose file is not there."""
    folder.create(f'[state]\nstore = "{store}"\n')
    page = Page(fingerprint(TOWN), TOWN, "town.example", "town", status=Status.LIVE)
    version = Version(page.id, 1.0, "sha256:" + "ab" * 32, FILE, 0, 10, 3, 4)
    with closing(open_store(folder, Settings(state=State(store=store)))) as opened:
        opened.save(Batch(pages=(page,), versions=(version,)))
    return next(one for one in folder_itself(folder, deep=False) if one.name == "archive")


def test_what_lies_with_other_workers_is_counted_and_no_fault(tmp_path: Path, postgres_store: str) -> None:
    said = archive_in(Folder(tmp_path), postgres_store)
    assert said.good and "0 versions read back, 1 lie with other workers" in said.says


def test_what_a_folder_alone_has_lost_is_one(tmp_path: Path) -> None:
    said = archive_in(Folder(tmp_path), "")
    assert not said.good and "put the file back" in said.says
