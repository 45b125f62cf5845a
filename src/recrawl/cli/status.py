"""`status`: what is kept, what changed, what is due."""

import time
from dataclasses import asdict
from typing import Any

import click

from recrawl.answers.allowance import Allowance, allowances
from recrawl.answers.chances import Chance, Chances, coming, waiting
from recrawl.answers.facts import hindrance_object
from recrawl.answers.reading import Reading, reading
from recrawl.answers.record_rows import broken_wrappers
from recrawl.answers.strain import relief_object, relief_sentence, reliefs
from recrawl.cli.options import folder_argument, json_option, the_folder
from recrawl.cli.paint import facts, iso, line, size, table, until
from recrawl.cli.records import broken_sentence
from recrawl.engine.adoption import orphaned
from recrawl.engine.finding.discover_memo import bitten_counts, dropped_counts
from recrawl.engine.settling.savings import Saved, saved_in
from recrawl.model.batch import Totals
from recrawl.model.page import Page
from recrawl.schedule.budget import BOTH

SITE_COLUMNS = ("site", "pages", "known", "due", "visits", "changed", "304", "failed", "received", "spared", "avoided")
NEXT = 3  # visits shown


@click.command()
@folder_argument
@json_option
def status(folder: str | None, folder_word: str | None, as_json: bool) -> None:
    """What is kept, what changed, what is due, in all and by site.

    `pages` are those of which a copy is kept, `known` every address met, `due` those of them that want a visit now.
    """
    with reading(the_folder(folder, folder_word)) as found:
        now = time.time()
        (_as_json if as_json else _as_text)(found, now)


def totals_object(totals: Totals) -> dict[str, int]:
    """`pages` are those of which a copy is kept; `known` is every address met."""
    values = asdict(totals)
    return {"pages": values.pop("live"), "known": values.pop("pages"), **values}


def saved_object(saved: Saved) -> dict[str, float]:
    """`avoided_visits`: against a crawl that visits every page daily."""
    return {
        "avoided_visits": saved.avoided_visits,
        "revisits": saved.revisits,
        "daily_visits": round(saved.daily_visits, 1),
        "spared_bytes": saved.spared_bytes,
    }


def _as_json(found: Reading, now: float) -> None:
    names = found.store.sites()
    broken = broken_wrappers(found.store, found.folder.sites())
    held = waiting(found, now)
    line(
        {
            **totals_object(found.store.totals("", now)),
            "saved": saved_object(saved_in(found.store, names)),
            "held_back_by": [hindrance_object(one) for one in held.hindrances],
            "budgets": [asdict(one) for one in allowances(found, now)],
            "sites": [_site_object(found, name, now) for name in names],
            "troubled_servers": _server_objects(found, now),
            "broken_wrappers": [{**asdict(one), "since_at": iso(one.since_at)} for one in broken],
            "disk_is_low": _disk_is_low(found),
        }
    )


def _site_object(found: Reading, name: str, now: float) -> dict[str, Any]:
    return {
        "site": name,
        **totals_object(found.store.totals(name, now)),
        "saved": saved_object(saved_in(found.store, [name])),
        "dropped_links": dict(dropped_counts(found.store, name)),
        "limits": dict(bitten_counts(found.store, name)),
    }


def _server_objects(found: Reading, now: float) -> list[dict[str, Any]]:
    servers = found.store.servers()
    strain = reliefs(found, servers, now)
    return [
        {
            "server": one.key,
            "load_per_s": one.load_per_s,
            "gap_s": one.gap_s,
            "overloaded": one.overloaded,
            "relief": relief_object(strain.get(one.key)),
        }
        for one in servers
        if one.key in strain or one.failures
    ]


def _disk_is_low(found: Reading) -> bool:
    return found.folder.disk_is_low(found.settings.keep.disk_floor_bytes)


