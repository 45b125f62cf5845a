"""Where a visit is written before its server is asked again, the visits of many servers are written at once."""

from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.engine.tally import Count
from recrawl.fetch.memory import Canned
from recrawl.model.site import Site

SERVERS, MAPS = 20, 5
TEXT, XML = (("content-type", "text/plain"),), (("content-type", "application/xml"),)


@pytest.mark.parametrize("each_visit", [False, True])
def test_so_are_sitemaps_of_many_servers(tmp_path: Path, each_visit: bool) -> None:
    def shown(path: str) -> Canned:
        if path == "/robots.txt":
            origin = crawl.asks[-1].url.removesuffix(path)
            lines = "".join(f"Sitemap: {origin}/map{number}.xml\n" for number in range(MAPS))
            return Canned(lines.encode(), headers=TEXT)
        if path.startswith("/map"):
            return Canned(b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>', headers=XML)
        return page(path, f"words of {path}")

    crawl = Crawl(tmp_path, shown, each_visit=each_visit)
    names = [f"s{number}.test" for number in range(SERVERS)]
    crawl.add(*(Site(name, seeds=(f"http://{name}/",), own=(name,)) for name in names))
    asked = crawl.run()
    assert sum(path.startswith("/map") for path in asked) == SERVERS * MAPS
    assert crawl.worker is not None
    assert crawl.worker.tally[Count.COMMITS] < SERVERS * MAPS / 2
