"""Making pages due sooner than planned."""

from collections import Counter
from collections.abc import Iterable, Sequence

from recrawl.model.page import Status
from recrawl.model.site import Kind
from recrawl.store import codes, counts
from recrawl.store.book import Book
from recrawl.store.connection import Session
from recrawl.store.counts import Counts
from recrawl.store.rows import Row

Resting = tuple[int, int, float, int]  # site, kind and interval of pages that had no due time, and how many


def hasten(session: Session, sql: Book, places: Sequence[Row], at: float, rank: int | None = None) -> int:
    """Make pages (id, server, site, due time, interval, kind) due at a moment unless they are due before, and raise
    their rank if one is given; how many are due then."""
    later = [row for row in places if row[3] is None or row[3] > at]
    session.many(sql.hasten_page, sql.hasten_page.bind_each("page", [row[0] for row in later], at=at))
    if rank is not None:
        session.many(sql.raise_page, sql.raise_page.bind_each("page", [row[0] for row in places], rank=rank))
    _hasten_servers(session, sql, {row[1] for row in later}, at)
    resting = ((site, kind, interval_s or 0.0, 1) for _, _, site, due_at, interval_s, kind in later if due_at is None)
    session.many(sql.add_counts, _scheduled_again(resting, at))
    return len(places)


def hasten_stretch(
    session: Session, sql: Book, stretch: tuple[int, int], site: int, at: float, rank: int | None = None
) -> int:
    """The same for all pages that are visited at all, of a site or of every one (0), from one place to another."""
    bounds = {"from_id": stretch[0], "to_id": stretch[1], "site": site}
    alike = session.rows(sql.live_stretch, sql.live_stretch.bind(**bounds))
    later = {server for server, _, _, _, latest_at, _ in alike if latest_at is None or latest_at > at}
    if later:
        session.change(sql.hasten_stretch, sql.hasten_stretch.bind(**bounds, at=at))
    if rank is not None:
        session.change(sql.raise_stretch, sql.raise_stretch.bind(**bounds, rank=rank))
    _hasten_servers(session, sql, later, at)
    resting = ((row[1], row[2], row[3], row[5]) for row in alike if row[3] is not None)
    session.many(sql.add_counts, _scheduled_again(resting, at))
    return sum(row[5] for row in alike)


def _hasten_servers(session: Session, sql: Book, servers: Iterable[int], at: float) -> None:
    session.many(sql.hasten_server, (sql.hasten_server.bind(at=at, server=server) for server in sorted(servers)))


def _scheduled_again(resting: Iterable[Resting], at: float) -> list[tuple[int, int, int]]:
    """What pages that had no due time add to the counts by having one: the bands of their intervals.
    A sitemap or feed is not counted."""
    found: Counts = Counter()
    for site, kind, interval_s, pages in resting:
        if codes.KIND.member[kind] is Kind.SIGNAL:
            continue
        without = counts.standing(Status.LIVE, 0, interval_s, None)
        with_due = counts.standing(Status.LIVE, 0, interval_s, at)
        counts.add_standing(found, site, set(with_due) - set(without), pages)
    return [(site, kind, amount) for (site, kind), amount in found.items() if isinstance(site, int)]
