"""Of a field that pages had once, or few of many have, what changed is shown; another is a slip of the finger."""

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recrawl.cli.records import records
from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.failure import UsageError
from recrawl.model.page import Page
from recrawl.model.record import Record, RecordSource
from recrawl.model.site import Site

URL = "http://shop.example/a"


def asked(folder: Path, field: str) -> Result:
    done = CliRunner().invoke(records, ["shop", "--folder", str(folder), "--changes", "--field", field])
    if done.exception is not None:
        raise done.exception
    return done


def test_a_field_that_is_in_no_record_any_more_is_known_by_its_changes(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("")
    folder.put_site(Site("shop", ("http://shop.example/",)))
    page = fingerprint(URL)
    told = [{"name": "chair", "discount": 5}, {"name": "chair"}]
    with closing(open_store(folder, Settings())) as store:
        store.save(Batch(pages=(Page(page, URL, "shop.example", "shop"),)))
        for at, data in enumerate(told, 1):
            one = Record(page, float(at), kind="Product", source=RecordSource.JSON_LD, data=data)
            store.save(Batch(records=(one,)))
    assert '"field": "discount"' in asked(tmp_path, "discount").stdout
    assert asked(tmp_path, "name").stdout == ""
    with pytest.raises(UsageError, match="'nam'; did you mean 'name'"):
        asked(tmp_path, "nam")
