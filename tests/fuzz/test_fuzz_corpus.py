"""What once crashed a reader does not crash it again; `make fuzz` looks for more."""

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS, run

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(file for file in CORPUS.glob("*/*") if file.is_file())


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_this_input_is_read_or_refused_with_a_reason(file: Path) -> None:
    run(file.parent.name, file.read_bytes())


def test_every_reader_has_a_target_and_seeds_or_needs_none() -> None:
    assert {file.parent.name for file in FILES} <= set(TARGETS)
    assert len(TARGETS) >= 20
