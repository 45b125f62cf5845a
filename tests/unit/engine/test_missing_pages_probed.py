"""A server that answers 200 to anything is asked once for what cannot exist, and what it shows then is no page."""

from pathlib import Path

import pytest
from tests.unit.engine.crawls import Answer, Crawl, page

from recrawl.answers.reading import reading
from recrawl.config import Detect, Settings
from recrawl.fetch.memory import Canned
from recrawl.model.page import Status
from recrawl.model.site import Kind, Site

SHOP = Site("shop", ("http://127.0.0.1:1/",), own=("127.0.0.1:1",))
PROBING = Settings(detect=Detect(probe_missing=True))
LINKS = ("/lamp", "/chair", "/sold-out")
GOODS = {
    "/lamp": page("A lamp", "A lamp of brass with a green shade that stands on any desk in the house." * 4),
    "/chair": page("A chair", "A chair of oak that has stood in the same kitchen for a hundred years." * 4),
}
LANDING = page("The shop", "Have a look at our offers of the week while you are here, there is much to see.")
HOME = page("The shop of all things", "Welcome to the shop, where everything stands on its shelf and waits.", LINKS)


def _honest(path: str) -> Canned:
    return HOME if path == "/" else GOODS.get(path, Canned(b"", 404, ()))


def _obliging(path: str) -> Canned:
    return HOME if path == "/" else GOODS.get(path, Canned(b"", 404, ()) if path == "/robots.txt" else LANDING)


def _statuses(crawl: Crawl) -> dict[str, Status]:
    with reading(crawl.folder) as found:
        pages = found.store.scan(limit=100)
    return {"/" + one.url.split("/", 3)[3]: one.status for one in pages if one.kind is not Kind.SIGNAL}


def _probes(paths: list[str]) -> int:
    return sum("missing" in path for path in paths)


def test_what_an_obliging_server_shows_for_nothing_is_not_kept_as_a_page(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "crawl", _obliging, PROBING)
    crawl.add(SHOP)
    first = crawl.run()
    assert _probes(first) == 1
    crawl.answer = lambda path: LANDING if path == "/lamp" else _obliging(path)  # and now the lamp is gone, too
    crawl.make_all_due()
    again = crawl.run()
    assert _probes(again) == 0
    assert "/lamp" in again
    statuses = _statuses(crawl)
    assert (statuses["/lamp"], statuses["/chair"]) == (Status.LIVE, Status.LIVE)
    with reading(crawl.folder) as found:
        assert found.page("http://127.0.0.1:1/lamp").reason.startswith("a page that says not found")


@pytest.mark.parametrize("answer", [_honest, _obliging])
def test_nobody_is_probed_unless_the_settings_ask_for_it(tmp_path: Path, answer: Answer) -> None:
    crawl = Crawl(tmp_path / "crawl", answer)
    crawl.add(SHOP)
    assert _probes(crawl.run()) == 0
    assert set(_statuses(crawl)) == {"/", *LINKS}


def test_an_application_that_shows_the_same_to_everybody_is_not_taken_for_an_error(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "crawl", lambda path: Canned(b"", 404, ()) if path == "/robots.txt" else HOME, PROBING)
    crawl.add(SHOP)
    assert _probes(crawl.run()) == 1
    assert set(_statuses(crawl).values()) == {Status.LIVE}


def test_a_server_whose_robots_txt_refuses_the_probe_is_not_asked(tmp_path: Path) -> None:
    robots = Canned(b"User-agent: *\nDisallow: /recrawl\n", 200, (("content-type", "text/plain"),))
    crawl = Crawl(tmp_path / "crawl", lambda path: robots if path == "/robots.txt" else _obliging(path), PROBING)
    crawl.add(SHOP)
    assert _probes(crawl.run()) == 0
