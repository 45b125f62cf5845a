"""Dockerfile and compose.yaml: no engine runs here, so every command in them is read and run outside."""

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from recrawl.cli.root import recrawl
from recrawl.folder.folder import Folder
from tests.docs.sessions import EXTRAS, ROOT

LINES = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text("utf-8")).splitlines()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]


def words_of(instruction: str) -> list[str]:
    (line,) = (line for line in LINES if line.startswith(instruction + " "))
    return list(json.loads(line[line.index("[") :]))


def parses(words: list[str]) -> None:
    """The command line takes these words; nothing is run."""
    command: click.Command = recrawl
    context = click.Context(recrawl, info_name="recrawl")
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, words
        command, words = found, words[1:]
        context = click.Context(command, parent=context)
    command.make_context(command.name, list(words), parent=context)


def test_the_image_is_slim_and_runs_as_a_user_of_its_own() -> None:
    bases = [line.split()[1] for line in LINES if line.startswith("FROM")]
    assert all(base.endswith("-slim") for base in bases)
    users = [line.split()[1] for line in LINES if line.startswith("USER")]
    made = [line for line in LINES if line.startswith("RUN useradd")]
    assert users == ["crawl"] and made and made[0].split()[-1] == "crawl"
    assert LINES.index("USER crawl") < LINES.index("ENTRYPOINT " + json.dumps(["recrawl"]))
    copied = [
        word for line in LINES if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    ]
    assert all((ROOT / word).exists() for word in copied)
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert {f"!{word}" for word in copied} <= set(ignored)


def test_what_the_image_installs_are_extras_there_are() -> None:
    (installed,) = re.findall(r"pip install .*'\.\[([a-z,]+)\]'", "\n".join(LINES))
    assert set(installed.split(",")) <= set(EXTRAS)


def test_every_command_of_image_and_services_is_one() -> None:
    assert words_of("ENTRYPOINT") == ["recrawl"]
    parses(words_of("CMD"))
    for name in OURS:
        parses(list(SERVICES[name]["command"]))
    for comment in re.findall(
        r"^#\s+docker compose run --rm crawl (.+)$", (ROOT / "compose.yaml").read_text("utf-8"), re.M
    ):
        parses(comment.split())


def test_the_health_check_says_well_of_a_folder_that_is_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = words_of("HEALTHCHECK")
    assert words[0] == "recrawl"
    Folder(tmp_path).create("")
    monkeypatch.delenv("RECRAWL_STORE", raising=False)
    done = CliRunner().invoke(recrawl, [str(tmp_path) if word == "/crawl" else word for word in words[1:]])
    assert done.exit_code == 0, done.output


def test_services_fit_together() -> None:
    for service in SERVICES.values():
        needed = service.get("depends_on", [])
        assert set(needed) <= set(SERVICES)
        mounted = [volume.partition(":")[0] for volume in service.get("volumes", [])]
        assert set(mounted) <= set(COMPOSE["volumes"])
    assert SERVICES["crawl"]["environment"]["RECRAWL_STORE"] == SERVICES["dashboard"]["environment"]["RECRAWL_STORE"]
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["dashboard"]["ports"])
    assert SERVICES["crawl"]["volumes"] == SERVICES["dashboard"]["volumes"]
