"""Without memory the compiled part says so, and nothing worse."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("_testcapi", reason="refuses memory; some distributions leave it out")


@pytest.mark.compiled
def test_whatever_is_refused_the_compiled_part_raises_or_answers() -> None:
    words = [sys.executable, "-m", "tests.fuzz.starved"]
    done = subprocess.run(words, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "no complaint" in done.stdout
