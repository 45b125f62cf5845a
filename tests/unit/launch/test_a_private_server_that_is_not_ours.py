"""A private address that nobody listed as their own is not asked: every face says so, and once it is listed it is."""

import json
from pathlib import Path

from click.testing import CliRunner
from tests.unit.towns import serving

from recrawl.cli.status import status
from recrawl.cli.why import why
from recrawl.config import Operator, Schedule, Settings
from recrawl.engine.worker import Order
from recrawl.folder.folder import Folder
from recrawl.launch.run import Ended, run
from recrawl.model.failure import NothingAllowed
from recrawl.model.site import Site

SAID = "not asked, since 127.0.0.1 leads to 127.0.0.1 (loopback); list it under `own` if it is yours"


def crawled(folder: Folder, schedule: Schedule = Schedule()) -> Ended:
    return run(
        folder,
        Settings(operator=Operator("tests@example.org"), schedule=schedule),
        Order(once=True),
        1,
        lambda _: None,
        make_all_due=False,
    )


def test_it_is_not_asked_and_nothing_else_is_said_of_it(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("")
    with serving(str) as town:
        folder.put_site(Site("town", (town.url,)))
        ended = crawled(folder)
        assert (ended.code, town.asked) == (NothingAllowed.exit_code, [])
        assert f"{town.name}: {SAID}; nothing will be asked for until that is changed" in ended.sentence
        assert ended.counts["requests"] == ended.counts["failed"] == 0
    told = CliRunner().invoke(status, [str(tmp_path)]).output
    assert f"{town.name}: {SAID}; nothing will be asked" in told and "failing" not in told and "could not" not in told
    facts = json.loads(CliRunner().invoke(why, [town.url, "--folder", str(tmp_path), "--json"]).output)
    assert facts["held_back_by"] == [{"kind": "address", "says": f"{town.name}: {SAID}", "until_at": None}]
    assert facts["visit_at"] is None and facts["robots"] == {"allowed": False, "because": f"{SAID}."}


def test_listed_as_our_own_it_is_asked_by_the_next_run(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("")
    with serving(str) as town:
        folder.put_site(Site("town", (town.url,)))
        crawled(folder)
        folder.put_site(Site("town", (town.url,), own=(town.name,)))
        assert (crawled(folder).code, town.asked) == (0, ["/robots.txt", "/"])


def test_a_server_that_does_not_answer_is_said_to_be_what_it_is(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create("")
    with serving(str) as town:
        pass
    folder.put_site(Site("town", (town.url,), own=(town.name,)))
    ended = crawled(folder)
    assert "robots.txt could not be read (" in ended.sentence and "no answer" not in ended.sentence


def test_it_takes_nothing_from_the_budget(tmp_path: Path) -> None:
    """Nothing was sent: the day's two requests are there for others."""
    folder, two = Folder(tmp_path), Schedule(requests_per_day=2)
    folder.create("")
    with serving(str) as town, serving(str) as ours:
        folder.put_site(Site("a", (town.url,)))
        crawled(folder, two)
        folder.put_site(Site("b", (ours.url,), own=(ours.name,)))
        crawled(folder, two)
        assert (town.asked, ours.asked) == ([], ["/robots.txt", "/"])
