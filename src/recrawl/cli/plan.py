"""`plan`: what a budget buys."""

import time
from typing import Any

import click

from recrawl.answers.plans import SitePlan, common_sample, planned
from recrawl.answers.reading import reading
from recrawl.cli.kinds import Number
from recrawl.cli.options import folder_argument, json_option, the_folder
from recrawl.cli.paint import line, table
from recrawl.model.failure import UsageError
from recrawl.schedule.plan import STEPS, Point

BAR = 40
NEAR = 0.02
SITE_COLUMNS = ("site", "pages", "requests/day", "expected freshness", "with half", "with double")
MARKS = {-1: "half", 0: "as many as now, spent best", 1: "double"}


@click.command()
@folder_argument
@click.option("--budget", type=Number(min=0, min_open=True), help="Requests a day: what would they buy?")
@click.option("--target", type=Number(0, 1, min_open=True, max_open=True), help="Freshness wanted, e.g. 0.95.")
@click.option("--site", default="", help="Only this site (default: all together, then each).")
@json_option
def plan(
    folder: str | None, folder_word: str | None, budget: float | None, target: float | None, site: str, as_json: bool
) -> None:
    """Expected freshness against requests a day, from what has been learnt; where we are, and what else would do."""
    now = time.time()
    if budget and target:
        raise UsageError("a budget or a target: one follows from the other, so name one")
    with reading(the_folder(folder, folder_word)) as found:
        names = [found.site(site)] if site else ["", *found.store.sites()]
        common = common_sample(found) if len(names) > 1 else None
        drawn = [planned(found, now, name, budget, target, as_json or name == names[0], common) for name in names]
    plans = [one for one in drawn if one is not None]
    if not plans:
        click.echo("nothing to plan with yet: `recrawl run --once` first", err=as_json)
    for one in plans if as_json else plans[:1]:
        line(_object(one)) if as_json else _tell(one, budget, target)
    if not as_json and len(plans) > 2:
        click.echo()
        table(SITE_COLUMNS, [_row(one) for one in plans[1:]])


def _row(one: SitePlan) -> tuple[object, ...]:
    freshness = (f"{point.freshness:.1%}" if point else "-" for point in (one.here, one.half, one.double))
    return (one.site, one.pages, f"{one.here.requests_per_day:.1f}", *freshness)


def _object(one: SitePlan) -> dict[str, Any]:
    return {
        "site": one.site,
        "pages": one.pages,
        "here": _point(one.here),
        "curve": [_point(point) for point in one.points],
        "half": _point(one.half) if one.half else None,
        "double": _point(one.double) if one.double else None,
        "asked": _point(one.asked) if one.asked else None,
    }


def _point(point: Point) -> dict[str, float]:
    return {
        "requests_per_day": round(point.requests_per_day, 3),
        "freshness": round(point.freshness, 5),
        "delay_days": round(point.delay_days, 4),
    }


def _tell(one: SitePlan, budget: float | None, target: float | None) -> None:
    now = f"now about {one.here.requests_per_day:.1f} requests a day"
    click.echo(f"{one.site}: {one.pages} pages, {now} for an expected freshness of {one.here.freshness:.1%}")
    for step, point in zip(STEPS, one.points, strict=False):
        bar = "█" * round(point.freshness * BAR)
        mark = MARKS.get(step, "")
        click.echo(f"{point.requests_per_day:>12.1f} a day  {bar:<{BAR}} {point.freshness:>6.1%}  {mark}".rstrip())
    if one.asked:
        found = f"{one.asked.requests_per_day:.1f} requests a day give {one.asked.freshness:.1%}"
        click.echo(f"asked for: {found}{beyond(one.asked, budget, target)}")


def beyond(found: Point, budget: float | None, target: float | None) -> str:
    """What was asked for lies where nothing can be bought, or nothing more."""
    if budget and found.requests_per_day > budget * (1 + NEAR):
        return f", and {budget:g} a day is less than the rarest visits take"
    if budget and found.requests_per_day < budget * (1 - NEAR):
        return f", and more, up to {budget:g}, would buy nothing"
    return f", and {target:.7g} cannot be reached" if target and found.freshness < target - NEAR * (1 - target) else ""
