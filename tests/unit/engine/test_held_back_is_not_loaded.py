"""A run that goes round once does not load what it may not ask for, and says all the same what holds it back; one that
stays loads no more of it than a crowd."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, noon, page

from recrawl.config import Schedule, Settings
from recrawl.engine.asking.put_off import PutOff
from recrawl.engine.scheduling.scheduler import Scheduler
from recrawl.engine.scheduling.spending import Purse
from recrawl.engine.tally import Count
from recrawl.engine.worker import Order
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.frontier.queue import Frontier
from recrawl.frontier.reach import Reach
from recrawl.launch.run import run
from recrawl.model.address import fingerprint, server_of
from recrawl.model.batch import Batch
from recrawl.model.failure import WorkLeft
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.schedule import policy
from recrawl.store.memory import MemoryStore

PAGES = 300
HOSTS = ("north.test", "south.test")
NOON_AT = 20_000.5 * 86_400.0
LITTLE = Reach(capacity=100, crowd=200, queue=20, load=20, least=5)


def answer(path: str) -> Canned:
    return Canned(b"") if path == "/robots.txt" else page(path, f"words of {path}")


def site(name: str = "town", **wishes: object) -> Site:
    return Site(name, (f"http://{HOSTS[0]}/{name}",), own=HOSTS, **wishes)  # type: ignore[arg-type]


def crawl_of(path: Path, *sites: Site, hosts: tuple[str, ...] = HOSTS[:1], **limits: float) -> Crawl:
    """Of the first site more pages are due than may wait in memory."""
    settings = Settings(schedule=Schedule(**limits))  # type: ignore[arg-type]
    crawl = Crawl(path, answer, settings, reach=LITTLE, clock=noon())
    crawl.add(*sites)
    urls = [f"http://{host}/{number}" for number in range(PAGES) for host in hosts]
    due = [Page(fingerprint(url), url, server_of(url), sites[0].name, found_at=1.0, due_at=1.0) for url in urls]
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        store.save(Batch(entered=tuple(due)))
    return crawl


def held(crawl: Crawl) -> int:
    assert crawl.worker is not None and crawl.worker.tally[Count.HELD_BACK]
    return crawl.worker.frontier.held


def closed_now() -> tuple[str]:
    now = datetime.now(UTC)
    return (f"not {' '.join(f'{now + timedelta(days=ahead):%A}'.lower() for ahead in (-1, 0, 1))}",)


@pytest.mark.parametrize("budget", [0, 1, 2, 5, 40])
def test_when_the_budget_is_spent_no_more_pages_are_loaded(tmp_path: Path, budget: int) -> None:
    crawl = crawl_of(tmp_path, site(), requests_per_day=budget)
    crawl.run()
    assert len(crawl.asked) == budget and held(crawl) <= LITTLE.queue + 1
    assert crawl.run() == [] and held(crawl) <= 1


def test_a_closed_window_and_spent_bytes_hold_pages_back_as_well(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path / "window", site(windows=closed_now()))
    assert crawl.run() == [] and held(crawl) <= 1
    crawl = crawl_of(tmp_path / "bytes", site(), bytes_per_day=1000)
    assert crawl.run() and held(crawl) <= LITTLE.queue + 1


@pytest.mark.parametrize("limits", [{"requests_per_day": 0}, {"requests_per_day": 40}, {"bytes_per_day": 3000}])
def test_a_run_that_stays_holds_no_more_than_a_crowd_of_them(tmp_path: Path, limits: dict[str, float]) -> None:
    hosts = tuple(f"h{number}.test" for number in range(12))
    town = Site("town", ("http://h0.test/town",), own=hosts)
    crawl = crawl_of(tmp_path, town, hosts=hosts, **limits)
    crawl.run(Order(for_s=2.0, poll_s=0.01))
    assert LITTLE.crowd <= held(crawl) <= LITTLE.crowd + LITTLE.queue < PAGES * len(hosts)


def test_a_run_that_is_full_of_pages_held_back_still_finds_those_of_other_sites(tmp_path: Path) -> None:
    hosts = tuple(f"h{number}.test" for number in range(12))
    town = Site("town", ("http://h0.test/town",), own=hosts, requests_per_day=0.0)
    crawl = crawl_of(tmp_path, town, site("village"), hosts=hosts)
    assert crawl.run(Order(for_s=2.0, poll_s=0.01)) == ["/village"]
    crawl.make_all_due()
    assert crawl.run(Order(for_s=2.0, poll_s=0.01)) == ["/village"]


def test_pages_of_others_on_the_same_server_are_found_behind_those_held_back(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, site(requests_per_day=0.0), site("village"))
    assert crawl.run() == ["/village"] and held(crawl) <= 1
    crawl.make_all_due()
    assert crawl.run() == ["/village"] and held(crawl) <= 1


def test_where_only_robots_txt_would_be_paid_for_its_pages_are_not_loaded(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, site(), hosts=HOSTS, requests_per_day=3)
    assert len(crawl.run()) == 2 and crawl.asked.count("/robots.txt") == 1
    assert held(crawl) <= 2 * LITTLE.queue + 1


def test_when_what_was_set_aside_is_free_again_a_server_of_which_nothing_was_loaded_is_called() -> None:
    frontier, store, town = Frontier(), MemoryStore(), site()
    scheduler = Scheduler(policy("value"), [town], Purse(requests_per_day=3), store)
    put_off = PutOff(frontier, scheduler.rations)
    assert scheduler.rations.promise(HOSTS[0], town.name, NOON_AT)
    assert not scheduler.rations.can_promise(town.name, NOON_AT, HOSTS[1])
    put_off.leave(Page(1, f"http://{HOSTS[1]}/", HOSTS[1], town.name, due_at=1.0), NOON_AT)
    put_off.call(NOON_AT)
    assert not frontier.hungry()
    assert scheduler.rations.forget_promise(HOSTS[0])
    put_off.call(NOON_AT)
    assert frontier.hungry() and frontier.queue(HOSTS[1]).is_low


def test_the_end_says_what_holds_them_back_and_until_when(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, site(requests_per_day=0.0), site("village", windows=closed_now()))
    ended = run(crawl.folder, crawl.settings, Order(once=True), 1, lambda _: None, make_all_due=False)
    assert ended.code == WorkLeft.exit_code
    assert f"{PAGES + 2} pages are due and not asked for: the day's budget of town is 0 requests" in ended.sentence
    assert "the window of village is closed" in ended.sentence and "run again from" in ended.sentence


def test_nothing_is_said_of_a_closed_site_of_which_nothing_is_due(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, answer)
    crawl.add(site())
    assert crawl.run() == ["/town"]
    crawl.add(site(windows=closed_now()))
    ended = run(crawl.folder, crawl.settings, Order(once=True), 1, lambda _: None, make_all_due=False)
    assert (ended.code, ended.sentence) == (0, "")
