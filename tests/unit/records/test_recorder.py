"""From visits to records: what is stored with which version, and when a wrapper is called broken."""

from dataclasses import replace

import pytest

from recrawl.answers.record_rows import broken_pages, broken_wrappers, changes, history, newest
from recrawl.archive.memory import MemoryArchive
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.ledger import Copy, Ledger, write
from recrawl.engine.settling.recording import Recorder
from recrawl.engine.settling.wrappers import SiteWrappers
from recrawl.extract.document import read
from recrawl.model.address import fingerprint
from recrawl.model.capture import Capture
from recrawl.model.event import EventKind
from recrawl.model.failure import ConfigError
from recrawl.model.page import Page
from recrawl.model.record import Record, RecordSource
from recrawl.model.site import Field, FieldType, Kind, Pattern, Site
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Ask, Evidence, Reply, Why
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.patterns_site import Script
from recrawl.store.memory import MemoryStore

ROOT = "http://shop.example"
PRICE = Field("price", css=".price", type=FieldType.PRICE, required=True)
TITLE = Field("title", css="h1")
PATTERNS = (
    Pattern(Kind.LIST, "/c/{category}", name="shelf"),
    Pattern(Kind.DETAIL, "/item/{id:int}", name="item", item_class="product"),
    Pattern(Kind.DETAIL, "/news/{id:int}", name="news"),
)
LD = '<script type="application/ld+json">{"@type": "Product", "name": "Lamp"}</script>'


class Shop:
    """A site, what is kept of it, and visits made by hand."""

    def __init__(self, *fields: Field, patterns: tuple[Pattern, ...] = PATTERNS, archive: str = "warc") -> None:
        self.store, self.archive = MemoryStore(), MemoryArchive()
        self.use(*fields, patterns=patterns, archive=archive)
        self.at = 0.0

    def use(self, *fields: Field, patterns: tuple[Pattern, ...] = PATTERNS, archive: str = "warc") -> None:
        site = Site("shop", (ROOT + "/",), patterns=patterns, fields=fields, archive=archive)
        wrappers = SiteWrappers(site, Script(site, Canonicaliser()))
        self.recorder = Recorder(self.store, self.archive, {"shop": wrappers})

    def visit(
        self, path: str, html: str, change: Change | None = None, directives: frozenset[str] = frozenset()
    ) -> Ledger:
        self.at += 10.0
        url = ROOT + path
        known = self.store.pages([fingerprint(url)])
        page = known[0] if known else Page(fingerprint(url), url, "shop.example", "shop", category="lamps")
        verdict = change or (Change.CHANGED if known else Change.NEW)
        evidence = Evidence.NOT_MODIFIED if verdict is Change.SAME else Evidence.DOCUMENT
        body = b"" if verdict is Change.SAME else html.encode()
        reply = Reply(Ask(url), self.at, evidence, 200, (("content-type", "text/html"),), body=body, sent_body=body)
        document = read(body, "text/html", url) if body else None
        one = Arrival(page, Why.DUE, reply, Verdict(verdict), document, directives=directives)
        ledger = Ledger(pages={page.id: replace(page, checked_at=self.at, visits=page.visits + 1)})
        if body:
            ledger.copies.append(Copy(Capture(url, self.at, reply, "sha256:00"), page.id))
        self.recorder.note([one], ledger)
        write(ledger, self.archive, self.store)
        return ledger


def item(price: str = "€ 5", title: str = "Lamp") -> str:
    return f"<h1>{title}</h1><p class=price>{price}</p>"


def test_a_record_belongs_to_the_version_it_was_read_from() -> None:
    shop = Shop(PRICE, TITLE)
    shop.visit("/item/1", item())
    [row] = newest(shop.store)
    assert row.record.data == {"price": {"amount": 5, "currency": "EUR"}, "title": "Lamp"}
    assert row.record.at == shop.store.versions(row.page.id)[0].at == 10.0
    assert (row.record.kind, row.record.source, row.broken) == ("product", RecordSource.FIELDS, None)


def test_lists_and_pages_of_other_patterns_have_no_records() -> None:
    shop = Shop(replace(PRICE, pattern="item"), replace(TITLE, pattern="news"))
    shop.visit("/c/lamps", item())
    shop.visit("/about", item())
    assert list(newest(shop.store)) == []
    shop.visit("/item/1", item())
    shop.visit("/news/1", item())
    assert {row.record.kind: list(row.record.data) for row in newest(shop.store)} == {
        "product": ["price"],
        "news": ["title"],
    }


def test_a_site_without_patterns_has_its_fields_on_every_page() -> None:
    shop = Shop(PRICE, patterns=())
    shop.visit("/anything", item())
    assert [row.record.kind for row in newest(shop.store)] == [""]


