"""Whatever a crawl does not need it does not load: every run pays for it before its first request."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.flow.conftest import Ran, Site

Start = Callable[..., Site]
Run = Callable[..., Ran]

LOADED = (
    "import atexit, os, sys; from recrawl.cli import main; "
    "atexit.register(lambda: print(*sys.modules, file=open('loaded', 'w'))); sys.argv[0] = 'recrawl'; main()"
)


def loaded(words: Iterable[str], folder: Path) -> set[str]:
    """By the command line, in a process of its own, up to its end."""
    (folder / "loaded").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], cwd=folder, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    return set((folder / "loaded").read_text().split())


@pytest.mark.compiled
def test_neither_a_first_crawl_nor_one_that_finds_changes_loads_what_is_large(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    site = start_site(60)
    recrawl("add", site.url, "--own", "--folder", "D")
    first = loaded(["run", "D", "--once", "--workers", "1"], tmp_path)
    site.change(*sorted(site.paths())[:20])
    again = loaded(["run", "D", "--once", "--workers", "1", "--all"], tmp_path)
    idle = loaded(["run", "D", "--once", "--workers", "1"], tmp_path)
    assert recrawl("status", "D", "--json").lines[0]["pages"] == 60
    assert sum(line["kind"] == "updated" for line in recrawl("changes", "D", "--json").lines) == 20
    for modules in (first, again, idle):
        assert "recrawl.engine.worker" in modules
        assert not {"numpy", "sqlalchemy", "turbohtml", "ada_url", "email"} & modules
