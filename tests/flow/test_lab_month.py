"""A simulated month is the same for the same seed, in another process and under another hash seed."""

import os
import subprocess
from pathlib import Path

from tests.flow.conftest import RECRAWL


def month(folder: Path, name: str, seed: int, hash_seed: str, days: int = 30) -> tuple[bytes, bytes]:
    subprocess.run(
        [
            *RECRAWL, "lab", "month", "--days", str(days), "--pages", "5", "--seed", str(seed),
            "--events", f"{name}.events", "--requests", f"{name}.requests",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return (folder / f"{name}.events").read_bytes(), (folder / f"{name}.requests").read_bytes()


def test_the_same_seed_gives_the_same_month_twice_byte_for_byte(tmp_path: Path) -> None:
    first, again = month(tmp_path, "a", 4, "1"), month(tmp_path, "b", 4, "2")
    assert first == again
    assert len(first[0].splitlines()) > 100
    assert month(tmp_path, "c", 5, "1", days=3) != month(tmp_path, "d", 4, "1", days=3)
