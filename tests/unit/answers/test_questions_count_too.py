"""`robots`, `doctor` and `scope` ask in the server's turn: what they ask counts, and a spent budget is not exceeded."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.unit.towns import Town, serving

from recrawl.cli.doctor import doctor
from recrawl.cli.robots import robots
from recrawl.cli.scope import scope
from recrawl.cli.status import status
from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.batch import Batch
from recrawl.model.failure import StoreInUse, WorkLeft
from recrawl.model.server import RobotsFile
from recrawl.model.site import Site

ROBOTS = "User-agent: *\nDisallow: /secret\n"
LINKS = "<html><body>" + "".join(f'<a href="/{one}">page {one}</a>' for one in range(20)) + "</body></html>"


@pytest.fixture
def town() -> Iterator[Town]:
    with serving(lambda _: LINKS, (200, ROBOTS)) as town:
        yield town


def folder_of(town: Town, path: Path, **wishes: object) -> Folder:
    folder = Folder(path)
    folder.create("")
    folder.put_site(Site("town", (town.url,), own=(town.name,), **wishes))  # type: ignore[arg-type]
    return folder


def judged(town: Town, folder: Folder, *options: str) -> str:
    done = CliRunner().invoke(robots, [town.url + "secret", "--folder", str(folder.path), *options])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 5, done.output
    return done.output


def looked(town: Town, folder: Folder, command: str, *options: str) -> Result:
    file = folder.sites_folder / "town.toml"
    words = {"check": ["check", town.url, "--site", str(file)], "learn": ["learn", town.url, "--own"]}
    done = CliRunner().invoke(scope, [*words[command], *options])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def spent(folder: Folder) -> int:
    [told] = json.loads(CliRunner().invoke(status, [str(folder.path), "--json"]).stdout.splitlines()[0])["budgets"]
    return int(told["requests"])


def finding(folder: Folder) -> str:
    done = CliRunner().invoke(doctor, [str(folder.path), "--json"])
    return next(str(one["says"]) for one in map(json.loads, done.stdout.splitlines()) if one["check"] == "robots")


def test_what_is_asked_outside_a_crawl_counts_and_a_spent_budget_is_kept(town: Town, tmp_path: Path) -> None:
    folder = folder_of(town, tmp_path, requests_per_day=0.0)
    assert "budget is spent" in finding(folder)
    with pytest.raises(WorkLeft, match="the day's budget is spent"):
        judged(town, folder)
    assert town.asked == []
    assert "Disallow: /secret" in judged(town, folder, "--beyond-budget")
    folder_of(town, tmp_path, requests_per_day=1e6)
    judged(town, folder)
    assert "answered 200" in finding(folder)
    assert town.asked == ["/robots.txt"] * 3


def test_looking_at_a_page_counts_and_asks_for_robots_txt_only_if_no_fresh_copy_is_kept(
    town: Town, tmp_path: Path
) -> None:
    folder = folder_of(town, tmp_path, requests_per_day=3.0)
    assert "20 links" in looked(town, folder, "check").output
    assert town.asked == ["/robots.txt", "/"] and spent(folder) == 2
    with closing(open_store(folder, Settings())) as store:
        now = time.time()
        store.save(Batch(robots=(RobotsFile(town.url + "robots.txt", now, 200, ROBOTS.encode(), now + 3600.0),)))
    looked(town, folder, "check")
    assert town.asked[2:] == ["/"] and spent(folder) == 3
    with pytest.raises(WorkLeft, match="the day's budget is spent"):
        looked(town, folder, "check")
    looked(town, folder, "check", "--beyond-budget")
    assert town.asked[3:] == ["/"] and spent(folder) == 3


def test_learning_ends_with_the_budget_and_tells_what_it_learnt(town: Town, tmp_path: Path) -> None:
    folder = folder_of(town, tmp_path, requests_per_day=6.0)
    done = looked(town, folder, "learn", "--folder", str(tmp_path))
    assert len(town.asked) == 6 == spent(folder)
    assert "budget is spent" in done.stderr and "seeds" in done.stdout
    with folder.locked(), pytest.raises(StoreInUse):
        looked(town, folder, "learn", "--folder", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    looked(town, folder, "learn", "--folder", str(elsewhere), "--sample", "5")
    assert len(town.asked) > 6 == spent(folder) and not elsewhere.exists()


def test_beside_a_run_the_server_is_left_to_it(town: Town, tmp_path: Path) -> None:
    folder = folder_of(town, tmp_path)
    with folder.locked(), pytest.raises(StoreInUse):
        judged(town, folder)
    assert town.asked == []
    judged(town, folder)
    assert town.asked == ["/robots.txt"]


def test_outside_its_window_a_server_is_left_in_peace(town: Town, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    days = " ".join(f"{now + timedelta(days=ahead):%A}".lower() for ahead in (-1, 0, 1))
    folder = folder_of(town, tmp_path, windows=(f"not {days}",))
    with pytest.raises(WorkLeft, match="the window of town is closed"):
        judged(town, folder)
    assert "window of town is closed" in finding(folder) and town.asked == []
