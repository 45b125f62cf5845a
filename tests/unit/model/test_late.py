"""Modules that are loaded when they are needed: a name that is wrong would show only then."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import recrawl

SOURCE = Path(recrawl.__file__).parent
NAMED = re.compile(r'late_module\("([^"]+)"\)')
USED = re.compile(r'^(_[A-Z0-9_]+) = late_module\("(recrawl\.[^"]+)"\)', re.MULTILINE)


def late() -> list[tuple[str, str]]:
    return sorted((file.stem, name) for file in SOURCE.rglob("*.py") for name in NAMED.findall(file.read_text("utf-8")))


@pytest.mark.parametrize(("by", "name"), late())
def test_every_module_that_comes_late_is_there(by: str, name: str) -> None:
    assert find_spec(name) is not None


def test_what_is_asked_of_a_late_module_of_ours_is_written_there() -> None:
    for file in SOURCE.rglob("*.py"):
        text = file.read_text("utf-8")
        for stand_in, module in USED.findall(text):
            spec = find_spec(module)
            assert spec is not None and spec.origin is not None
            written = Path(spec.origin).read_text("utf-8")
            for name in set(re.findall(rf"(?<!\w){stand_in}\.(\w+)", text)):
                assert re.search(rf"^(?:def|async def|class) {name}\b|^{name}\b.*=", written, re.MULTILINE), (
                    f"{file.name}: {module} has no {name}"
                )
