"""The real command line on a PostgreSQL store: it crawls there, and every command answers as it does on a file."""

import json
import math
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from recrawl.cli.root import recrawl as command
from recrawl.folder.folder import Folder
from recrawl.model.address import partition_of, server_of
from recrawl.model.failure import RecrawlError, UsageError
from recrawl.store.postgres import open_postgres
from recrawl.store.shared.shards import Atlas
from recrawl.web.serving import beside
from recrawl.web.settings import WebSettings
from tests.flow.conftest import Ran, Site
from tests.postgres import PostgresServer

Run = Callable[..., Ran]
COUNT_FROM_NOW = ("status", "why", "plan", "schedule", "rhythm")


@dataclass(frozen=True)
class Crawled:
    """One crawl on PostgreSQL and its copy in a file: two folders that must answer alike."""

    dsn: str
    there: Path
    here: Path
    page: str  # one that changed


def ask(folder: Path, *words: str) -> str:
    return say(*words, "--folder", str(folder))


def say(*words: str) -> str:
    """A command in this process: many of them cost little."""
    done = CliRunner().invoke(command, words, catch_exceptions=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def crawled(
    postgres_dsn: str, start_site: Callable[..., Site], recrawl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Crawled]:
    site = start_site(12)
    monkeypatch.setenv("RECRAWL_STORE", postgres_dsn)
    there, here = tmp_path / "there", tmp_path / "here"
    say("db", "init", postgres_dsn, "--partitions", "16")
    ask(there, "add", site.url, "--own", "--name", "town")
    recrawl("run", "there", "--once", "--quiet")
    changed = sorted(site.paths())[3]
    site.change(changed)
    recrawl("run", "there", "--once", "--all", "--quiet")
    assert not (there / "recrawl.db").exists()
    assert "rows of" in say("db", "copy", postgres_dsn, str(here))
    monkeypatch.delenv("RECRAWL_STORE")
    shutil.copytree(there, here, dirs_exist_ok=True)
    settings = there / "recrawl.toml"
    settings.write_text(settings.read_text() + f'\n[state]\nstore = "{postgres_dsn}"\n')
    yield Crawled(postgres_dsn, there, here, site.url.rstrip("/") + changed)


def test_every_command_and_the_dashboard_answer_on_one_postgresql_and_on_two_as_on_a_file(
    crawled: Crawled, postgres_server: PostgresServer
) -> None:
    the_commands_answer_alike(crawled, crawled.page)
    the_dashboard_answers_alike(crawled)
    spread_over_two_it_answers_alike(crawled, postgres_server)


def spread_over_two_it_answers_alike(crawled: Crawled, postgres_server: PostgresServer) -> None:
    home, shard = postgres_server.fresh(), postgres_server.fresh()
    assert "16 partitions among 2 databases" in say("db", "init", home, "--partitions", "16", "--shard", shard)
    with closing(open_postgres(home)) as store:
        Atlas(store.database).settle([partition_of(server_of(crawled.page), 16)], 1)
    say("db", "copy", str(crawled.here), home)
    settings = crawled.there / "recrawl.toml"
    settings.write_text(settings.read_text().replace(crawled.dsn, home))
    with closing(open_postgres(shard)) as there, closing(open_postgres(home)) as here:
        assert there.totals().pages > 10 and here.totals().pages == 0
    questions = [
        ("status", "--json"),
        ("changes", "--json", "--kind", "updated", "--text"),
        ("why", crawled.page, "--json"),
        ("diff", crawled.page, "--json"),
        ("plan", "--json"),
        ("search", "title:page", "--limit", "3", "--json"),
        *(("export", "--table", table) for table in ("pages", "versions", "visits", "changes", "records")),
    ]
    answers = {words: (ask(crawled.there, *words), ask(crawled.here, *words)) for words in questions}
    assert {words: pair for words, pair in answers.items() if not alike(words[0], *pair)} == {}
    the_dashboard_answers_alike(crawled)
    for dsn in (home, shard):
        postgres_server.drop(dsn)


def the_commands_answer_alike(crawled: Crawled, page: str) -> None:
    questions = [
        ("status", "--json"),
        ("sites", "--json"),
        ("changes", "--json"),
        ("changes", "--json", "--kind", "updated", "--text"),
        ("why", page, "--json"),
        ("history", page, "--json"),
        ("diff", page, "--json"),
        ("show", page, "--text"),
        ("schedule", "--json"),
        ("schedule", "--week", "--json"),
        ("rhythm", page, "--json"),
        ("plan", "--json"),
        ("records", "--json"),
        ("records", "--changes", "--json"),
        ("notices", "--json"),
        ("search", "page", "--json"),
        ("search", "title:page", "--limit", "3", "--json"),
        ("search", "page", "--as-of", "2100-01-01", "--json"),
        ("search", "--categories", "--json"),
        *(("export", "--table", table) for table in ("pages", "versions", "visits", "changes", "records")),
        ("export", "--format", "csv"),
    ]
    answers = {words: (ask(crawled.there, *words), ask(crawled.here, *words)) for words in questions}
    assert {words: pair for words, pair in answers.items() if not alike(words[0], *pair)} == {}
    assert len(answers["changes", "--json"][0].splitlines()) > 12
    assert json.loads(answers["search", "page", "--json"][0].splitlines()[0])


def alike(name: str, first: str, second: str) -> bool:
    """Word for word, but for what counts from the moment of asking."""
    if name not in COUNT_FROM_NOW:
        return first == second
    lines, others = ([json.loads(line) for line in text.splitlines()] for text in (first, second))
    return len(lines) == len(others) and all(map(near, lines, others))


def near(first: object, second: object) -> bool:
    if isinstance(first, dict) and isinstance(second, dict):
        return set(first) == set(second) and all(near(first[key], second[key]) for key in first if key != "because")
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(near, first, second))
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=0.2, abs_tol=120.0)
    return first == second


