"""A folder that does not take what is written to it."""

import os
from pathlib import Path

import pytest

from recrawl.answers.checkup import folder_itself
from recrawl.folder.folder import Folder
from recrawl.model.failure import ConfigError
from recrawl.model.site import Site

NOBODY = 65534


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


def test_a_lock_belongs_to_the_owner_of_the_folder_whoever_makes_it(tmp_path: Path) -> None:
    """Root looks into a crawl of somebody else; others cannot."""
    folder = Folder(tmp_path)
    if os.geteuid() == 0:
        os.chown(tmp_path, NOBODY, NOBODY)
    with folder.locked():
        assert folder.lock.stat().st_uid == tmp_path.stat().st_uid
    assert folder.foreign_files() == []


def test_files_of_another_user_are_named(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("")
    if os.geteuid() == 0:
        folder.journal.mkdir()
        os.chown(tmp_path, NOBODY, NOBODY)
        foreign = [folder.settings_file, folder.sites_folder, folder.archive, folder.journal]
    else:
        folder.log.symlink_to("/etc/passwd")
        foreign = [folder.log]
    assert folder.foreign_files() == foreign
    told = {one.name: one for one in folder_itself(folder, deep=False)}
    assert not told["folder"].good and foreign[0].name in told["folder"].says
