"""Documentation cannot rot: what follows from the code is written from the code, and nothing is missing in it."""

import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import click
import pytest

import recrawl
from recrawl import ports
from recrawl.cli.root import COMMANDS
from recrawl.cli.root import recrawl as program
from recrawl.config import Settings
from recrawl.model.event import EventKind
from recrawl.model.failure import RecrawlError
from recrawl.web import metrics

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


def headings(page: str) -> set[str]:
    text = re.sub(r"^```.*?^```", "", (REFERENCE / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {found.strip("`") for found in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def commands() -> set[str]:
    context = click.Context(program, info_name="recrawl")
    found = set()
    for name in COMMANDS:
        command = program.get_command(context, name)  # type: ignore[attr-defined]
        found.add(f"recrawl {name}")
        if isinstance(command, click.Group):
            found |= {f"recrawl {name} {inner}" for inner in command.list_commands(context)}
    return found


def settings() -> set[str]:
    kinds = get_type_hints(Settings)
    tables = {one.name: kinds[one.name] for one in fields(Settings) if one.name != "aliases"}
    return {f"{table}.{key.name}" for table, kind in tables.items() for key in fields(kind)} | {"[aliases]"}


def exit_codes() -> set[str]:
    kinds = [RecrawlError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return {str(kind.exit_code) for kind in kinds} | {"0", "130", "143"}


def metric_names() -> set[str]:
    named = set(re.findall(r'"(recrawl_\w+)"', inspect.getsource(metrics)))
    written = headings("metrics.md")
    return {f"{name}_total" if f"{name}_total" in written else name for name in named}


def port_names() -> set[str]:
    return {name for name, kind in inspect.getmembers(ports, inspect.isclass) if kind.__module__ == ports.__name__}


WANTED = {
    "commands.md": commands,
    "settings.md": settings,
    "events.md": lambda: {kind.value for kind in EventKind},
    "exit-codes.md": exit_codes,
    "metrics.md": metric_names,
    "ports.md": port_names,
}


@pytest.mark.parametrize("page", WANTED)
def test_everything_there_is_has_its_heading(page: str) -> None:
    wanted = WANTED[page]()
    assert len(wanted) > 5 and wanted - headings(page) == set()


def test_the_reference_pages_say_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "docs/make_reference.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_relative_link_in_the_documentation_resolves() -> None:
    broken = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert not broken


def test_public_names_are_documented_and_importable() -> None:
    page = (REFERENCE / "python.md").read_text("utf-8")
    for name in recrawl.__all__:
        assert getattr(recrawl, name) is not None
        assert re.search(rf"^##+ .*`{name}\b", page, re.MULTILINE), f"python.md has no heading for {name}"
