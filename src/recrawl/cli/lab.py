"""`lab`: simulated crawls."""

import json
from pathlib import Path

import click

from recrawl.cli.kinds import Number
from recrawl.cli.lab_cluster import cluster
from recrawl.cli.outputs import make_room, put
from recrawl.cli.paint import line
from recrawl.cli.race import race


@click.group()
def lab() -> None:
    """Simulated crawls: what you simulate is what you run."""


lab.add_command(race)
lab.add_command(cluster)


@lab.command()
@click.option(
    "--pages", type=click.IntRange(20, 5000), default=240, show_default=True, help="Pages of the simulated site."
)
@click.option("--days", type=click.IntRange(28, 400), default=112, show_default=True)
@click.option("--budget", type=Number(0.001), default=0.3, show_default=True, help="Requests a page and day.")
@click.option("--traces", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of real traces.")
@click.option("--site", "sites", multiple=True, help="Which of the traces (default: endoflife and peps). Repeatable.")
@click.option("--documents", type=click.IntRange(0), default=20_000, show_default=True, help="Files the agent watches.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a row.")
def cooperate(
    pages: int,
    days: int,
    budget: float,
    traces: Path | None,
    sites: tuple[str, ...],
    documents: int,
    seed: int,
    as_json: bool,
) -> None:
    """What is saved if the server tells (S4): polling alone, notices alone, both; and what watching costs it."""
    from dataclasses import asdict

    from recrawl.cli.paint import table
    from recrawl.lab.race.cooperate import agent_cost, compare
    from recrawl.lab.race.traces import read, sampled
    from recrawl.lab.race.worlds import Size, lognormal

    histories = [lognormal(seed, Size(pages, days))]
    if traces is not None:
        chosen = sites or ("endoflife", "peps")
        histories += [sampled([read(traces / f"{name}.csv.gz")], seed, pages, name) for name in chosen]
    rows = []
    for history in histories:
        for one in compare(history, budget, seed):
            if as_json:
                line({**asdict(one), "requests_per_change": round(one.requests_per_change, 3)})
            asked = one.requests_per_day + one.readings_per_day
            numbers = (f"{asked:.1f}", f"{one.requests_per_change:.2f}", f"{one.megabytes_per_day:.2f}")
            rows.append((one.trace, one.way, *numbers, f"{one.freshness:.2%}", f"{one.delay_hours:.1f}"))
    cost = agent_cost(documents) if documents else None
    if as_json:
        if cost:
            line({**asdict(cost), "cpu_s_per_100_000": round(cost.cpu_s_per_100_000, 3)})
        return
    table(("history", "way", "requests/day", "per change", "MB/day", "fresh", "delay (h)"), rows)
    if cost:
        click.echo(f"agent: {cost.cpu_s_per_100_000:.2f} s of CPU to look at 100,000 documents ({documents} measured)")


@lab.command()
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed gives the same month, byte for byte."
)
@click.option("--days", type=Number(0.01, 3650), default=30.0, show_default=True)
@click.option("--servers", type=click.IntRange(1, 100), default=3, show_default=True)
@click.option(
    "--pages",
    type=click.IntRange(1, 10_000),
    default=30,
    show_default=True,
    help="Pages on each server, beside its shop and its lists.",
)
@click.option("--gap", "gap_s", type=Number(0), default=1.0, show_default=True, help="Seconds between requests.")
@click.option("--faults/--no-faults", default=True, show_default=True, help="Timeouts, resets, 5xx, busy spells, …")
@click.option("--events", "events_file", type=click.Path(path_type=Path), help="Write the event log here (JSON lines).")
@click.option("--requests", "requests_file", type=click.Path(path_type=Path), help="Write what the servers saw here.")
@click.option("--json", "as_json", is_flag=True, help="The summary as JSON.")
def month(
    seed: int,
    days: float,
    servers: int,
    pages: int,
    gap_s: float,
    faults: bool,
    events_file: Path | None,
    requests_file: Path | None,
    as_json: bool,
) -> None:
    """Crawl a simulated web under a virtual clock: the whole engine, a month in seconds, the same for the same seed."""
    from recrawl.lab.faults import CALM, rough
    from recrawl.lab.month import simulate
    from recrawl.lab.requests_log import render_line
    from recrawl.lab.varied import varied_world

    make_room(events_file)
    make_room(requests_file)
    result = simulate(varied_world(seed, servers, pages), seed, days, rough(seed) if faults else CALM, gap_s)
    if events_file:
        put("".join(event + "\n" for event in result.events), events_file)
    if requests_file:
        put("".join(map(render_line, result.requests)), requests_file)
    totals = result.store.totals()
    summary = {
        "seed": seed,
        "days": days,
        "pages": totals.live,
        "requests": result.counts["requests"],
        "changes": result.counts["changed"],
        "not_modified": result.counts["not_modified"],
        "failed": result.counts["failed"],
        "stale": len(result.stale()),
        "events": len(result.events),
    }
    if as_json:
        line(summary)
    else:
        click.echo("\n".join(f"{name:<13}{json.dumps(value)}" for name, value in summary.items()))
