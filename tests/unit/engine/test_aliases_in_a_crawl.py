"""Two names of one server are found out during a crawl, and from then on only the main one is asked."""

import json

from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.lab.month import simulate
from recrawl.lab.tempers import Poisson
from recrawl.lab.world import World
from recrawl.lab.world_parts import PageSpec, ServerSpec
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page, Status
from recrawl.scope.aliases import AliasTable
from recrawl.store.memory import MemoryStore

DAY_S = 86_400.0


def test_equal_content_under_twin_names_shows_an_alias_and_it_is_asked_no_more() -> None:
    pages = tuple(PageSpec(f"/p{number}", Poisson(30 * DAY_S)) for number in range(12))
    main = ServerSpec("town", authority="town.test", pages=pages, neighbours=("alias",))
    alias = ServerSpec("alias", authority="www.town.test", alias_of="town")
    month = simulate(World(5, (main, alias)), 1, 8.0, gap_s=1.0)
    found = [json.loads(line) for line in month.events if '"alias_found"' in line]
    assert [(one["facts"]["alias"], one["facts"]["main"]) for one in found] == [("www.town.test", "town.test")]
    late = [request for request in month.requests if request.start_at > month.world.start_at + DAY_S]
    assert {request.server for request in late} == {"town.test"}
    live = [page for page in month.store.scan() if page.status is Status.LIVE and page.due_at is not None]
    assert {page.server for page in live} == {"town.test"}
    assert len(live) >= 13


def _page(url: str) -> Page:
    return Page(fingerprint(url), url, url.split("/")[2], "site")


def test_redirects_from_one_name_to_the_other_show_an_alias_which_outlives_a_restart() -> None:
    store = MemoryStore()
    watch = AliasWatch(store, AliasTable())
    for path in ("", "a", "b", "c"):
        assert not watch.news()[0]
        watch.redirected(_page(f"http://old.example/{path}"), f"https://new.example/{path}", 1.0)
    [event], memos = watch.news()
    assert (event.facts["alias"], event.facts["main"]) == ("old.example", "new.example")
    store.save(Batch(memos=tuple(memos.items())))
    assert AliasWatch(store, AliasTable()).table.main("old.example") == "new.example"


def test_what_the_user_wrote_wins() -> None:
    watch = AliasWatch(MemoryStore(), AliasTable(edited={"old.example": "old.example"}))
    for path in "abcdef":
        watch.redirected(_page(f"http://old.example/{path}"), f"https://new.example/{path}", 1.0)
    assert watch.table.main("old.example") == "old.example"
