"""`doctor` finds what is wrong and says what to do."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from recrawl.cli.doctor import doctor
from recrawl.cli.run import run
from recrawl.cli.start import add
from recrawl.folder.folder import Folder
from recrawl.model.failure import ConfigError
from tests.flow.conftest import Ran, Site


def found(folder: Path, *options: str, code: int = 0) -> dict[str, tuple[bool, str]]:
    done = CliRunner().invoke(doctor, [str(folder), "--json", *options])
    assert done.exit_code == code, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["check"]: (one["ok"], one["says"]) for one in lines}


def test_what_is_well_is_found_well_and_what_is_ill_is_found_ill(
    start_site: Callable[..., Site], recrawl: Callable[..., Ran], tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    assert "is no recrawl folder yet" in found(folder)["folder"][1]
    site = start_site(6)
    recrawl("add", site.url, "--own", "--folder", folder)
    recrawl("run", folder, "--once")
    before = len(site.requests())
    well = found(folder)
    assert {"version", "clock", "disk", "limits", "settings", "sites", "store", "archive", "dns", "robots"} <= set(well)
    assert all(good for good, _ in well.values())
    assert "6 copies" in well["store"][1] and "whole" in well["store"][1]
    assert "6 versions read back" in well["archive"][1]
    assert [one.path for one in site.requests()[before:]] == ["/robots.txt"]
    assert set(found(folder, "--offline")) == set(well) - {"dns", "robots"}
    with Folder(folder).locked():
        assert "left to the run" in found(folder)["robots"][1]
    assert len(site.requests()) == before + 1

    (warc,) = (folder / "warc").glob("*.warc.gz")
    warc.write_bytes(warc.read_bytes()[:100])
    with closing(sqlite3.connect(folder / "recrawl.db")) as store, store:
        store.execute("UPDATE page SET checked_at = checked_at + 864000")
        store.execute("DELETE FROM memo WHERE key = 'clock'")  # as one left it that ran before this was kept
    (folder / "sites" / "silent.toml").write_text('seeds = ["http://127.0.0.1:1/"]\nown = ["127.0.0.1:1"]\n')
    ill = found(folder, code=1)
    assert not ill["archive"][0]
    assert not ill["store"][0] and "the clock was set back" in ill["store"][1]
    assert not ill["robots"][0] and "nothing there may be asked for" in ill["robots"][1]


def test_one_fault_is_told_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("[operator\n")
    (folder.sites_folder / "town.toml").write_text("seeds = [\n")
    done = CliRunner().invoke(doctor, [str(tmp_path), "--json", "--offline"])
    bad = [one["check"] for one in map(json.loads, done.stdout.splitlines()) if not one["ok"]]
    assert (done.exit_code, bad) == (1, ["settings", "sites"])
    folder.settings_file.write_text("")
    assert "seeds = [" not in found(tmp_path, "--offline", code=1)["settings"][1]


def test_what_a_run_would_refuse_is_found_before(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "D")
    CliRunner().invoke(add, ["http://shop.test/", "--own", "--name", "shop", "--folder", str(folder.path)])
    site_file, sound = folder.sites_folder / "shop.toml", 'seeds = ["http://shop.test/"]\nown = ["shop.test"]\n'
    for settings, site, says in (
        ('[schedule]\npolicy = "valu"\n', sound, "there is no policy"),
        ('[fetch]\nresolver = "foo bar"\n', sound, "no name server"),
        ('[detect]\nignore = ["div[["]\n', sound, "detect.ignore in recrawl.toml"),
        ("", sound + 'ignore = ["div[["]\n', "ignore of shop"),
    ):
        folder.settings_file.write_text(settings)
        site_file.write_text(site)
        [told] = [told for good, told in found(folder.path, "--offline", code=1).values() if not good]
        assert says in told
        with pytest.raises(ConfigError, match=says):
            CliRunner().invoke(run, [str(folder.path), "--once"], catch_exceptions=False)