SHOWN = ("", "sites", "sites/town", "changes", "search?q=page", "errors", "week", "figures", "plan", "records")
API = ("ready", "api/changes", "api/servers", "api/pages", "api/search?q=page", "api/categories", "api/errors")


def the_dashboard_answers_alike(crawled: Crawled) -> None:
    now, quiet = time.time(), WebSettings(port=0, log=False)
    with (
        beside(Folder(crawled.there), quiet, lambda: now) as there,
        beside(Folder(crawled.here), quiet, lambda: now) as here,
    ):
        for path in SHOWN:
            assert len(get(there + path)) > 100
        answers = {path: (get(there + path), get(here + path)) for path in API}
    assert {path: pair for path, pair in answers.items() if pair[0] != pair[1]} == {}


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return str(answer.read().decode())


def test_init_and_upgrade_say_what_they_did_and_do_it_once(postgres_dsn: str) -> None:
    made = say("db", "init", postgres_dsn, "--partitions", "32")
    assert "tables made" in made and "32 partitions" in made
    again = json.loads(say("db", "init", postgres_dsn, "--json"))
    assert again["made"] is False and again["partitions"] == 32
    assert "already" in say("db", "upgrade", postgres_dsn)


def test_a_store_that_cannot_be_had_is_an_exit_code_and_a_sentence(postgres_dsn: str, tmp_path: Path) -> None:
    ask(tmp_path / "folder", "init", "--contact", "me@example.org")
    settings = tmp_path / "folder" / "recrawl.toml"
    plain = settings.read_text()

    def fault(store: str) -> RecrawlError:
        settings.write_text(plain + f'\n[state]\nstore = "{store}"\n')
        with pytest.raises(RecrawlError) as found:
            ask(tmp_path / "folder", "status")
        return found.value

    assert (fault(postgres_dsn).exit_code, "db init" in str(fault(postgres_dsn))) == (2, True)
    nowhere = "postgresql://me:secret@127.0.0.1:1/x"
    assert fault(nowhere).exit_code == 10 and "secret" not in str(fault(nowhere))
    assert fault("mysql://x").exit_code == 3
    say("db", "init", postgres_dsn)
    with psycopg.connect(postgres_dsn) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    with pytest.raises(UsageError, match="pg_dump"):
        ask(tmp_path / "folder", "db", "backup", str(tmp_path / "backup"))
    assert fault(postgres_dsn).exit_code == 8 and "db upgrade" in str(fault(postgres_dsn))
