"""The demo's town on a virtual clock: some servers announce every change, others never say a word."""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import replace
from statistics import mean

from recrawl.config import Settings
from recrawl.lab.living import living_faults, living_world
from recrawl.lab.month import DAY_S, Month, simulate
from recrawl.lab.world import is_forbidden, version
from recrawl.model.address import fingerprint
from recrawl.schedule.settings import Settings as Intervals

DAYS = 6
LOOKS_A_DAY = 4
GAPS_S = tuple(map(float, range(20, 40)))


def fresh_and_daily(month: Month) -> tuple[float, float]:
    """Shares of the copies that are as their pages are: ours, and those of a crawl once a day that never fails."""
    world, seen = month.world, defaultdict(list)
    for request in month.requests:
        if request.status in (200, 304):
            seen[request.url].append(request.start_at)
    ours, daily = [], []
    for look in range(2 * LOOKS_A_DAY, DAYS * LOOKS_A_DAY):
        now = world.start_at + look * DAY_S / LOOKS_A_DAY
        for url in world.urls(now):
            visits = bisect_right(seen[url], now)
            if visits and not is_forbidden(world, url):
                truth = version(world, url, now)
                ours.append(version(world, url, seen[url][visits - 1]) == truth)
                came_at = now - (now - world.start_at - fingerprint(url) % DAY_S) % DAY_S
                daily.append(version(world, url, max(came_at, world.start_at)) == truth)
    return sum(ours) / len(ours), sum(daily) / len(daily)


def test_neither_pages_that_never_rest_nor_silent_servers_keep_the_others_stale() -> None:
    """Pages that change every half hour, and a sitemap that truly says so, took the requests of all others; and a
    server without a sitemap was left alone because the others' sitemaps were trusted. The mean of many months that
    differ in nothing but their gap: one by itself is chance (66.9 to 72.7 % beside the 69.1 of a daily crawl), and a
    last digit of a due time makes it another."""
    intervals = Intervals(first_from_s=DAY_S / 4, first_to_s=2 * DAY_S, requests_per_page_day=0.7)
    settings = replace(Settings(), intervals=intervals)
    months = [simulate(living_world(), 0, DAYS, living_faults(), gap_s=gap, settings=settings) for gap in GAPS_S]
    fresh, daily = (mean(shares) for shares in zip(*map(fresh_and_daily, months), strict=True))
    assert mean(len(month.requests) for month in months) < DAYS * 170  # of some 165 pages
    assert fresh > daily + 0.005
