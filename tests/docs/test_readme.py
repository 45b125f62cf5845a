"""Every code block of the README and of the start page is carried out."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.sessions import ROOT, Block, Session, blocks
from tests.flow.conftest import Site

README, START = ROOT / "README.md", ROOT / "docs" / "start.md"
RUN = frozenset({"console", "sh", "python"})


def test_the_session_in_the_readme_is_true(start_site: Callable[..., Site], tmp_path: Path) -> None:
    site = start_site(120, "--noisy", "4", "--traps", "1")
    session = Session(site, tmp_path, ("/p/7.html", "/p/30.html", "/p/44.html"))
    for block in blocks(README):
        assert block.language in RUN
        session.follow(block)
    assert len(session.ran) == 9


def test_every_block_of_the_start_page_does_what_it_says(
    start_site: Callable[..., Site], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = start_site(40)
    session = Session(site, tmp_path, ("/p/7.html", "/p/12.html", "/p/30.html"))
    monkeypatch.chdir(tmp_path)
    for block in blocks(START):
        assert block.language in RUN
        if block.language == "python":
            python(block, site)
        else:
            session.follow(block)
    assert len(session.ran) == 13
    assert "added http" in capsys.readouterr().out.replace("EventKind.ADDED", "added")


def python(block: Block, site: Site) -> None:
    """As it stands, but for the site."""
    text = block.text.replace('"https://docs.example.com/", depth=2', f'"{site.url}", own=True, depth=1')
    assert site.url in text and "asyncio.run(main())" in text
    space: dict[str, object] = {"__name__": "__main__", "asyncio": asyncio}
    exec(compile(text, "start.md", "exec"), space)


def test_the_two_commands_of_the_first_screen_are_targets_of_the_makefile() -> None:
    first_screen = README.read_text("utf-8").splitlines()[:12]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = [line.split()[1] for line in first_screen if line.startswith("make ")]
    assert named == ["demo", "test"]
    assert set(named) <= set(targets)
