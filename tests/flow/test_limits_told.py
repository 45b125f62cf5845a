"""Every limit says so when it bites: `why` names it for the page, `status` counts it for the site."""

from contextlib import closing
from pathlib import Path

from recrawl.answers.facts import facts_of
from recrawl.answers.reading import Reading, reading
from recrawl.engine.finding.discover_memo import bitten_counts, dropped_counts
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from tests.hostile.trial import arena, crawl

SETTINGS = """
[operator]
contact = "hostile@example.org"
[politeness]
patience_s = 4
[limits]
connect_s = 3
first_byte_s = 6
total_s = 20
slow_for_s = 6
header_bytes = 20000
header_count = 100
body_bytes = 4000000
[extract]
source_bytes = 1000000
tags = 20000
link_limit = 50
text_chars = 200000
node_limit = 5000
[signals]
sitemap_entries = 1
sitemap_bytes = 100000
sitemaps = 5
sitemap_depth = 1
feed_entries = 1
feed_bytes = 100000
feeds = 5
[traps]
alike_chain = 60
pages_per_pattern = 80
[keep]
versions = 1
[search]
beside = false
"""
BAD = "/bad.html"

# of a case: its page, what `why` says of it, and what `status` counts
TOLD = {
    "door-that-stays-shut": ("/", "robots.txt: ", "connect_timeout"),
    "silence": (BAD, "no answer within 6 s", "first_byte_timeout"),
    "slow-body": (BAD, "slower than 64 bytes", "too_slow"),
    "endless-at-modest-speed": (BAD, "timed out", "total_timeout"),
    "huge-header": (BAD, "the head of the answer is beyond the limits", "headers_too_large"),
    "many-headers": (BAD, "the head of the answer is beyond the limits", "headers_too_large"),
    "endless-chunks": (BAD, "4000000 bytes", "body_too_large"),
    "gzip-bomb": (BAD, "more would come out than the limits allow", "bomb"),
    "ten-codings": (BAD, "limits.encodings", "bomb"),
    "redirect-chain-without-end": ("/chain/5", "fetch.redirects", "redirects"),
    "only-ampersands": (BAD, "extract.source_bytes", "extract"),
    "many-bases": (BAD, "extract.tags", "extract"),
    "formatting-that-multiplies": (BAD, "extract.elements", "extract"),
    "weird-addresses": (BAD, "extract.href_chars", "extract"),
    "joined-emoji": (BAD, "extract.text_chars", "extract"),
    "formatting-of-every-kind": (BAD, "extract.node_limit", "extract"),
    "fragments": ("/frag", "extract.link_limit", "extract"),
    "sitemap-as-text": ("/sitemap.xml", "signals.sitemap_entries", "signals.sitemap_entries"),
    "sitemap-gzip-bomb": ("/sitemap.xml", "signals.sitemap_bytes", "signals.sitemap_bytes"),
    "feed-of-another-host": ("/feed.xml", "signals.feed_entries", "signals.feed_entries"),
    "feed-of-a-million": ("/feed.xml", "signals.feed_bytes", "signals.feed_bytes"),
    "error-as-200-from-then-on": (BAD, "keep.versions", "keep.versions"),
}
SPACES = ("spider-food", "calendar")  # more pages of a pattern than may be, a chain of pages alike
DROPPED = {
    "robots-of-many-sitemaps": "signals.sitemaps",
    "sitemap-index-of-itself": "signals.sitemap_depth",
    "feeds-everywhere": "signals.feeds",
    "path-repeat": "trap_repeated_segment",
}


def what_why_says(book: Reading, url: str) -> str:
    page = book.page(url)
    answer = facts_of(book, page, page.checked_at or 0.0)
    return "; ".join([*answer["limits"], answer["reason"] or ""])


def test_every_limit_that_bites_is_named_by_why_and_counted_by_status(tmp_path: Path) -> None:
    with arena(tmp_path, [*TOLD, *DROPPED, *SPACES], limits="", settings=SETTINGS) as found:
        costs = [crawl(found)]
        changing = found.seed("error-as-200-from-then-on").rstrip("/") + BAD
        folder = Folder(found.folder)
        with reading(folder) as book, closing(open_store(folder, book.settings)) as store:
            store.make_due(0.0, ids=(book.page(changing).id,))
        costs.append(crawl(found))
    assert {cost.code for cost in costs} <= {0, 4}, costs
    with reading(Folder(found.folder)) as book:
        whys = {case: what_why_says(book, found.seed(case).rstrip("/") + path) for case, (path, _, _) in TOLD.items()}
        assert {case: whys[case] for case, (_, words, _) in TOLD.items() if words not in whys[case]} == {}
        bitten = {case: dict(bitten_counts(book.store, case)) for case in TOLD}
        assert {case: bitten[case] for case, (_, _, limit) in TOLD.items() if limit not in bitten[case]} == {}
        for case in SPACES:
            assert bitten_counts(book.store, case)["trap"], case
        for case, reason in DROPPED.items():
            assert dropped_counts(book.store, case)[reason], case
        assert len(book.store.versions(book.page(changing).id)) == 1
