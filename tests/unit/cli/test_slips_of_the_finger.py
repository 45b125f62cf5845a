"""A slip on the command line is told beside its option, with exit code 2, before anything is done."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from recrawl.agent.command import main as agent
from recrawl.cli.root import recrawl
from recrawl.model.failure import UsageError


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "-1", "many"])
@pytest.mark.parametrize(
    "words",
    [
        "plan --budget",
        "plan --target",
        "run --weight",
        "add http://a.example/ --gap",
        "scope learn http://a.example/ --gap",
        "robot register town --email me@example.org --latency",
        "robot change town --latency",
        "robot batch-file town out --since",
        "lab month --days",
        "lab month --gap",
        "lab cooperate --budget",
        "lab cluster --lease",
    ],
)
def test_a_number_that_cannot_be_meant_is_refused(tmp_path: Path, words: str, number: str) -> None:
    told = CliRunner().invoke(recrawl, [*words.split(), number])
    assert told.exit_code == 2 and f"Invalid value for '{words.split()[-1]}'" in told.stderr


@pytest.mark.parametrize(
    "words",
    [
        "run --for",
        "demo --for",
        "db compact --older",
        "systemd --every",
        "search x --as-of",
        "show http://a.example/ --at",
        "diff http://a.example/ --from",
        "diff http://a.example/ --to",
        "records --since",
        "changes --since",
    ],
)
@pytest.mark.parametrize("text", ["soon", "-5m", "10 parsecs"])
def test_a_time_that_cannot_be_meant_is_refused(words: str, text: str) -> None:
    told = CliRunner().invoke(recrawl, [*words.split(), text])
    assert told.exit_code == 2 and f"Invalid value for '{words.split()[-1]}'" in told.stderr


def test_a_timer_that_never_rests_is_refused() -> None:
    told = CliRunner().invoke(recrawl, ["systemd", "--every", "0s"])
    assert told.exit_code == 2 and "less than 1s" in told.stderr


def test_a_store_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "recrawl.toml").write_text("")
    told = CliRunner().invoke(recrawl, ["run", str(tmp_path), "--store", "state.db"])
    assert isinstance(told.exception, UsageError) and "postgresql://" in str(told.exception)


def test_the_agents_times_are_read_as_strictly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "www"
    root.mkdir()
    state = str(tmp_path / "state")
    assert agent(["init", "--root", str(root), "--base", "http://a.example/", "--state", state]) == 0
    assert agent(["watch", "--continuous", "--every", "soon", "--state", state]) == 2
    assert "--every: 'soon' is not a duration" in capsys.readouterr().err
