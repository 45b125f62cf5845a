"""Programs in the how-to pages are run as they stand."""

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from recrawl.ports import Policy
from recrawl.schedule import Diary, Look, policy
from tests.docs.sessions import ROOT, blocks
from tests.flow import test_scrapy_revisits as scrapy_flow
from tests.flow.conftest import Site

HOWTO = ROOT / "docs" / "howto"


def programs(name: str) -> list[str]:
    return [block.text for block in blocks(HOWTO / name) if block.language == "python"]


def test_the_crawler_of_one_s_own_asks_only_for_what_is_due(
    start_site: Callable[..., Site], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (text,) = programs("own-crawler.md")
    assert len([line for line in text.splitlines() if line.strip()]) <= 20
    site = start_site(4)
    monkeypatch.chdir(tmp_path)
    Path("pages.txt").write_text("\n".join(site.url + path.lstrip("/") for path in sorted(site.paths())))
    program = tmp_path / "mine.py"
    program.write_text(text)
    runpy.run_path(str(program))
    assert len(site.pages_asked()) == 4 and capsys.readouterr().out.count("changed") == 4
    runpy.run_path(str(program))
    assert len(site.pages_asked()) == 4 and capsys.readouterr().out == ""


def test_the_policy_of_one_s_own_keeps_the_laws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = programs("write-a-policy.md")
    (tmp_path / "my_policy.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    mine = policy("my_policy:SquareRoot")
    assert isinstance(mine, Policy)
    diary, now = Diary(mine, 10.0, 0.0), 1e9
    for visit in range(20):
        diary.saw([Look("calm", now + visit * 86_400), Look("lively", now + visit * 86_400, changed=True)])
    gaps_s = np.array([(diary.due_at(name) or 0.0) - now - 19 * 86_400 for name in ("calm", "lively")])
    assert (gaps_s > 0).all() and gaps_s[0] > 2 * gaps_s[1]
    sys.modules.pop("my_policy")


def test_the_two_settings_lines_for_scrapy_are_those_that_are_tested() -> None:
    settings, callback = programs("scrapy.md")
    assert settings.split() == scrapy_flow.SETTINGS.split()
    compile(callback, "scrapy.md", "exec")
