"""The units that `recrawl systemd` prints are units."""

import configparser
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recrawl.cli.systemd import systemd, units
from recrawl.folder.folder import Folder
from recrawl.model.failure import UsageError


def read(file: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(file.read_text())
    return parser


def told(folder: Path, *options: str) -> Result:
    Folder(folder).create("")
    return CliRunner().invoke(systemd, [str(folder), *options])


def test_the_units_are_well_formed_and_run_what_they_say(tmp_path: Path) -> None:
    out = tmp_path / "units"
    assert told(tmp_path / "crawl", "--user", "crawl", "--every", "30m", "--write", str(out)).exit_code == 0
    assert sorted(file.name for file in out.iterdir()) == [
        "recrawl-once.service",
        "recrawl-once.timer",
        "recrawl.service",
    ]
    folder = str(tmp_path / "crawl")
    for name, words in (("recrawl.service", []), ("recrawl-once.service", ["--once"])):
        service = read(out / name)["Service"]
        command = shlex.split(service["ExecStart"])
        assert command[-len(words) - 2 :] == ["run", folder, *words]
        assert os.access(command[0], os.X_OK)
        assert (service["User"], service["ReadWritePaths"]) == ("crawl", folder)
    assert read(out / "recrawl-once.timer")["Timer"]["OnUnitInactiveSec"] == "1800s"
    printed = told(tmp_path / "crawl").output
    assert printed.count("# /etc/systemd/system/recrawl") == 3 and "User=" not in printed
    if shutil.which("systemd-analyze"):  # says nothing where all is well
        words = ["systemd-analyze", "verify", "--man=no", *map(str, sorted(out.iterdir()))]
        said = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        complaints = [line for line in said.stderr.splitlines() if "recrawl" in line]
        assert not complaints


def test_names_with_blanks_percent_signs_and_quotes_survive() -> None:
    text = units(Path('/srv/my "50%" crawl'), "/usr/bin/recrawl", "", "r", 3600.0)["r.service"]
    assert 'ExecStart=/usr/bin/recrawl run "/srv/my \\"50%%\\" crawl"' in text
    assert 'WorkingDirectory=/srv/my "50%%" crawl' in text
    with pytest.raises(UsageError, match="line break"):
        units(Path("/srv/a\nExecStart=evil"), "/usr/bin/recrawl", "", "r", 3600.0)


def test_a_bad_name_is_refused(tmp_path: Path) -> None:
    refused = told(tmp_path, "--name", "../evil").exception
    assert isinstance(refused, UsageError) and "cannot be a unit's name" in str(refused)
