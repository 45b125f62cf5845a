"""Pages rest while a trusted source is silent, but only where it ever spoke."""

from recrawl.engine.hearing.heard import Outcomes
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.notice import Source
from recrawl.model.page import Page, Status
from recrawl.notices import trust as trusts
from recrawl.store.memory import MemoryStore

NOW = 1_700_000_000.0


def page(server: str) -> Page:
    url = f"https://{server}/page"
    return Page(fingerprint(url), url, server, "town", status=Status.LIVE, interval_s=1000.0, due_at=NOW + 1000.0)


def test_a_server_that_the_sitemap_never_named_is_visited_as_before() -> None:
    trust = trusts.heard({}, Source.SITEMAP, 50, {"gazette.example"})
    for _ in range(50):
        trust = trusts.fold(trust, {Source.SITEMAP}, changed=True)
    store = MemoryStore()
    store.save(Batch(memos=((trusts.memo_key("town"), trusts.write(trust)),)))
    outcomes = Outcomes(store)
    assert outcomes.rested(page("gazette.example"), NOW).interval_s > 5000.0
    assert outcomes.rested(page("plaza.example"), NOW) == page("plaza.example")
