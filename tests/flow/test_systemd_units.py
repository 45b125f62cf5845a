"""The units that `recrawl systemd` prints are units."""

import configparser
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from recrawl.cli.systemd import units
from recrawl.model.failure import UsageError
from tests.flow.conftest import Ran


def read(file: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(file.read_text())
    return parser


def test_the_units_are_well_formed_and_run_what_they_say(tmp_path: Path, recrawl: Callable[..., Ran]) -> None:
    recrawl("init", "crawl")
    out = tmp_path / "units"
    recrawl("systemd", "crawl", "--user", "crawl", "--every", "30m", "--write", out)
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
        helped = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=120, check=True)
        assert "Crawl what is due" in helped.stdout
        assert (service["User"], service["ReadWritePaths"]) == ("crawl", folder)
    assert read(out / "recrawl-once.timer")["Timer"]["OnUnitInactiveSec"] == "1800s"
    printed = recrawl("systemd", "crawl").out
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


def test_a_bad_name_is_refused(recrawl: Callable[..., Ran]) -> None:
    recrawl("init", "crawl")
    assert "cannot be a unit's name" in recrawl("systemd", "crawl", "--name", "../evil", expect=2).err
