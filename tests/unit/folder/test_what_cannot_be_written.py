"""A folder that does not take what is written to it."""

from pathlib import Path

import pytest

from recrawl.folder.folder import Folder
from recrawl.model.failure import ConfigError
from recrawl.model.site import Site


def test_a_site_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.sites_folder.write_text("not a folder")
    with pytest.raises(ConfigError, match=r"cannot write to .*sites: .*; see to its permissions"):
        folder.put_site(Site("one", ("http://one.example/",)))


def test_the_contact_is_written_and_everything_else_stays(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create('[operator]\ncontact = ""  # who\n')
    folder.set_contact("me@example.org")
    assert folder.settings_file.read_text("utf-8") == '[operator]\ncontact = "me@example.org"  # who\n'
