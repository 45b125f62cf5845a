"""`schedule` and `rhythm`: what comes when, and when things change."""

import time
from collections.abc import Iterator, Sequence

import click
import numpy as np

from recrawl.answers.chances import Chance, Chances, coming
from recrawl.answers.coming_weeks import coming_weeks
from recrawl.answers.facts import hindrance_object
from recrawl.answers.reading import Reading, reading
from recrawl.answers.weeks import profile, profiles, together
from recrawl.cli.options import folder_argument, folder_option, json_option, refuse_idle, the_folder
from recrawl.cli.paint import counted, iso, line, table, until
from recrawl.estimate.weeks import Profile
from recrawl.model.failure import NotFound, UsageError
from recrawl.model.page import Page, Status
from recrawl.model.swift import replace
from recrawl.schedule.week import DAYS, week_table

SHADES = " ░▒▓█"
MOST_PAGES = 2000
DAY_S = 86_400.0


@click.command()
@folder_argument
@click.option("--week", is_flag=True, help="The weekly table (weekday, time, addresses) instead of the next visits.")
@click.option("--by", type=click.Choice(["groups", "due"]), default="due", show_default=True,
              help="With --week: by S0's groups, or by when pages are really due.")  # fmt: skip
@click.option("--site", default="", help="Only this site.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many next visits.")
@json_option
def schedule(
    folder: str | None, folder_word: str | None, week: bool, by: str, site: str, limit: int, as_json: bool
) -> None:
    """The next visits in order; with --week the table of weekday, time and addresses that S0 draws, for any policy."""
    now = time.time()
    if week:
        refuse_idle("the weekly table is shown whole; it goes with the list of next visits", "limit")
    else:
        refuse_idle("only the weekly table can be drawn in two ways; say --week, too", "by")
    with reading(the_folder(folder, folder_word)) as found:
        site = found.site(site)
        if not week:
            _next_visits(found, coming(found, limit, site), now, as_json)
            return
        pages = [page for page in found.store.scan(site, None, MOST_PAGES) if page.status is Status.LIVE]
        slots = (
            week_table(profiles(found, pages, now)) if by == "groups" else coming_weeks(_held(found, pages, now), now)
        )
    if as_json:
        for slot in slots:
            line({"day": slot.day, "time": slot.time, "urls": list(slot.urls)})
        return
    table(("day", "time", "addresses"), [(slot.day, slot.time, _listed(slot.urls)) for slot in slots])


def _held(found: Reading, pages: Sequence[Page], now: float) -> Iterator[Page]:
    """Due when they can be visited."""
    chances = Chances(found, now)
    return (replace(page, due_at=chances.of(page).at) for page in pages)


def _listed(urls: Sequence[str]) -> str:
    return " ".join(urls[:3]) + (f" and {len(urls) - 3} more" if len(urls) > 3 else "")


def _next_visits(found: Reading, pages: Sequence[Page], now: float, as_json: bool) -> None:
    """By due time; where something holds a page back, when it can be visited, and what it is."""
    chances = Chances(found, now)
    expected = [(page, chances.of(page)) for page in pages]
    if as_json:
        for page, chance in expected:
            line(
                {
                    "url": page.url,
                    "site": page.site,
                    "due_at": iso(page.due_at),
                    "visit_at": iso(chance.at),
                    "held_back_by": [hindrance_object(one) for one in chance.hindrances],
                    "interval_s": page.interval_s,
                }
            )
        return
    rows = [(_visit(page, chance, now), _every(page), page.url) for page, chance in expected]
    table(("visit", "every (days)", "address"), rows)
    for says in dict.fromkeys(one.says for _, chance in expected for one in chance.hindrances):
        click.echo(f"held back: {says}")


def _visit(page: Page, chance: Chance, now: float) -> str:
    if chance.hindrances:
        return f"{until(chance.at, now)} ({', '.join(one.kind for one in chance.hindrances)})"
    return until(page.due_at, now) if page.due_at is None or page.due_at > now else "now"


def _every(page: Page) -> str:
    return f"{page.interval_s / DAY_S:.2f}" if page.interval_s else "first visit"


@click.command()
@click.argument("subject", metavar="URL|SITE")
@folder_option
@json_option
def rhythm(subject: str, folder: str | None, as_json: bool) -> None:
    """When in the week a page or a whole site was found changed: weekday × hour, UTC."""
    now = time.time()
    if not subject.strip():
        raise UsageError("of what? Name a site, or the address of a page")
    with reading(the_folder(folder)) as found:
        if subject in found.store.sites():
            shown = together(subject, profiles(found, found.store.scan(subject, None, MOST_PAGES), now))
        elif not set(".:/") & set(subject):
            raise NotFound(f"{found.site(subject)} has no pages yet: `recrawl run --once` first")
        else:
            shown = profile(found, found.page(subject), now)
    if as_json:
        line({"subject": shown.url, "weeks": round(shown.weeks, 2), "changes": shown.changes.astype(int).tolist()})
    else:
        _draw(shown)


def _draw(shown: Profile) -> None:
    most = max(float(np.max(shown.changes)), 1.0)
    click.echo(f"{shown.url}: {counted(int(shown.total), 'change')} found in {shown.weeks:.1f} weeks (hours are UTC)")
    click.echo("           " + "".join(f"{hour:<4d}" for hour in range(0, 24, 4)))
    for day, row in zip(DAYS, shown.changes, strict=True):
        cells = "".join(SHADES[int(np.ceil(count / most * (len(SHADES) - 1)))] for count in row)
        click.echo(f"{day:<10} {cells} {int(row.sum())}")
