"""Links to pages that the store holds are passed over, but for those that mean another page now."""

from dataclasses import replace
from pathlib import Path

from tests.unit.engine.crawls import Crawl, page

from recrawl.fetch.memory import Canned
from recrawl.model.site import Site

TOWN = Site("town", ("http://town.example/",), own=("town.example",))


def test_an_address_that_is_spelt_otherwise_since_the_site_file_changed_is_found_under_its_new_spelling(
    tmp_path: Path,
) -> None:
    def answer(path: str) -> Canned:
        if path not in ("/", "/a", "/a?view=1"):
            return Canned(b"", 404)
        return page(path, f"words of {path}, asked {len(crawl.asked)} times", ("/a?view=1",))

    crawl = Crawl(tmp_path, answer)
    crawl.add(TOWN)
    assert sorted(crawl.run()) == ["/", "/a?view=1"]
    crawl.add(replace(TOWN, drop_parameters=("view",)))
    crawl.make_all_due()
    assert "/a" in crawl.run()
