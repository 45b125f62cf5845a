"""`lab cluster`: a cluster of many workers in virtual time."""

from dataclasses import asdict

import click

from recrawl.cli.kinds import Number
from recrawl.cli.paint import facts, line


@click.command()
@click.option("--workers", type=click.IntRange(2, 5000), default=1000, show_default=True)
@click.option("--partitions", type=click.IntRange(2, 1_000_000), default=16_384, show_default=True)
@click.option("--lease", "lease_s", type=Number(1.0, 600.0), default=10.0, show_default=True, help="Seconds.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def cluster(workers: int, partitions: int, lease_s: float, seed: int, as_json: bool) -> None:
    """Leases and load of a cluster: workers come, die, are stopped and wake up, the store is away for a while.

    The workers decide with the code that real ones decide with. The same seed gives the same story. A thousand workers
    take about a minute.
    """
    from recrawl.lab.cluster_world import Story, simulated

    story = Story(workers, partitions, lease_s, seed=seed).scaled()
    found = simulated(story)
    if as_json:
        line({"story": asdict(story), "outcome": asdict(found)})
        return
    per_s = {name: count / found.lasts_s for name, count in found.statements.items()}
    facts(
        (
            ("two at once", f"{found.two_at_once} moments at which two workers could ask one server"),
            *(
                (f"after a {fault}", f"every partition owned within {s:.1f} s")
                for fault, s in found.recovered_s.items()
            ),
            ("leases lost", found.lost_leases),
            ("partitions moved", found.moved),
            ("shares in the end", f"{found.least_held} to {found.most_held} partitions a worker"),
            *((f"{name} statements", f"{rate:.1f} a second") for name, rate in per_s.items()),
            ("busiest second", f"{found.busiest_s} statements"),
            ("rows", f"{found.rows / found.lasts_s:,.0f} a second"),
        )
    )
