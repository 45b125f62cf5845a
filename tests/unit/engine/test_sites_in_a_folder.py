"""Sites of a folder: site files, crawl scripts beside them, files added by hand or by command, changes seen."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from recrawl.cli.root import recrawl
from recrawl.config import Settings
from recrawl.engine.site_watch import LOOK_EVERY_S, SiteWatch
from recrawl.folder.backup import back_up
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.failure import ConfigError, RecrawlError, UsageError
from recrawl.model.site import Kind, Site

SCRIPT = """<crawlscript>
  <site title="People"><identity value="www.web.com"/>
    <url type="detail" class="person"><originalAddr type="url">/detail?id={id}</originalAddr>
      <targetAddr>https://www.web.com/detail?id={id}</targetAddr></url></site>
  <site title="Other"><identity value="other.example"/>
    <url type="list"><originalAddr type="url">/list/{page}</originalAddr>
      <targetAddr>/list/{page}</targetAddr></url></site>
</crawlscript>"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "crawl")
    made.create("")
    return made


def _add(folder: Folder, *words: str) -> str:
    done = CliRunner().invoke(recrawl, ["add", *words, "--folder", str(folder.path)])
    if isinstance(done.exception, RecrawlError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_crawl_scripts_in_the_folder_are_read_and_start_at_their_hosts(folder: Folder) -> None:
    (folder.sites_folder / "people.xml").write_text(SCRIPT)
    sites = {site.title: site for site in folder.sites()}
    assert sites["People"].seeds == ("https://www.web.com/",)
    assert sites["Other"].seeds == ("http://other.example/",)
    assert [pattern.kind for pattern in sites["People"].patterns] == [Kind.DETAIL]


def test_what_is_said_of_a_scripts_site_later_goes_before_the_script(folder: Folder) -> None:
    (folder.sites_folder / "people.xml").write_text(SCRIPT)
    first = folder.sites()[0]
    folder.put_site(Site(first.name, first.seeds, paused=True))
    assert [site.paused for site in folder.sites()] == [True, False]


def test_a_site_file_or_a_crawl_script_is_added_whole_or_not_at_all(folder: Folder, tmp_path: Path) -> None:
    script, harbour = tmp_path / "people.xml", tmp_path / "harbour.toml"
    script.write_text(SCRIPT)
    harbour.write_text('seeds = ["http://harbour.example/"]\ndepth = 3\n')
    said = _add(folder, str(script))
    assert said.count("added") == 2
    _add(folder, str(harbour))
    assert {site.name: site.depth for site in folder.sites()}["harbour"] == 3
    assert len(folder.sites()) == 3
    with pytest.raises(UsageError, match="--replace"):
        _add(folder, str(harbour))
    _add(folder, str(harbour), "--replace")
    with pytest.raises(UsageError, match="say there"):
        _add(folder, str(harbour), "--depth", "1")
    with pytest.raises(UsageError, match="cannot read"):
        _add(folder, "nowhere.toml")
    harbour.write_text("depth = 3\n")
    with pytest.raises(RecrawlError, match="needs seeds"):
        _add(folder, str(harbour), "--replace")
    assert {site.name: site.seeds for site in folder.sites()}["harbour"] == ("http://harbour.example/",)


def test_a_running_crawl_sees_changed_site_files_and_keeps_what_it_knows_when_they_are_broken(folder: Folder) -> None:
    said: list[str] = []

    def check(sites: object) -> None:
        assert isinstance(sites, list)
        if any(site.name == "stranger" for site in sites):
            raise ConfigError("who is crawling?")

    watch = SiteWatch(folder, check, said.append)
    assert watch.changed(0.0) is None
    file = folder.put_site(Site("harbour", ("http://harbour.example/",)))
    assert watch.changed(LOOK_EVERY_S / 2) is None  # not time to look
    assert [site.name for site in watch.changed(LOOK_EVERY_S) or ()] == ["harbour"]
    assert watch.changed(2 * LOOK_EVERY_S) is None
    file.write_text("seeds = [")
    os.utime(file, ns=(1, 1))
    assert watch.changed(3 * LOOK_EVERY_S) is None
    assert len(said) == 1
    assert watch.changed(4 * LOOK_EVERY_S) is None
    assert len(said) == 1  # said once
    file.unlink()
    folder.put_site(Site("stranger", ("http://stranger.example/",)))
    assert watch.changed(5 * LOOK_EVERY_S) is None
    assert "who is crawling" in said[1]


def test_a_copy_of_the_folder_has_its_scripts_and_agreements_and_loses_those_that_went(
    folder: Folder, tmp_path: Path
) -> None:
    open_store(folder, Settings()).close()
    (folder.sites_folder / "people.xml").write_text(SCRIPT)
    (folder.path / "robot.json").write_text('{"registrations": [], "seen": [], "counts": {}}')
    (folder.path / "robot.json").chmod(0o600)
    copy = Folder(tmp_path / "copy")
    back_up(folder, copy)
    assert copy.sites() == folder.sites()
    assert (copy.path / "robot.json").stat().st_mode & 0o777 == 0o600
    (folder.sites_folder / "people.xml").unlink()
    back_up(folder, copy)
    assert copy.sites() == []


class Closed(Folder):
    """Its site files cannot be seen for a while, as on a network drive."""

    @property
    def away(self) -> Path:
        return self.path / "away"

    def sites_stamp(self) -> tuple[tuple[str, int, int], ...]:
        if self.away.exists():
            raise ConfigError("cannot read sites")
        return super().sites_stamp()

    def sites(self) -> list[Site]:
        self.sites_stamp()
        return super().sites()


def test_a_folder_of_sites_that_cannot_be_read_for_a_while_leaves_a_running_crawl_as_it_is(tmp_path: Path) -> None:
    folder, complaints = Closed(tmp_path / "crawl"), list[str]()
    folder.create("")
    folder.put_site(Site("town", ("http://town.example/",)))
    watch = SiteWatch(folder, lambda sites: None, complaints.append)
    folder.away.touch()
    assert [watch.changed(look * LOOK_EVERY_S) for look in (1, 2, 3)] == [None, None, None]
    assert len(complaints) == 1
    folder.away.unlink()
    assert watch.changed(4 * LOOK_EVERY_S) == folder.sites()