def test_a_changed_price_is_a_change_between_two_versions() -> None:
    shop = Shop(PRICE, TITLE)
    shop.visit("/item/1", item("€ 5"))
    shop.visit("/item/1", item("€ 4,50"))
    [(page, change)] = changes(shop.store, "shop")
    assert (page.url, change.field, change.previous_at, change.at) == (ROOT + "/item/1", "price", 10.0, 20.0)
    assert (change.before, change.after) == ({"amount": 5, "currency": "EUR"}, {"amount": 4.5, "currency": "EUR"})
    assert changes(shop.store, "shop", since_at=21.0) == changes(shop.store, "other") == []


def test_an_unchanged_page_is_not_read_again() -> None:
    shop = Shop(PRICE)
    shop.visit("/item/1", item())
    ledger = shop.visit("/item/1", "", Change.SAME)
    assert ledger.records == []


def test_a_wrapper_that_suddenly_finds_nothing_is_broken_and_no_empty_record() -> None:
    shop = Shop(PRICE, TITLE)
    shop.visit("/item/1", item())
    ledger = shop.visit("/item/1", "<h1>Lamp</h1><p class=cost>€ 5</p>")
    [event] = ledger.events
    assert event.kind is EventKind.WRAPPER_BROKEN
    assert (event.url, event.at) == (ROOT + "/item/1", 20.0)
    assert event.facts == {"previous_at": 10.0, "missing": ["price"], "faults": []}
    [row] = newest(shop.store)
    assert row.record.at == 10.0 and row.record.data["price"] == {"amount": 5, "currency": "EUR"}
    assert row.broken is not None and row.broken.missing == ("price",)
    [broken] = broken_wrappers(shop.store)
    assert (broken.site, broken.kind, broken.missing, broken.worked_before) == ("shop", "product", ("price",), True)
    assert (broken.pages, broken.since_at, broken.example) == (1, 20.0, ROOT + "/item/1")
    assert changes(shop.store) == []


def test_a_text_of_the_wrong_type_breaks_it_too_and_is_quoted() -> None:
    shop = Shop(PRICE)
    shop.visit("/item/1", item())
    [event] = shop.visit("/item/1", item("call us")).events
    assert event.facts["faults"] == ["price: 'call us' is no price"]


def test_it_is_told_once_while_it_stays_broken_and_again_when_it_is_mended() -> None:
    shop = Shop(PRICE)
    shop.visit("/item/1", item())
    assert len(shop.visit("/item/1", "<p>gone</p>").events) == 1
    assert shop.visit("/item/1", "<p>still gone</p>").events == []
    assert [row.broken_at for row in (*newest(shop.store), *broken_pages(shop.store))] == [20.0, 20.0]
    assert [one.since_at for one in broken_wrappers(shop.store)] == [20.0]
    [event] = shop.visit("/item/1", item("€ 6")).events
    assert event.kind is EventKind.WRAPPER_MENDED
    assert broken_wrappers(shop.store) == []
    assert [(change.before, change.after) for _, change in changes(shop.store)] == [
        ({"amount": 5, "currency": "EUR"}, {"amount": 6, "currency": "EUR"})
    ]


