"""What the commands say of a crawl with an overloaded server: why, status, plan, schedule, rhythm."""

import json
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from recrawl.cli.changes import changes
from recrawl.cli.export import export
from recrawl.cli.plan import plan
from recrawl.cli.search import search
from recrawl.cli.status import status
from recrawl.cli.week import rhythm, schedule
from recrawl.cli.why import why
from recrawl.config import Settings
from recrawl.engine.scheduling.scheduler import LEAST_BUDGET
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.lab.month import simulate
from recrawl.lab.tempers import Poisson
from recrawl.lab.world import START_AT, World
from recrawl.lab.world_parts import PageSpec, Robots, ServerSpec
from recrawl.model.failure import RecrawlError
from recrawl.model.site import Site
from recrawl.schedule.week import DAYS

HOUR_S = 3600.0
DELAY_S = 7200.0
BUSY = "http://busy.test/0.html"


def _server(name: str, mean_s: float, robots: Robots) -> ServerSpec:
    return ServerSpec(name, pages=tuple(PageSpec(f"/{n}.html", Poisson(mean_s)) for n in range(8)), robots=robots)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Days of two servers: one at ease, one with fast pages that wants two hours between requests."""
    folder = Folder(tmp_path_factory.mktemp("crawl") / "folder")
    folder.create("")
    folder.put_site(Site("world", ("http://calm.test/", "http://busy.test/")))
    store = open_store(folder, Settings())
    servers = (
        _server("calm", 48 * HOUR_S, Robots(sitemap=False)),
        _server("busy", 4 * HOUR_S, Robots(sitemap=False, crawl_delay_s=DELAY_S)),
    )
    simulate(World(3, servers, START_AT), 3, 8.0, store=store)
    store.close()
    return folder.path


def _told(command: click.Command, *words: str) -> str:
    told = CliRunner().invoke(command, list(words))
    assert told.exit_code == 0, told.output
    return told.output


def _lines(command: click.Command, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _told(command, *words, "--json").splitlines()]


def test_status_and_why_say_by_how_much_an_overloaded_server_is_thinned(crawled: Path) -> None:
    (troubled,) = _lines(status, str(crawled))[0]["troubled_servers"]
    relief = troubled["relief"]
    assert troubled["server"].startswith("busy")
    assert relief["allowed_per_day"] == pytest.approx(86_400 / DELAY_S)
    assert relief["thinned_share"] == pytest.approx(1 - relief["allowed_per_day"] / relief["wanted_per_day"], abs=5e-3)
    assert 0.0 < relief["thinned_share"] < 1.0 and relief["price"] > 0.0
    share = f"{relief['thinned_share']:.0%} of the visits are thinned out"
    assert share in _told(status, str(crawled))
    assert share in _told(why, BUSY, "--folder", str(crawled))
    assert _lines(why, BUSY, "--folder", str(crawled))[0]["server"]["relief"] == relief


def test_why_tells_rate_price_and_which_visits_moved_the_belief(crawled: Path) -> None:
    (told,) = _lines(why, BUSY, "--folder", str(crawled))
    value = told["value"]
    assert value["rate_from"] <= value["rate_per_day"] <= value["rate_to"]
    assert value["server_price"] > 0.0
    assert set(told["other_policies"]) >= {"static", "groups", "poisson", "nutch", "stormcrawler", "lambdacrawl"}
    for step in told["moved_by"]:
        assert (step["rate_after"] > step["rate_before"]) == step["changed"]
    assert len(told["moved_by"]) >= 3
    said = _told(why, BUSY, "--folder", str(crawled))
    assert "because its server is overloaded" in said and "moved by" in said


def test_a_plan_marks_where_we_are_and_what_half_and_double_would_do(crawled: Path) -> None:
    (every, *_) = _lines(plan, str(crawled), "--target", "0.9")
    assert every["half"]["freshness"] < every["double"]["freshness"]
    assert every["double"]["requests_per_day"] <= 2 * every["here"]["requests_per_day"] * 1.001
    assert every["asked"]["freshness"] >= 0.9
    assert every["half"]["delay_days"] > every["double"]["delay_days"]
    said = _told(plan, str(crawled))
    assert "half" in said and "double" in said and "as many as now" in said


def test_where_a_plan_says_we_are_is_never_beyond_the_budget(crawled: Path, tmp_path: Path) -> None:
    free = tmp_path / "free"
    shutil.copytree(crawled, free)
    (before, *_) = _lines(plan, str(free))
    assert before["here"]["requests_per_day"] <= max(before["pages"] / 7, LEAST_BUDGET) * 1.001
    bound = before["here"]["requests_per_day"] / 3
    with (free / "recrawl.toml").open("a") as file:
        file.write(f"\n[schedule]\nrequests_per_day = {bound}\n")
    (after, *_) = _lines(plan, str(free))
    assert after["here"]["requests_per_day"] == pytest.approx(bound, rel=1e-3)
    assert after["here"]["freshness"] < before["here"]["freshness"]


def test_the_week_of_any_policy_is_a_table_of_weekday_time_and_addresses(crawled: Path) -> None:
    rows = _lines(schedule, str(crawled), "--week")
    days = {"every day", *DAYS, *(f"{nth} {day}" for nth in ("1st", "2nd", "3rd", "4th") for day in DAYS)}
    assert rows and {row["day"] for row in rows} <= days
    assert all(row["time"].endswith(":00") and row["urls"] for row in rows)
    groups = _lines(schedule, str(crawled), "--week", "--by", "groups")
    assert {url for row in groups for url in row["urls"]} >= {BUSY}


def test_the_rhythm_counts_every_change_found(crawled: Path) -> None:
    (told,) = _lines(rhythm, "world", "--folder", str(crawled))
    assert len(told["changes"]) == 7 and all(len(day) == 24 for day in told["changes"])
    assert sum(map(sum, told["changes"])) == _lines(status, str(crawled))[0]["changed"]


@pytest.mark.parametrize(
    ("command", "words", "says"),
    [
        (plan, ["--site", "nowhere"], "there is no site 'nowhere' here; there are: world"),
        (schedule, ["--week", "--site", "nowhere"], "there is no site 'nowhere' here"),
        (changes, ["--site", "nowhere"], "there is no site 'nowhere' here"),
        (export, ["--site", "nowhere"], "there is no site 'nowhere' here"),
        (schedule, ["--site", "wrld"], "did you mean 'world'?"),
        (rhythm, ["nowhere"], "there is no site 'nowhere' here; there are: world"),
        (search, ["site:nowhere", "page"], "there is no site 'nowhere' here; there are: world"),
        (search, ["page", "kind:odd"], "there are general, list, detail"),
        (search, ["page", "since:soon"], "(column 6 of the question)"),
        (export, ["--output", "no-such-folder/x.csv"], "make it first"),
        (search, ["--site", "nowhere"], "search has no option --site"),
        (plan, ["--budget", "10", "--target", "0.9"], "name one"),
    ],
)
def test_what_cannot_be_answered_is_said(crawled: Path, command: click.Command, words: list[str], says: str) -> None:
    told = CliRunner().invoke(command, ["--folder", str(crawled), *words])
    assert isinstance(told.exception, RecrawlError) and says in str(told.exception)
    assert told.exception.exit_code == 2


def test_a_quotation_mark_that_stands_alone_is_told(crawled: Path) -> None:
    told = CliRunner().invoke(search, ["--folder", str(crawled), 'pages "of'])
    assert told.exit_code == 0 and "the quotation mark at column 7 is not closed" in told.stderr
