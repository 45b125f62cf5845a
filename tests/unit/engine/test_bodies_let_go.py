"""The decoded body of a new page is let go before the visit is written, where nobody needs it, and nothing tells."""

import gc
import gzip
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.site import Field, Site
from recrawl.model.visit import Reply, Version

WORDS = "words of a page that says enough to be plainly one, and then some more of them " * 20


def packed(path: str, words: str = WORDS) -> Canned:
    plain = page(path, words)
    return Canned(gzip.compress(plain.body, mtime=0), headers=(*plain.headers, ("content-encoding", "gzip")))


def versions(crawl: Crawl) -> Sequence[Version]:
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        [only] = store.scan(limit=10)
        assert only.size_bytes == store.versions(only.id)[0].body_bytes
        return store.versions(only.id)


@pytest.mark.parametrize("fields", [(), (Field("title", css="title"),)])
def test_its_size_is_known_and_its_fields_are_read(tmp_path: Path, fields: tuple[Field, ...]) -> None:
    crawl = Crawl(tmp_path, packed)
    crawl.add(Site("town", ("http://town.test/",), own=("town.test",), fields=fields))
    crawl.run()
    [version] = versions(crawl)
    assert version.body_bytes == len(page("/", WORDS).body)
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        assert [record.data for record in store.newest_records([version.page])] == [{"title": "/"}] * len(fields)


def test_what_was_kept_of_it_is_read_when_it_changes(tmp_path: Path) -> None:
    said = [WORDS]
    crawl = Crawl(tmp_path, lambda path: packed(path, said[-1]))
    crawl.add(Site("town", ("http://town.test/",), own=("town.test",)))
    crawl.run()
    said.append(WORDS + "and one sentence more")
    crawl.make_all_due()
    crawl.run()
    sizes = [version.body_bytes for version in versions(crawl)]
    assert sizes == [len(page("/", words).body) for words in reversed(said)]


def test_an_answer_that_was_written_is_not_held_while_its_lane_asks_for_the_next_page(tmp_path: Path) -> None:
    """It would take room that the next one waits for."""
    held: list[int] = []

    def counted(path: str) -> Canned:
        replies = [one for one in gc.get_objects() if isinstance(one, Reply)]
        held.append(sum("roomy.test" in reply.ask.url for reply in replies))
        return page(path, WORDS + path, [f"/{number}" for number in range(8)])

    crawl = Crawl(tmp_path, counted, each_visit=True, inline=True)
    crawl.add(Site("town", ("http://roomy.test/",), own=("roomy.test",)))
    crawl.run()
    assert len(held) > 8
    assert set(held) == {0}
