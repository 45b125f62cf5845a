"""`add` leaves a folder that can be read again, or says what is wrong and writes nothing."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from recrawl.cli.start import add
from recrawl.config import parse
from recrawl.folder.folder import Folder
from recrawl.model.failure import ConfigError, RecrawlError, UsageError
from recrawl.model.site import Site
from recrawl.model.site_name import name_of_server


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--name", "../x"], "no name for a site"),
        (["--name", "Two Words"], "no name for a site"),
        (["--include", "re:("], "re:("),
        (["--host", "http://x/"], "is not a host"),
        (["--ignore", "<<<"], "invalid CSS selector"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_it_is_written(tmp_path: Path, words: list[str], says: str) -> None:
    told = CliRunner().invoke(add, ["http://a.example/", "--folder", str(tmp_path), *words])
    assert isinstance(told.exception, RecrawlError) and says in str(told.exception)
    assert Folder(tmp_path).sites() == [] and not list(tmp_path.glob("*.toml.new"))


def test_a_site_file_with_a_field_that_cannot_be_found_is_not_taken(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text('seeds = ["http://a.example/"]\n[[fields]]\nname = "price"\ncss = "<<<"\n')
    told = CliRunner().invoke(add, [str(file), "--folder", str(tmp_path / "crawl")])
    assert "field price" in str(told.exception) and not (tmp_path / "crawl").exists()


def test_no_site_lies_outside_its_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="elsewhere"):
        Folder(tmp_path).put_site(Site("../x", ("http://a.example/",)))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('windows = ["only mondys"]', r"town.toml:2: windows, 'only mondys': 'mondys' is neither a day"),
        ('windows = ["only 9-12", "not 8-13"]', r"town.toml:2: windows .* leave no hour of the week open"),
        ('name = "harbour"', "harbour.toml describes a site called 'harbour', too"),
    ],
)
def test_what_is_wrong_in_a_site_file_is_said_with_its_file_and_line(tmp_path: Path, written: str, says: str) -> None:
    folder = Folder(tmp_path)
    folder.create("")
    folder.put_site(Site("harbour", ("http://a.example/",)))
    (folder.sites_folder / "town.toml").write_text(f'seeds = ["http://b.example/"]\n{written}\n')
    with pytest.raises(ConfigError, match=says):
        folder.sites()


def test_a_site_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("")
    (folder.sites_folder / "town.toml").write_bytes(b"seeds = ['\xff']")
    with pytest.raises(ConfigError, match=r"town.toml is not UTF-8"):
        folder.sites()


def test_what_is_said_of_a_site_later_goes_into_the_file_that_has_its_name(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("")
    file = folder.sites_folder / "my-town.toml"
    file.write_text('name = "town"\nseeds = ["http://b.example/"]\n')
    assert folder.put_site(Site("town", ("http://b.example/",), paused=True)) == file
    assert [(site.name, site.paused) for site in folder.sites()] == [("town", True)]


@pytest.mark.parametrize("contact", ['a"b', "a\\b", "two\nlines", "del\x7f", "plain@example.org"])
def test_a_contact_can_be_replaced_whatever_is_in_it(tmp_path: Path, contact: str) -> None:
    folder = Folder(tmp_path)
    folder.create("[operator]\ncontact = 'first'  # who\n[schedule]\n")
    for wanted in (contact, "last@example.org", contact):
        folder.set_contact(wanted)
        assert parse(folder.settings_file.read_text("utf-8")).operator.contact == wanted
    assert folder.settings_file.read_text("utf-8").count("contact") == 1


def test_a_server_gives_its_site_a_name() -> None:
    servers = ["www.a.example", "127.0.0.1:80", "A_b.example", "[::1]:80", "..."]
    assert [name_of_server(one) for one in servers] == [
        "a.example",
        "127.0.0.1-80",
        "a-b.example",
        "ipv6-0-1-80",
        "site",
    ]
