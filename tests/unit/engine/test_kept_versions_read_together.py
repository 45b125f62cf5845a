"""Versions kept of changed pages are looked up together: each once, and what goes wrong with one is nothing to the
others."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.archive.folder import WarcArchive
from recrawl.detect.soft404 import ErrorPage
from recrawl.engine.asking import revisit
from recrawl.engine.asking.looking_back import Kept, LookingBack
from recrawl.engine.asking.loop import each_tried
from recrawl.engine.asking.missing import Missing
from recrawl.engine.asking.revisit import Visitor
from recrawl.engine.asking.shelf import Unread
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.capture import Payload, Place
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.model.verdict import Verdict

URL = "http://127.0.0.1:9"
PAGES = [f"/{number}" for number in range(24)]


class Editions:
    """All pages change from one edition to the next."""

    def __init__(self) -> None:
        self.edition = 0

    def __call__(self, path: str) -> Canned:
        if path != "/" and path not in PAGES:
            return Canned(b"", 404)
        name = "".join(chr(ord("p") + int(digit)) for digit in path[1:])  # what a link says may be one of the text
        words = (
            "Always the same. " * 40
            + f"What {name} has to say in the {('first', 'second')[self.edition]} edition. " * 20
        )
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
    asked, read = list[int](), LookingBack.read

    def counted(back: LookingBack, pages: Sequence[Page]) -> dict[int, Kept]:
        asked.append(len(pages))
        return read(back, pages)

    monkeypatch.setattr(revisit, "LARGE_BYTES", 1)
    monkeypatch.setattr(LookingBack, "read", counted)
    crawl.run()
    assert asked == [1] * (len(PAGES) + 1)
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


def test_where_looking_them_up_together_failed_each_is_asked_for_alone(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed, read = list[int](), LookingBack.read

    def failing(back: LookingBack, pages: Sequence[Page]) -> dict[int, Kept]:
        if len(pages) > 1 and not failed:
            failed.append(len(pages))
            raise RuntimeError("a fault of ours")
        return read(back, pages)

    monkeypatch.setattr(LookingBack, "read", failing)
    crawl.run()
    assert failed and errors(crawl) == 1
    assert versions(crawl) == dict.fromkeys(["/", *PAGES], 2)


def test_once_a_second_look_proved_what_changes_those_looked_at_before_it_are_judged_by_what_differs(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[str]()
    whole: Callable[..., Verdict] = vars(revisit)["thorough"]

    def counted(page: Page, *given: Any, **more: Any) -> Verdict:
        read.append(page.url)
        return whole(page, *given, **more)

    monkeypatch.setattr(revisit, "thorough", counted)
    asked = crawl.run()
    assert versions(crawl) == dict.fromkeys(["/", *PAGES], 2)
    twice = [path for path in PAGES if asked.count(path) == 2]
    assert twice and len(read) == len(twice) + asked.count("/") - 1 < len(PAGES) / 2


def test_once_it_is_known_how_a_server_shows_what_is_missing_no_page_is_judged_without_it(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, looked, judged = list[ErrorPage](), list[int](), list[bool]()
    look = Visitor.look_first
    beside: Callable[..., Verdict | None] = vars(revisit)["changed_beside"]

    async def told_then(visitor: Visitor, unread: Sequence[Unread], asked: bool) -> None:
        await look(visitor, unread, asked)
        looked.append(len(unread))
        known.append(ErrorPage(1, 1, "no such title"))

    def counted(page: Page, *given: Any) -> Verdict | None:
        judged.append(bool(known))
        return beside(page, *given)

    monkeypatch.setattr(Missing, "known", lambda missing, server: known[0] if known else None)
    monkeypatch.setattr(Visitor, "look_first", told_then)
    monkeypatch.setattr(revisit, "changed_beside", counted)
    crawl.run()
    assert max(looked) > 1 and judged and not any(judged)
    assert versions(crawl) == dict.fromkeys(["/", *PAGES], 2)


def test_what_goes_wrong_with_one_is_kept_for_whoever_asks_for_it() -> None:
    found = each_tried(lambda number: 6 // number, [1, 0, 3])
    assert (found[0], found[2]) == (6, 2) and isinstance(found[1], ZeroDivisionError)
