"""Pages that waited for a budget and were asked for after all are no work left."""

from contextlib import closing
from pathlib import Path

from tests.unit.towns import serving

from recrawl.config import Schedule, Settings
from recrawl.engine.worker import Order
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.launch.run import run
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.site import Site

FORBIDDEN = (200, "User-agent: *\nDisallow: /\n")


def test_what_was_set_aside_for_a_server_that_forbids_its_pages_pays_for_the_last_one(tmp_path: Path) -> None:
    settings = Settings(schedule=Schedule(requests_per_day=3))
    with serving(str, FORBIDDEN) as shut, serving(lambda path: f"words of {path}") as town:
        folder = Folder(tmp_path)
        folder.create("")
        folder.put_site(Site("towns", (shut.url, town.url), own=(shut.name, town.name)))
        with closing(open_store(folder, settings)) as store:
            pages = [
                Page(fingerprint(one.url), one.url, one.name, "towns", found_at=1.0, due_at=float(place))
                for place, one in enumerate((shut, town), 1)
            ]
            store.save(Batch(entered=tuple(pages)))
        ended = run(folder, settings, Order(once=True), 1, lambda _: None, make_all_due=False)
    assert (shut.asked, town.asked) == (["/robots.txt"], ["/robots.txt", "/"])
    assert ended.counts["held_back"] and (ended.code, ended.sentence) == (0, "")