def _as_text(found: Reading, now: float) -> None:
    names = found.store.sites()
    table(SITE_COLUMNS, [_site_row(found, name, now) for name in names])
    _tell_savings(saved_in(found.store, names))
    for one in allowances(found, now):
        click.echo(_budget_sentence(one))
    for name in names:
        _tell_of_site(found, name)
    _tell_of_servers(found, now)
    for broken in broken_wrappers(found.store, found.folder.sites()):
        click.echo(broken_sentence(broken))
    if _disk_is_low(found):
        click.echo("the disk is nearly full: nothing is fetched until there is room again (keep.disk_floor_bytes)")
    _tell_errors(found)
    _tell_of_orphans(found)
    _tell_what_is_next(found, now)


def _tell_of_orphans(found: Reading) -> None:
    for name in orphaned(found.store, [site.name for site in found.folder.sites()]):
        gives = "cluster adopt" if found.settings.state.store else "run"
        told = f"`recrawl {gives}` gives its pages to sites that cover them, others are left"
        click.echo(f"{name} has no site file: {told}")


def _tell_what_is_next(found: Reading, now: float) -> None:
    held, chances = waiting(found, now), Chances(found, now)
    if held.hindrances:
        click.echo(held.sentence(now))
    if pages := coming(found, NEXT):
        click.echo("\nnext:")
        facts((_expected(page, chances.of(page), now), page.url) for page in pages)


def _expected(page: Page, chance: Chance, now: float) -> str:
    if chance.at is None and page.due_at is not None:
        return "held back"
    return until(chance.at, now) if chance.at != now else "now"


def _site_row(found: Reading, name: str, now: float) -> tuple[object, ...]:
    totals, saved = found.store.totals(name, now), saved_in(found.store, [name])
    share = totals.not_modified / totals.visits if totals.visits else 0.0
    return (
        name,
        totals.live,
        totals.pages,
        totals.due,
        totals.visits,
        totals.changed,
        f"{share:.0%}",
        totals.failed,
        size(totals.bytes),
        size(saved.spared_bytes),
        max(saved.avoided_visits, 0),
    )


def _tell_savings(saved: Saved) -> None:
    if saved.avoided_visits > 0:
        click.echo(
            f"avoided: {saved.revisits} revisits where a daily crawl of the same pages would have made "
            f"{saved.daily_visits:.0f}; spared: {size(saved.spared_bytes)} that were not sent again, by 304"
        )


def _budget_sentence(one: Allowance) -> str:
    told = []
    if one.requests_per_day is not None:
        told.append(f"{one.requests:,} of {BOTH if one.days > 1 else one.requests_per_day:,g} requests")
    if one.bytes_per_day is not None:
        told.append(f"{size(one.bytes)} of {size(int(one.bytes_per_day * one.days))}")
    since = "today" if one.days == 1 else f"in {one.days:,} days"
    return f"spent {since}, {one.site or 'all sites'}: {', '.join(told)}"


def _tell_of_site(found: Reading, name: str) -> None:
    if dropped := dropped_counts(found.store, name):
        click.echo(f"links dropped by {name}: " + ", ".join(f"{count} {why}" for why, count in dropped.most_common()))
    if bitten := bitten_counts(found.store, name):
        told = ", ".join(f"{limit} {count} times" for limit, count in bitten.most_common())
        click.echo(f"limits that bit at {name}: {told}; see `recrawl why URL`")


def _tell_of_servers(found: Reading, now: float) -> None:
    servers = found.store.servers()
    strain = reliefs(found, servers, now)
    for server in servers:
        if server.key in strain:
            click.echo(f"overloaded: {server.key}: {relief_sentence(server, strain[server.key])}")
        if server.failures:
            again = f"asked again {until(server.free_at, now)}" if server.free_at > now else "not asked since"
            click.echo(f"failing: {server.key}, {server.failures} in a row, {again}")


def _tell_errors(found: Reading) -> None:
    if groups := found.store.error_groups(limit=10):
        click.echo()
        table(
            ("pages", "status", "reason", "for example"),
            [(one.pages, one.status, one.reason, one.example) for one in groups],
        )
