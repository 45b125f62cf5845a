"""What both stores promise about pages that notices stir."""

from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page, Rank, Status
from recrawl.model.site import Kind
from recrawl.ports import Store

NOW = 1_700_000_000.0


def _page(name: str, due_at: float | None, rank: int = Rank.GENERAL, kind: Kind = Kind.GENERAL) -> Page:
    url = f"http://h.example/{name}"
    return Page(fingerprint(url), url, "h.example", "s", kind=kind, rank=rank, due_at=due_at, status=Status.LIVE)


def test_a_stirred_page_is_due_and_its_rank_rises_but_never_falls(store: Store) -> None:
    urgent = _page("urgent", NOW + 5, Rank.URGENT)
    pages = (_page("later", NOW + 100), _page("never", None), _page("now", NOW - 1), urgent)
    store.save(Batch(entered=pages))
    assert store.make_due(NOW, ids=[page.id for page in pages], rank=Rank.NOTICED) == 4
    found = {page.url[17:]: (page.due_at, page.rank) for page in store.due("h.example", NOW, 10)}
    assert found == {
        "later": (NOW, Rank.NOTICED),
        "never": (NOW, Rank.NOTICED),
        "now": (NOW - 1, Rank.NOTICED),
        "urgent": (NOW, Rank.URGENT),
    }
    assert store.make_due(NOW, ids=[pages[0].id]) == 1
    assert store.pages([pages[0].id])[0].rank == Rank.NOTICED


def test_sitemaps_and_feeds_are_not_counted_among_the_pages(store: Store) -> None:
    signal, page = _page("sitemap.xml", NOW, kind=Kind.SIGNAL), _page("a", NOW)
    store.save(Batch(entered=(signal, page)))
    store.save(Batch(pages=(signal, page)))
    totals = store.totals("s", NOW)
    assert (totals.pages, totals.live) == (1, 1)
