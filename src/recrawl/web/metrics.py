"""What Prometheus sees. Labels are sites, page states and routes: all few, none grows with the crawl."""

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from recrawl.model.batch import Totals
from recrawl.web.desk import Desk
from recrawl.web.events import last_cursor
from recrawl.web.freshness import fresh_share

Amount = Callable[[Totals], int]

COUNTERS: tuple[tuple[str, str, Amount], ...] = (
    ("recrawl_visits", "Visits of pages, whatever came back.", lambda one: one.visits),
    ("recrawl_requests", "Requests made, robots.txt and other helpers included.", lambda one: one.requests),
    ("recrawl_changes", "Visits that found a change.", lambda one: one.changed),
    ("recrawl_not_modified", "Visits answered 304.", lambda one: one.not_modified),
    ("recrawl_failed_visits", "Visits without a usable answer.", lambda one: one.failed),
    ("recrawl_received_bytes", "Bytes received over the wire.", lambda one: one.bytes),
    ("recrawl_versions", "Versions kept in the archive.", lambda one: one.versions),
)
STATES: tuple[tuple[str, Amount], ...] = (
    ("live", lambda one: one.live),
    ("gone", lambda one: one.gone),
    ("moved", lambda one: one.moved),
    ("refused", lambda one: one.refused),
)
SERVERS = ("known", "overloaded", "failing")


class Meters:
    """Counts of the dashboard itself; outlives every request."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "recrawl_web_requests",
            "Requests to the dashboard.",
            ["route", "method", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "recrawl_web_seconds", "Time to answer a request to the dashboard.", registry=self.registry
        )

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        known = method if method in ("GET", "HEAD", "POST") else "other"
        self._requests.labels(route, known, str(status)).inc()
        if route != "/live":
            self._seconds.observe(seconds)


class CrawlCollector(Collector):
    """The state of the crawl, asked of the store at every scrape."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def collect(self) -> Iterable[Metric]:
        store, now = self._desk.store, self._desk.now()
        totals = {site: store.totals(site, now) for site in store.sites()}
        for name, about, amount in COUNTERS:
            counter = CounterMetricFamily(name, about, labels=["site"])
            for site, one in totals.items():
                counter.add_metric([site], amount(one))
            yield counter
        pages = GaugeMetricFamily("recrawl_pages", "Known addresses by state.", labels=["site", "state"])
        due = GaugeMetricFamily("recrawl_due_pages", "Pages due now and not yet visited.", labels=["site"])
        for site, one in totals.items():
            for state, amount in STATES:
                pages.add_metric([site, state], amount(one))
            pages.add_metric([site, "other"], one.pages - sum(amount(one) for _, amount in STATES))
            due.add_metric([site], one.due)
        yield from (pages, due)
        sample = self._desk.sample()
        fresh = GaugeMetricFamily("recrawl_expected_freshness", "Expected share of kept pages that are unchanged.")
        fresh.add_metric([], fresh_share(sample.pages, sample.ahead, now) or 0.0)
        yield fresh
        yield self._servers()
        cursor = GaugeMetricFamily("recrawl_event_cursor", "Cursor of the newest event.")
        cursor.add_metric([], last_cursor(store))
        yield cursor

    def _servers(self) -> Metric:
        servers = self._desk.store.servers()
        amounts = (len(servers), sum(one.overloaded for one in servers), sum(one.failures > 0 for one in servers))
        family = GaugeMetricFamily("recrawl_servers", "Servers by state.", labels=["state"])
        for state, amount in zip(SERVERS, amounts, strict=True):
            family.add_metric([state], amount)
        return family


def exposition(meters: Meters, desk: Desk) -> bytes:
    """Both, in Prometheus' text format."""
    crawl = CollectorRegistry()
    crawl.register(CrawlCollector(desk))
    return generate_latest(meters.registry) + generate_latest(crawl)
