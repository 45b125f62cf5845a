"""Making pages due sooner than planned."""

from collections import Counter
from collections.abc import Sequence

from recrawl.model.page import Status
from recrawl.model.site import Kind
from recrawl.store import codes, counts
from recrawl.store.book import Book
from recrawl.store.connection import Session
from recrawl.store.counts import Counts
from recrawl.store.rows import Row


def hasten(session: Session, sql: Book, places: Sequence[Row], at: float, rank: int | None = None) -> int:
    """Make pages (id, server, site, due time, interval, kind) due at a moment unless they are due before, and raise
    their rank if one is given; how many are due then."""
    later = [row for row in places if row[3] is None or row[3] > at]
    session.many(sql.hasten_page, sql.hasten_page.bind_each("page", [row[0] for row in later], at=at))
    if rank is not None:
        session.many(sql.raise_page, sql.raise_page.bind_each("page", [row[0] for row in places], rank=rank))
    servers = sorted({row[1] for row in later})
    session.many(sql.hasten_server, (sql.hasten_server.bind(at=at, server=server) for server in servers))
    session.many(sql.add_counts, _scheduled_again([row for row in later if row[3] is None], at))
    return len(places)


def _scheduled_again(places: Sequence[Row], at: float) -> list[tuple[int, int, int]]:
    """What a page that had no due time adds to the counts by having one: its interval's band.
    A sitemap or feed is not counted."""
    found: Counts = Counter()
    for _, _, site, _, interval_s, kind in places:
        if codes.KIND.member[kind] is Kind.SIGNAL:
            continue
        without = counts.standing(Status.LIVE, 0, interval_s or 0.0, None)
        with_due = counts.standing(Status.LIVE, 0, interval_s or 0.0, at)
        counts.add_standing(found, site, set(with_due) - set(without), 1)
    return [(site, kind, amount) for (site, kind), amount in found.items() if isinstance(site, int)]
