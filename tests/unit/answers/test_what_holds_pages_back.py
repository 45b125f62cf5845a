"""People who wait for a visit hear the true reason and the true time: a pause, a spent budget, a closed window."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.unit.engine.crawls import Crawl, page

from recrawl.answers.chances import Chances, coming, waiting
from recrawl.answers.reading import Reading, reading
from recrawl.cli.rest import rest_of
from recrawl.cli.status import status
from recrawl.cli.week import schedule
from recrawl.cli.why import why
from recrawl.config import Settings
from recrawl.engine.tally import Board
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.schedule.settings import DAY_S

SEED = "http://town.example/"
TOWN = Site("town", (SEED,), own=("town.example",))
ROBOTS = b"User-agent: *\nDisallow: /secret\n"


def answer(path: str) -> Canned:
    if path == "/robots.txt":
        return Canned(ROBOTS)
    return page(path, f"words of {path} and some more of them", ("/a", "/b", "/secret"))


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    """Of 3 pages and a forbidden one, robots.txt and the first are asked for before the budget is spent."""
    made = Crawl(tmp_path, answer)
    made.add(replace(TOWN, requests_per_day=2.0))
    assert made.run() == ["/"]
    return made


@contextmanager
def looked(crawl: Crawl, **wishes: object) -> Iterator[tuple[Reading, float]]:
    """The folder with other wishes, at the moment its last page was checked."""
    crawl.folder.put_site(replace(TOWN, **{"requests_per_day": 2.0, **wishes}))  # type: ignore[arg-type]
    with reading(crawl.folder) as found:
        yield found, max(one.checked_at or 0.0 for one in found.store.scan())


def never_visited(found: Reading) -> Page:
    return next(one for one in coming(found, 10) if not one.visits)


def test_a_spent_budget_is_named_and_opens_with_the_next_day(crawl: Crawl) -> None:
    with looked(crawl) as (found, now):
        chance = Chances(found, now).of(never_visited(found))
        assert [one.says for one in chance.hindrances] == ["the day's budget of town is spent (2 of 2 requests)"]
        assert chance.at == (now // DAY_S + 1) * DAY_S
        held = waiting(found, now)
        assert (held.due, held.at, held.hindrances) == (3, chance.at, chance.hindrances)
        assert "3 pages are due and not asked for" in held.sentence(now) and "run again from" in held.sentence(now)


def test_of_a_budget_below_one_a_day_it_is_said_over_how_many_days_it_is_saved_up(crawl: Crawl) -> None:
    with looked(crawl, requests_per_day=0.2) as (found, now):
        chance = Chances(found, now).of(never_visited(found))
        assert [one.says for one in chance.hindrances] == ["the budget of town is spent (2 of 2 requests in 10 days)"]
        assert chance.at == (now // DAY_S + 10) * DAY_S
        assert "spent in 10 days, town: 2 of 2 requests" in CliRunner().invoke(status, [str(crawl.path)]).output


def test_a_budget_of_nothing_never_opens(crawl: Crawl) -> None:
    with looked(crawl, requests_per_day=0.0) as (found, now):
        held = waiting(found, now)
        assert held.at is None and "is 0 requests" in held.sentence(now)
        assert "until that is changed" in held.sentence(now)


def test_what_is_left_must_pay_for_robots_txt_too_where_it_is_not_known(crawl: Crawl) -> None:
    with looked(crawl, requests_per_day=3.0) as (found, now):
        known = never_visited(found)
        assert Chances(found, now).of(known).hindrances == ()
        chance = Chances(found, now).of(replace(known, url="http://other.example/"))
        assert (chance.at, [one.kind for one in chance.hindrances]) == ((now // DAY_S + 1) * DAY_S, ["budget"])


def test_a_window_that_opens_in_an_hour_is_no_reason_to_wait_for_tomorrow(crawl: Crawl) -> None:
    with looked(crawl, requests_per_day=None) as (_, now):
        noon = now // DAY_S * DAY_S + 12 * 3600.0
    with looked(crawl, requests_per_day=None, windows=("only 13-14",)) as (found, _):
        wanted = replace(never_visited(found), due_at=noon - 60.0)
        chance = Chances(found, noon).of(wanted)
        assert (chance.at, [one.kind for one in chance.hindrances]) == (noon + 3600.0, ["window"])
    with looked(crawl, windows=("only 13-14",)) as (found, _):
        both = Chances(found, noon).of(wanted)
        assert [one.kind for one in both.hindrances] == ["budget", "window"]
        assert both.at == noon + DAY_S + 3600.0


def test_a_pause_and_a_site_file_that_is_gone_hold_everything_back(crawl: Crawl) -> None:
    with looked(crawl, paused=True) as (found, now):
        assert "town is paused" in waiting(found, now).sentence(now)
        assert rest_of(crawl.folder, crawl.settings, Board(1).as_dict(), True).not_due == 1
    (crawl.folder.sites_folder / "town.toml").unlink()
    with reading(crawl.folder) as found:
        assert "'town' has no site file any more" in waiting(found, now).sentence(now)


def test_a_server_that_fails_is_named_with_the_time_it_rests(crawl: Crawl) -> None:
    with looked(crawl, requests_per_day=None) as (found, now):
        before = found.store.server("town.example")
    assert before is not None
    for free_at, says in ((now - 5.0, "3 in a row, not asked since"), (now + 500.0, "3 in a row, asked again in")):
        with closing(open_store(crawl.folder, Settings())) as store:
            store.save(Batch(servers=(replace(before, failures=3, free_at=free_at),)))
        assert says in CliRunner().invoke(status, [str(crawl.path)]).output
    with looked(crawl, requests_per_day=None) as (found, _):
        chance = Chances(found, now).of(never_visited(found))
        assert (chance.at, chance.hindrances[0].kind) == (now + 500.0, "server")


def test_every_face_says_so(crawl: Crawl) -> None:
    def told(command: click.Command, *words: str) -> str:
        done = CliRunner().invoke(command, list(words))
        assert done.exit_code == 0, done.output
        return done.output

    folder = str(crawl.path)
    crawl.folder.put_site(replace(TOWN, requests_per_day=0.0))
    shown = told(schedule, folder)
    assert (
        "never (budget)" in shown and "first visit" in shown and "0.00" not in shown and "held back: the day's" in shown
    )
    assert "held back by" in told(why, "http://town.example/a", "-C", folder)
    [first, *_] = [json.loads(line) for line in told(schedule, folder, "--json").splitlines()]
    assert first["held_back_by"][0]["kind"] == "budget" and first["visit_at"] is None
    assert "due and not asked for: the day's budget of town is 0 requests" in told(status, folder)
    crawl.folder.put_site(TOWN)
    assert sorted(crawl.run()) == ["/a", "/b"]
    for face in (told(status, folder).partition("next:")[2], told(schedule, folder)):
        assert "/a" in face and "/secret" not in face and "held back" not in face
    heads, row, *_ = (line.split() for line in told(status, folder).splitlines())
    shown_of = dict(zip(heads[:4], row[:4], strict=True))
    assert shown_of == {"site": "town", "pages": "3", "known": "4", "due": "0"}
