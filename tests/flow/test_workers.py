"""Several workers on one folder: links cross, the dead come back, all end together."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from recrawl.config import State
from recrawl.lab.requests_log import overlapping
from recrawl.model.address import partition_of, server_of
from tests.flow.conftest import RECRAWL, Ran, Site
from tests.flow.nursery import fork

Start = Callable[..., Site]
Run = Callable[..., Ran]


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_worker_that_dies_is_started_again_and_nothing_is_lost(
    start_site: Start, recrawl: Run, tmp_path: Path
) -> None:
    sites = [start_site(60, "--delay", "0.02") for _ in range(4)]
    for number, site in enumerate(sites):
        recrawl("add", site.url, "--own", "--name", f"s{number}", "--folder", "D")
    process = fork("recrawl", ["run", "D", "--once", "--workers", "3"], tmp_path, Path(os.devnull))
    while sum(len(site.requests()) for site in sites) < 40:
        time.sleep(0.02)
    os.kill(children(process.pid)[0], signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    for site in sites:
        asked = Counter(site.pages_asked())
        assert set(asked) == site.paths()
        assert sum(asked.values()) - len(asked) <= 20
    [status] = recrawl("status", "D", "--json").lines
    assert status["pages"] == status["versions"] == 240


@pytest.mark.parametrize("budget", [0, 5000], ids=["without a budget", "within a budget"])
def test_a_worker_with_nothing_left_is_given_servers_of_one_with_too_much(
    start_site: Start, recrawl: Run, tmp_path: Path, budget: int
) -> None:
    """Four servers alike are split two and two; then those of one worker have nothing to ask for. Within a budget each
    keeps its own: one that has nothing left may have spent its part."""
    pages, apart = 250, dict[int, Site]()
    while len(apart) < 4:
        site = start_site(pages, "--delay", "0.002")
        apart.setdefault(partition_of(server_of(site.url), State().partitions), site)
    sites = [apart[partition] for partition in sorted(apart)]
    for number, site in enumerate(sites):
        recrawl("add", site.url, "--own", "--name", f"s{number}", "--folder", "D")
    recrawl("run", "D", "--once", "--workers", "2")
    for number in (1, 3):
        with (tmp_path / "D" / "sites" / f"s{number}.toml").open("a") as file:
            file.write("\npaused = true\n")
    if budget:
        settings = tmp_path / "D" / "recrawl.toml"
        said = settings.read_text()
        settings.write_text(said.replace("[schedule]", f"[schedule]\nrequests_per_day = {budget}"))
        assert settings.read_text() != said
    before = [len(site.requests()) for site in sites]
    recrawl("run", "D", "--once", "--all", "--workers", "2")
    asked = [site.requests()[known:] for site, known in zip(sites, before, strict=True)]
    assert [len(requests) for requests in asked] == [pages, 0, pages, 0]
    for requests in asked:
        assert len({request.path for request in requests}) == len(requests)
        assert not overlapping(requests)
    told = [json.loads(line) for line in (tmp_path / "D" / "recrawl.log").read_text().splitlines()]
    shares = [event["facts"]["visits"] for event in told if event["kind"] == "stopped"][-2:]
    assert sum(shares) == 2 * pages
    assert min(shares) > pages // 5 if not budget else min(shares) == 0


DEADLY = """
import os
from recrawl.engine.asking import revisit

harmless = revisit.parse

def parse(body, content_type, url, *rest, **more):
    if url.endswith("/p/7.html"):
        os.abort()
    return harmless(body, content_type, url, *rest, **more)

revisit.parse = parse
"""


@pytest.mark.parametrize("shared", [False, True], ids=["in a folder", "in a cluster"])
def test_a_page_at_which_every_worker_dies_costs_that_page_and_no_other(
    start_site: Start,
    recrawl: Run,
    tmp_path: Path,
    postgres_dsn: str,
    shared: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A parser that crashes takes the process with it."""
    sites = [start_site(20) for _ in range(2)]
    for number, site in enumerate(sites):
        recrawl("add", site.url, "--own", "--name", f"s{number}", "--folder", "D")
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    if shared:
        monkeypatch.setenv("RECRAWL_STORE", postgres_dsn)
        with (tmp_path / "D" / "recrawl.toml").open("a") as settings:
            settings.write("\n[cluster]\nlease_s = 3.0\n")  # each that dies is waited for
        recrawl("db", "init", postgres_dsn)
    searched = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    words = [*RECRAWL, "run", "D", "--once", "--workers", "2", "--json"]
    ran = subprocess.run(
        words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": searched}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "a fault of recrawl itself cost a page" in ran.stderr and "(2 in all)" in ran.stderr
    [status] = recrawl("status", "D", "--json").lines
    assert status["pages"] == 2 * 20 - 2
    [why] = recrawl("why", f"{sites[0].url}p/7.html", "--folder", "D", "--json").lines
    assert "died 3 times in a row" in str(why["reason"])
