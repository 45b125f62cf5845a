"""`python -m tests.bench beyond`: from measured constants to what a crawl of a million to a thousand million needs.

`docs/scaling.md` holds its tables; change a constant here when its command says another figure.
"""

from dataclasses import dataclass

DAY_S = 86_400.0
CORES = 8  # of one ordinary machine
SIZES = (1_000_000, 10_000_000, 100_000_000, 1_000_000_000)


@dataclass(frozen=True, slots=True)
class Measured:
    """Constants, each with the command that measures it. CPU seconds of one core."""

    known_bytes: float = 161.0  # SQLite, an address that waits: `make bench-scale`, dbstat
    visited_bytes: float = 533.0  # the same, visited, with one version and two visits
    postgres_known_bytes: float = 252.0  # `python -m tests.bench postgres`
    postgres_visited_bytes: float = 860.0
    first_cpu_s: float = 0.00125  # a first visit, links and WARC included: `make bench-workers`
    again_cpu_s: float = 0.00105  # a revisit, mostly 304: the same
    postgres_visit_s: float = 0.00030  # server's part of a visit: `python -m tests.bench postgres`
    postgres_link_s: float = 0.000013  # of a known link
    worker_bytes: float = 140e6  # peak memory of a worker, whatever the folder: `make bench-scale`
    warc_bytes: float = 6_000.0  # a changed page of 20 KB, gzipped, with its head
    same_bytes: float = 500.0  # on the wire for a 304
    answer_bytes: float = 5_500.0  # on the wire for a changed page


@dataclass(frozen=True, slots=True)
class Wish:
    """What the crawl is for: one address in five is kept fresh, once a week on average (the default budget), and one
    visit in twenty finds a change; of its sixty links three are not known from lately and are looked up."""

    visited: float = 0.2
    per_page_day: float = 1.0 / 7.0
    changed: float = 0.05
    links_looked_up: float = 3.0
    busy: float = 0.5  # of a core, of a server: half is left for bursts


@dataclass(frozen=True, slots=True)
class Needs:
    addresses: int
    requests_per_day: float
    requests_per_s: float
    sqlite_gb: float
    postgres_gb: float
    warc_gb_per_year: float
    megabits_per_s: float
    worker_cores: float
    postgres_cores: float
    gap_servers: float  # servers needed at least, were each asked once a second
    first_days: float  # for a first visit of every one of them, by eight cores half busy


def needs(addresses: int, found: Measured, wish: Wish) -> Needs:
    visited = addresses * wish.visited
    per_day = visited * wish.per_page_day
    per_s = per_day / DAY_S
    on_the_wire = wish.changed * found.answer_bytes + (1 - wish.changed) * found.same_bytes
    postgres_s = found.postgres_visit_s + wish.changed * wish.links_looked_up * found.postgres_link_s
    return Needs(
        addresses,
        per_day,
        per_s,
        (addresses * (1 - wish.visited) * found.known_bytes + visited * found.visited_bytes) / 1e9,
        (addresses * (1 - wish.visited) * found.postgres_known_bytes + visited * found.postgres_visited_bytes) / 1e9,
        per_day * 365 * wish.changed * found.warc_bytes / 1e9,
        per_s * on_the_wire * 8 / 1e6,
        per_s * found.again_cpu_s / wish.busy,
        per_s * postgres_s / wish.busy,
        per_s,
        visited * found.first_cpu_s / (CORES * wish.busy) / DAY_S,
    )


ROWS = (
    ("requests a day", "requests_per_day", "{:,.0f}"),
    ("requests a second, on average", "requests_per_s", "{:,.1f}"),
    ("state in SQLite, GB", "sqlite_gb", "{:,.1f}"),
    ("state in PostgreSQL, GB", "postgres_gb", "{:,.1f}"),
    ("WARC of changed pages, GB a year", "warc_gb_per_year", "{:,.0f}"),
    ("bandwidth, Mbit/s", "megabits_per_s", "{:,.2f}"),
    ("cores for workers, half busy", "worker_cores", "{:,.2f}"),
    ("cores of PostgreSQL, half busy", "postgres_cores", "{:,.2f}"),
    ("servers needed at one request a second each", "gap_servers", "{:,.0f}"),
    (f"days for all first visits, {CORES} cores half busy", "first_days", "{:,.2f}"),
)


def table(found: Measured | None = None, wish: Wish | None = None) -> str:
    columns = [needs(size, found or Measured(), wish or Wish()) for size in SIZES]
    lines = ["| addresses | " + " | ".join(f"{one.addresses:,}" for one in columns) + " |"]
    lines.append("|---|" + "---:|" * len(columns))
    for title, name, shape in ROWS:
        lines.append(f"| {title} | " + " | ".join(shape.format(getattr(one, name)) for one in columns) + " |")
    return "\n".join(lines)


def main() -> None:
    print("One address in five is kept fresh:\n")
    print(table())
    print("\nAll are:\n")
    print(table(wish=Wish(visited=1.0)))
