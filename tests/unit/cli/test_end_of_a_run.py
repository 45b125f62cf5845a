"""What a run says at its end."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.cli.rest import Rest
from recrawl.cli.run import summary, tell_end
from recrawl.engine.tally import Board
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.launch.run import Ended
from recrawl.model.site import Site


def test_faults_of_recrawl_itself_are_shown_and_not_only_counted(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Board(1).as_dict()
    tell_end(Ended(0, counts), False, Rest())
    assert not capsys.readouterr().err
    tell_end(Ended(0, {**counts, "errors": 2}), False, Rest())
    assert "recrawl.log" in (said := capsys.readouterr().err) and "2 in all" in said


def test_what_is_not_there_has_not_failed_and_status_says_the_same(tmp_path: Path) -> None:
    answers = {
        "/": page("start", "words of the first page", ("/lost", "/gone", "/shut", "/down", "/round")),
        "/lost": Canned(b"no such page", 404),
        "/gone": Canned(b"no such page", 410),
        "/shut": Canned(b"not for you", 403),
        "/down": Canned(b"oh dear", 500),
        "/round": Canned(b"", 302, (("Location", "/round"),)),
        "/robots.txt": Canned(b"", 404),
    }
    crawl = Crawl(tmp_path, answers.__getitem__)
    crawl.add(Site("town", ("http://town.example/",), own=("town.example",)))
    crawl.run()
    assert crawl.worker is not None
    assert (
        "6 visits: 1 new, 0 changed, 0 unchanged (0 by 304), 0 moved, 0 gone, 2 not found, 1 undecided, 2 failed"
        in (summary(crawl.worker.tally.as_dict()))
    )
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        assert (store.totals().visits, store.totals().failed) == (6, 2)


def test_a_robots_txt_that_cannot_be_had_is_no_visit_that_failed(tmp_path: Path) -> None:
    """Neither at the end of the run nor in the status."""
    answers = {"/": page("start", "words of the first page"), "/robots.txt": Canned(b"oh dear", 500)}
    crawl = Crawl(tmp_path, answers.__getitem__)
    crawl.add(Site("town", ("http://town.example/",), own=("town.example",)))
    crawl.run()
    assert crawl.worker is not None
    counts = crawl.worker.tally.as_dict()
    assert "0 visits" in summary(
        counts
    ) and "0 failed; 0 refused by robots.txt, 1 robots.txt could not be had" in summary(counts)
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        assert (store.totals().visits, store.totals().failed) == (counts["visits"], counts["failed"]) == (0, 0)
