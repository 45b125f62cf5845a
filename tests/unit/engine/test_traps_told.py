"""A trap that a list of addresses led to is told of, though no visit after it brings a document, or there is none."""

from dataclasses import replace
from pathlib import Path

from tests.unit.engine.crawls import Crawl, page

from recrawl.answers.reading import reading
from recrawl.config import Settings
from recrawl.fetch.memory import Canned
from recrawl.model.event import EventKind
from recrawl.model.site import Site
from recrawl.scope.traps import TrapLimits

SITE = Site("shop", ("http://127.0.0.1:1/",), own=("127.0.0.1:1",))
MAP = "".join(f"<url><loc>http://127.0.0.1:1/p/{number}</loc></url>" for number in range(30))
SITEMAP = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{MAP}</urlset>'.encode()


def answer(path: str) -> Canned:
    if path == "/robots.txt":
        return Canned(b"Sitemap: http://127.0.0.1:1/map.xml", 200, (("content-type", "text/plain"),))
    if path == "/map.xml":
        return Canned(SITEMAP, 200, (("content-type", "application/xml"),))
    return page("Shop", "All that we have on our shelves is shown here. " * 9) if path == "/" else Canned(b"", 404, ())


def test_a_trap_in_a_sitemap_is_told_though_nothing_is_visited_after_it(tmp_path: Path) -> None:
    settings = replace(Settings(), traps=TrapLimits(pages_per_pattern=10))
    crawl = Crawl(tmp_path / "crawl", answer, settings)
    crawl.add(SITE)
    assert set(crawl.run()) == {"/", "/map.xml"}
    with reading(crawl.folder) as found:
        told = found.store.events(kinds=(EventKind.LIMIT_HIT,))
    assert [event.facts["limit"] for event in told] == ["trap"]
