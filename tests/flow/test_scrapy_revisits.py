"""A real Scrapy project with recrawl's two settings lines, against a real server."""

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from recrawl.answers.reading import reading
from recrawl.folder.folder import Folder
from recrawl.model.page import Page
from recrawl.model.visit import Evidence
from recrawl.store.sqlite import open_sqlite
from tests.flow.conftest import Ran, Site

SPIDER = """
    import scrapy

    class Docs(scrapy.Spider):
        name = "docs"
        start_urls = [{url!r}]

        def parse(self, response):
            words, change = len(response.text.split()), response.meta["recrawl_change"]
            yield {{"url": response.url, "words": words, "change": change}}
            yield from response.follow_all(css="a[href]", callback=self.parse)
"""
SETTINGS = """
    ADDONS = {"recrawl.scrapy.Revisit": 500}
    RECRAWL_FOLDER = "crawl"
"""


def urls(items: list[dict[str, object]]) -> list[object]:
    return [one["url"] for one in items]


@dataclass
class Project:
    """An ordinary project: settings, one spider, and what a run of it yields."""

    path: Path
    site: Site

    def crawl(self, *options: str) -> tuple[list[dict[str, object]], list[str]]:
        """(items, paths asked for in this run). Scrapy follows links back to its start address: those are left out."""
        before = len(self.site.requests())
        items = self.path / "items.jsonl"
        words = [sys.executable, "-m", "scrapy", "crawl", "docs", "-O", items.name, "-s", "LOG_LEVEL=INFO", *options]
        done = subprocess.run(words, cwd=self.path, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 0 and "ERROR" not in done.stderr, done.stderr
        asked = [one.path for one in self.site.requests()[before:] if one.path != "/robots.txt"]
        found = [json.loads(line) for line in items.read_text().splitlines()]
        return [one for place, one in enumerate(found) if one["url"] not in urls(found[:place])], asked

    @property
    def folder(self) -> Folder:
        return Folder(self.path / "crawl")

    def pages(self) -> dict[str, Page]:
        with reading(self.folder) as found:
            return {"/" + page.url.split("/", 3)[3]: page for page in found.store.scan("docs")}

    def make_due(self, *paths: str) -> None:
        """As if their time had come."""
        ids = [page.id for path, page in self.pages().items() if path in paths]
        store = open_sqlite(self.folder.database)
        store.make_due(0.0, ids=ids)
        store.close()


@pytest.fixture
def project(start_site: Callable[..., Site], tmp_path: Path) -> Project:
    site = start_site(25, "--noisy", "2", "--traps", "1")
    path = tmp_path / "project"
    path.mkdir()
    (path / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
    (path / "settings.py").write_text('SPIDER_MODULES = ["docs"]\n' + textwrap.dedent(SETTINGS))
    (path / "docs.py").write_text(textwrap.dedent(SPIDER).format(url=site.url))
    return Project(path, site)


def test_the_second_run_asks_only_for_pages_that_are_due(project: Project, recrawl: Callable[..., Ran]) -> None:
    items, asked = project.crawl()
    assert sorted(asked) == sorted(project.site.paths()) == sorted(set(asked))
    assert {one["change"] for one in items} == {"new"}
    before = project.pages()
    assert all(page.due_at and page.due_at > (page.checked_at or 0) for page in before.values())

    project.site.change("/p/7.html", "/p/8.html")
    project.site.control({"move": {"/p/11.html": "/p/1.html"}, "remove": ["/p/12.html"]})
    due = {"/p/7.html", "/p/9.html", "/p/11.html", "/p/12.html"}
    project.make_due(*due)
    again, asked = project.crawl()
    assert sorted(asked) == sorted(due)
    changes = {str(one["url"]).rpartition("/")[2]: one["change"] for one in again}
    assert (changes.pop("7.html"), changes.pop("9.html")) == ("changed", "same")
    assert set(changes.values()) == {"kept"} and not {"11.html", "12.html"} & set(changes)
    words = {one["url"]: one["words"] for one in items}
    assert all(one["words"] == words[one["url"]] for one in again if one["change"] != "changed")

    after = project.pages()
    with reading(project.folder) as found:
        newest = found.store.visits(after["/p/9.html"].id)[0]
        assert len(found.store.versions(after["/p/7.html"].id)) == 2
    assert (newest.evidence, newest.conditional) == (Evidence.NOT_MODIFIED, True)
    for path in ("/p/7.html", "/p/9.html"):
        assert after[path].visits == 2 and after[path].belief != before[path].belief
        assert (after[path].due_at or 0) > (after[path].checked_at or 0)
    assert after["/p/11.html"].target.endswith("/p/1.html")
    assert after["/p/12.html"].misses == 1 and after["/p/12.html"].belief == before["/p/12.html"].belief
    updated = recrawl("changes", "--folder", project.folder.path, "--kind", "updated").out
    assert updated.count("\n") == 1 and "/p/7.html" in updated


def test_all_asks_for_every_page_once_and_items_can_be_those_of_changes_alone(project: Project) -> None:
    project.crawl()
    project.site.change("/p/3.html")
    items, asked = project.crawl("-s", "RECRAWL_ALL=1", "-s", "RECRAWL_ITEMS=changed")
    assert sorted(asked) == sorted(project.site.paths())
    with reading(project.folder) as found:
        totals = found.store.totals("docs")
    assert [str(one["url"]).rpartition("/")[2] for one in items] == ["3.html"] and totals.changed == 1
    assert totals.not_modified >= 20
    assert totals.visits == 2 * len(asked)
