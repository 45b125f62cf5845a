"""`schedule` and `rhythm`: what comes when, and when things change."""

import time
from datetime import UTC, datetime

import click
import numpy as np

from recrawl.answers.reading import reading
from recrawl.answers.weeks import profile, profiles, together
from recrawl.cli.options import folder_argument, folder_option, json_option, the_folder
from recrawl.cli.paint import iso, line, table, until
from recrawl.estimate.weeks import Profile
from recrawl.model.page import Page, Status
from recrawl.schedule.week import DAYS, EVERY_DAY, week_table

SHADES = " ░▒▓█"
MOST_PAGES = 2000
HOUR_S, WEEK_S = 3600.0, 7 * 86_400.0
WEEKS = 4  # S0's longest cycle
ORDINALS = ("", "1st", "2nd", "3rd", "4th")


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
    with reading(the_folder(folder, folder_word)) as found:
        site = found.site(site)
        if not week:
            _next_visits(found.store.next_due(limit, site), now, as_json)
            return
        pages = [page for page in found.store.scan(site, None, MOST_PAGES) if page.status is Status.LIVE]
        if by == "groups":
            rows = [(slot.day, slot.time, list(slot.urls)) for slot in week_table(profiles(found, pages, now))]
        else:
            rows = _by_due(pages, now)
    if as_json:
        for day, moment, urls in rows:
            line({"day": day, "time": moment, "urls": urls})
        return
    table(("day", "time", "addresses"), [(day, moment, _listed(urls)) for day, moment, urls in rows])


def _by_due(pages: list[Page], now: float) -> list[tuple[str, str, list[str]]]:
    """The coming weeks in S0's form: pages seen at least weekly by weekday, rarer ones in the week they are due."""
    slots: dict[tuple[int, int, str], list[str]] = {}
    for page in pages:
        for week, day, hour in _turns(page, now):
            slots.setdefault((week, day, f"{hour:02d}:00"), []).append(page.url)
    rows = [(_day_name(week, day), time, sorted(urls)) for (week, day, time), urls in sorted(slots.items())]
    return _every_day_first(rows)


def _turns(page: Page, now: float) -> set[tuple[int, int, int]]:
    """(week, weekday, hour) of a page's visits, if nothing is learnt until then; week 0: every week."""
    if page.due_at is None or page.due_at >= now + WEEKS * WEEK_S:
        return set()
    due_at = max(page.due_at, now)
    often = 0.0 < page.interval_s <= WEEK_S
    last_at = due_at + (WEEK_S - HOUR_S if often else 0.0)
    found, at = set(), due_at
    while at <= last_at:
        moment = datetime.fromtimestamp(at, UTC)
        found.add((0 if often else int((due_at - now) // WEEK_S) + 1, moment.weekday(), moment.hour))
        at += max(page.interval_s, HOUR_S)
    return found


def _day_name(week: int, day: int) -> str:
    return f"{ORDINALS[week]} {DAYS[day]}" if week else DAYS[day]


def _every_day_first(rows: list[tuple[str, str, list[str]]]) -> list[tuple[str, str, list[str]]]:
    """What is visited at one hour of all seven days is one line."""
    times = dict.fromkeys(time for _, time, _ in rows)
    weekly = {time: [set(urls) for day, at, urls in rows if at == time and day in DAYS] for time in times}
    daily = {time: set.intersection(*sets) if len(sets) == len(DAYS) else set() for time, sets in weekly.items()}
    first = [(EVERY_DAY, time, sorted(urls)) for time, urls in sorted(daily.items()) if urls]
    rest = [(day, at, [url for url in urls if day not in DAYS or url not in daily[at]]) for day, at, urls in rows]
    return [*first, *(row for row in rest if row[2])]


def _listed(urls: list[str]) -> str:
    return " ".join(urls[:3]) + (f" and {len(urls) - 3} more" if len(urls) > 3 else "")


def _next_visits(pages: list[Page], now: float, as_json: bool) -> None:
    if as_json:
        for page in pages:
            line({"url": page.url, "site": page.site, "due_at": iso(page.due_at), "interval_s": page.interval_s})
        return
    rows = [(until(page.due_at, now), f"{page.interval_s / 86_400:.2f}", page.url) for page in pages]
    table(("due", "every (days)", "address"), rows)


@click.command()
@click.argument("subject", metavar="URL|SITE")
@folder_option
@json_option
def rhythm(subject: str, folder: str | None, as_json: bool) -> None:
    """When in the week a page or a whole site was found changed: weekday × hour, UTC."""
    now = time.time()
    with reading(the_folder(folder)) as found:
        if subject in found.store.sites():
            shown = together(subject, profiles(found, found.store.scan(subject, None, MOST_PAGES), now))
        else:
            shown = profile(found, found.page(subject), now)
    if as_json:
        line({"subject": shown.url, "weeks": round(shown.weeks, 2), "changes": shown.changes.astype(int).tolist()})
    else:
        _draw(shown)


def _draw(shown: Profile) -> None:
    most = max(float(np.max(shown.changes)), 1.0)
    click.echo(f"{shown.url}: {int(shown.total)} changes found in {shown.weeks:.1f} weeks (hours are UTC)")
    click.echo("           " + "".join(f"{hour:<4d}" for hour in range(0, 24, 4)))
    for day, row in zip(DAYS, shown.changes, strict=True):
        cells = "".join(SHADES[int(np.ceil(count / most * (len(SHADES) - 1)))] for count in row)
        click.echo(f"{day:<10} {cells} {int(row.sum())}")