def test_one_that_is_mended_while_somebody_asks_is_broken_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl goes on beside `status` and the dashboard."""
    shop = Shop(PRICE)
    shop.visit("/item/1", item())
    shop.visit("/item/1", "<p>gone</p>")
    broken_records = shop.store.broken_records

    def mended_meanwhile(site: str, after: int | None, limit: int) -> list[Record]:
        found = broken_records(site, after, limit)
        if found:
            shop.visit("/item/1", item("€ 6"))
        return found

    monkeypatch.setattr(shop.store, "broken_records", mended_meanwhile)
    assert broken_wrappers(shop.store) == []


def test_what_broke_last_comes_first() -> None:
    shop = Shop(PRICE, replace(TITLE, required=True))
    for path in ("/item/1", "/item/2", "/item/3"):
        shop.visit(path, item())
    shop.visit("/item/1", "<p>redesigned</p>")
    shop.visit("/item/2", "<p>redesigned</p>")
    shop.visit("/item/3", "<h1>Lamp</h1>")
    assert [(one.missing, one.pages) for one in broken_wrappers(shop.store)] == [
        (("price",), 1),
        (("price", "title"), 2),
    ]


def test_a_page_that_never_had_the_required_fields_is_listed_but_no_news() -> None:
    shop = Shop(PRICE)
    assert shop.visit("/item/1", "<p>x</p>").events == []
    assert list(newest(shop.store)) == []
    assert [(one.pages, one.worked_before) for one in broken_wrappers(shop.store)] == [(1, False)]


def test_fields_that_all_find_nothing_are_broken_though_none_is_required() -> None:
    shop = Shop(TITLE, Field("tags", css="i", type=FieldType.LIST))
    shop.visit("/item/1", item())
    [event] = shop.visit("/item/1", "<p>redesigned</p>").events
    assert event.facts["missing"] == ["title", "tags"]


def test_when_the_fields_change_the_kept_version_is_read_again_at_the_next_visit() -> None:
    shop = Shop(PRICE)
    shop.visit("/item/1", item())
    shop.use(PRICE, TITLE)
    assert shop.visit("/item/1", "", Change.SAME).events == []
    [row] = newest(shop.store)
    assert row.record.data["title"] == "Lamp"
    assert row.record.at == 10.0
    assert shop.visit("/item/1", "", Change.SAME).records == []
    assert changes(shop.store) == []


def test_pages_of_before_there_were_fields_are_read_at_their_next_visit() -> None:
    shop = Shop()
    shop.visit("/item/1", item())
    assert list(newest(shop.store)) == []
    shop.use(PRICE)
    shop.visit("/item/1", "", Change.SAME)
    assert [row.record.at for row in newest(shop.store)] == [10.0]


def test_without_fields_the_page_speaks_for_itself() -> None:
    shop = Shop()
    shop.visit("/item/1", LD)
    shop.visit("/c/lamps", LD)
    [row] = newest(shop.store)
    assert (row.record.kind, row.record.source, row.record.data) == ("Product", RecordSource.JSON_LD, {"name": "Lamp"})
    assert shop.visit("/item/1", "<p>no more</p>").events == []


def test_with_fields_the_page_is_not_asked() -> None:
    shop = Shop(PRICE)
    shop.visit("/item/1", LD + item())
    assert [row.record.source for row in newest(shop.store)] == [RecordSource.FIELDS]


def test_nothing_is_read_from_what_may_not_be_kept() -> None:
    shop = Shop(PRICE, archive="folder")
    ledger = shop.visit("/item/1", item(), directives=frozenset({"noarchive"}))
    assert ledger.records == ledger.documents == []


@pytest.mark.parametrize(("archive", "copies"), [("warc", 0), ("folder", 1)])
def test_a_plain_copy_is_made_of_new_versions_where_the_site_wants_it(archive: str, copies: int) -> None:
    shop = Shop(archive=archive)
    ledger = shop.visit("/item/1", item())
    assert len(ledger.documents) == copies
    if copies:
        assert (ledger.documents[0].body, ledger.documents[0].category) == (item().encode(), "lamps")
    assert shop.visit("/item/1", "", Change.SAME).documents == []


def test_no_empty_copy_is_made_of_a_page_whose_body_was_let_go_before_its_site_wanted_copies() -> None:
    shop, url = Shop(archive="folder"), ROOT + "/item/1"
    page, html = Page(fingerprint(url), url, "shop.example", "shop"), item().encode()
    reply = Reply(Ask(url), 10.0, Evidence.DOCUMENT, 200, sent_body=b"packed", let_go_bytes=len(html))
    ledger = Ledger()
    shop.recorder.note(
        [Arrival(page, Why.DUE, reply, Verdict(Change.NEW), read(html, "text/html", url), directives=frozenset())],
        ledger,
    )
    assert ledger.documents == []


def test_a_field_that_cannot_be_meant_so_names_its_site() -> None:
    with pytest.raises(ConfigError, match="site shop: field price: invalid CSS"):
        Shop(replace(PRICE, css="p["))


def test_where_fields_are_looked_for_everywhere_a_page_that_never_had_them_is_no_news() -> None:
    shop = Shop(PRICE, patterns=())
    shop.visit("/", "<p>home</p>")
    shop.visit("/lamp", item())
    sites = [Site("shop", (ROOT,))]
    assert broken_wrappers(shop.store, sites) == []
    shop.visit("/lamp", "<p>redesigned</p>")
    assert [one.example for one in broken_wrappers(shop.store, sites)] == [ROOT + "/lamp"]


def test_sitemaps_and_feeds_have_no_records() -> None:
    page = Page(1, ROOT + "/sitemap.xml", "shop.example", "shop", kind=Kind.SIGNAL)
    site = Site("shop", (ROOT,), fields=(PRICE,))
    assert SiteWrappers(site, Script(site, Canonicaliser())).reader(page) is None


def test_records_of_one_page_can_be_asked_for() -> None:
    shop = Shop(PRICE)
    for number in range(3):
        shop.visit(f"/item/{number}", item(f"€ {number + 1}"))
        shop.visit(f"/item/{number}", item(f"€ {number + 2}"))
    one = fingerprint(ROOT + "/item/1")
    assert [row.page.id for row in newest(shop.store, page=one)] == [one]
    assert [row.record.at for row in history(shop.store, page=one)] == [30.0, 40.0]
    assert [owner.id for owner, _ in changes(shop.store, page=one)] == [one]
    assert list(newest(shop.store, page=77)) == []
