"""What somebody tries who does not know better: one sentence, the right exit code, and nothing done."""

import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.flow.conftest import RECRAWL

from recrawl.cli.plan import beyond
from recrawl.cli.root import recrawl
from recrawl.config import Settings
from recrawl.engine.asking.errand_pages import TOPIC, errand
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.failure import NotFound, UsageError
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.schedule.plan import Point

SITE = Site("shop", ("http://127.0.0.1:1/",), own=("127.0.0.1:1",))
HUGE = "9" * 25


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A site, a page, and an errand of the crawl."""
    made = Folder(tmp_path / "D")
    made.create("")
    made.put_site(SITE)
    url = SITE.seeds[0]
    page = Page(fingerprint(url), url, "127.0.0.1:1", "shop", found_at=1.0, due_at=1.0)
    with closing(open_store(made, Settings())) as store:
        store.save(Batch(entered=(page, errand(TOPIC, "http://127.0.0.1:1/feed", "shop", 1.0))))
    return made


def ran(folder: Folder, *words: str) -> Result:
    return CliRunner().invoke(recrawl, words, env={"RECRAWL_FOLDER": str(folder.path)})


@pytest.mark.parametrize(
    "words", ["search x --offset", "changes --limit", "notices --limit", "add http://a.example/ --depth"]
)
def test_a_number_too_large_for_any_store_is_told_beside_its_option(folder: Folder, words: str) -> None:
    told = ran(folder, *words.split(), HUGE)
    assert told.exit_code == 2 and f"Invalid value for '{words.split()[-1]}'" in told.stderr


def test_a_backup_does_not_go_into_a_file(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    told = ran(folder, "db", "backup", str(tmp_path / "file"))
    assert isinstance(told.exception, UsageError) and "is a file" in str(told.exception)


@pytest.mark.parametrize("user", ["a b", "x\nExecStart=/bin/sh", "-x", "../x"])
def test_a_unit_runs_as_an_account_only(folder: Folder, user: str) -> None:
    assert isinstance(ran(folder, "systemd", "--user", user).exception, UsageError)
    assert "User=crawl_1\n" in ran(folder, "systemd", "--user", "crawl_1").output


def test_a_rhythm_of_nothing_is_asked_back(folder: Folder) -> None:
    assert "of what?" in str(ran(folder, "rhythm", "").exception)


def test_nobody_is_asked_for_pages_before_there_is_a_place_for_what_is_learnt(folder: Folder, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing" / "shop.toml")
    told = ran(folder, "scope", "learn", SITE.seeds[0], "--own", "--output", missing)
    assert isinstance(told.exception, UsageError) and "there is no folder" in str(told.exception)


def test_a_hub_cannot_call_back_where_nobody_is(folder: Folder) -> None:
    told = ran(folder, "notices", "subscribe", "http://127.0.0.1:1/feed", "--callback", "nowhere")
    assert isinstance(told.exception, UsageError) and "'nowhere'" in str(told.exception)
    assert isinstance(ran(folder, "notices", "unsubscribe", "http://127.0.0.1:1/feed").exception, NotFound)


@pytest.mark.parametrize("words", ["notices", "notices trust", "notices subscriptions", "robot list"])
def test_an_empty_table_says_what_would_fill_it(folder: Folder, words: str) -> None:
    told = ran(folder, *words.split())
    assert told.exit_code == 0 and told.stderr.count("\n") == 1
    assert not ran(folder, *words.split(), "--json").stderr


def test_a_plan_for_nothing_is_no_line_of_json(folder: Folder) -> None:
    told = ran(folder, "plan", "--json")
    assert not told.stdout and "nothing to plan with yet" in told.stderr


def test_errands_of_the_crawl_are_not_exported_and_what_is_can_be_imported(folder: Folder, tmp_path: Path) -> None:
    file = tmp_path / "x.warc.gz"
    assert ran(folder, "export", "--format", "warc", "--output", str(file)).exit_code == 0
    told = ran(Folder(tmp_path / "E"), "import", str(file))
    assert told.exit_code == 0 and "1 pages entered" in told.output
    assert len(ran(folder, "export").stdout.splitlines()) == 1


def test_help_for_a_reader_who_has_seen_enough_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*RECRAWL, "--help"], stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("found", "budget", "target", "told"),
    [
        (100.0, 1e300, None, "would buy nothing"),
        (100.0, 1.0, None, "is less than the rarest visits take"),
        (100.0, 100.5, None, ""),
        (100.0, None, 0.9999999, "0.9999999 cannot be reached"),
        (100.0, None, 0.9, ""),
    ],
)
def test_a_plan_says_where_its_answer_is_not_what_was_asked(
    found: float, budget: float | None, target: float | None, told: str
) -> None:
    said = beyond(Point(1.0, found, 0.99), budget, target)
    assert said.endswith(told) if told else not said
