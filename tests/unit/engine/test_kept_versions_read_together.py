"""Versions kept of changed pages are looked up together: each once, and what goes wrong with one is nothing to the
others."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.archive.folder import WarcArchive
from recrawl.engine.asking import looking_back
from recrawl.engine.asking.looking_back import Kept, LookingBack
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.capture import Payload, Place
from recrawl.model.page import Page
from recrawl.model.site import Site

URL = "http://127.0.0.1:9"
PAGES = [f"/{number}" for number in range(24)]


class Editions:
    """All pages change from one edition to the next."""

    def __init__(self) -> None:
        self.edition = 0

    def __call__(self, path: str) -> Canned:
        if path != "/" and path not in PAGES:
            return Canned(b"", 404)
        words = "Always the same. " * 40 + f"What {path} has to say in edition {self.edition}. " * 20
        tag = ("etag", f'"{path}-{self.edition}"')
        return Canned(page(path, words, PAGES).body, headers=(("content-type", "text/html"), tag))


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    """Once round, and all due again."""
    editions = Editions()
    crawl = Crawl(tmp_path, editions)
    crawl.add(Site("shop", (f"{URL}/",), own=("127.0.0.1:9",), parallel=4))
    crawl.run()
    crawl.make_all_due()
    editions.edition = 1
    return crawl


def versions(crawl: Crawl) -> dict[str, int]:
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        pages = [one for one in store.scan(limit=1000) if "robots" not in one.url]
        return {one.url.removeprefix(URL): len(store.versions(one.id)) for one in pages}


def errors(crawl: Crawl) -> object:
    assert crawl.worker is not None
    return crawl.worker.tally.as_dict()["errors"]


def test_those_of_pages_that_go_in_step_are_asked_for_at_once(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, read = list[list[str]](), LookingBack.read

    def counted(back: LookingBack, pages: Sequence[Page]) -> dict[int, Kept]:
        asked.append([one.url.removeprefix(URL) for one in pages])
        return read(back, pages)

    monkeypatch.setattr(LookingBack, "read", counted)
    crawl.run()
    assert sorted(path for paths in asked for path in paths) == sorted(["/", *PAGES])
    assert len(asked) < len(PAGES) / 2
    assert versions(crawl) == dict.fromkeys(["/", *PAGES], 2)


def test_large_ones_come_alone(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking_back, "LARGE_BYTES", 1)
    monkeypatch.setattr(LookingBack, "_read_together", None)
    crawl.run()
    assert versions(crawl) == dict.fromkeys(["/", *PAGES], 2)


def test_what_the_disk_refuses_of_one_is_a_fault_with_that_one(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    refused, read = list[Place](), WarcArchive.read

    def refusing(archive: WarcArchive, place: Place, body_bytes: int = 0) -> Payload:
        if not refused or place == refused[0]:
            refused.append(place)
            raise OSError("the disk does not answer")
        return read(archive, place, body_bytes)

    monkeypatch.setattr(WarcArchive, "read", refusing)
    crawl.run()
    assert errors(crawl) == len(refused)
    assert sorted(versions(crawl).values()) == [1, *[2] * len(PAGES)]


def test_who_waited_for_somebody_who_failed_asks_alone(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    failed, read = list[int](), LookingBack.read

    def failing(back: LookingBack, pages: Sequence[Page]) -> dict[int, Kept]:
        if len(pages) > 1 and not failed:
            failed.append(len(pages))
            raise RuntimeError("a fault of ours")
        return read(back, pages)

    monkeypatch.setattr(LookingBack, "read", failing)
    crawl.run()
    assert failed and errors(crawl) == 1
    assert sorted(versions(crawl).values()) == [1, *[2] * len(PAGES)]
