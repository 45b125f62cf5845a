"""The dashboard's values as charts."""

from datetime import UTC, datetime

from recrawl.formats import duration
from recrawl.model.visit import Version, Visit
from recrawl.web.chart import Bar, Mark, Point, bars, heat, line, short, timeline
from recrawl.web.figures import Figures
from recrawl.web.overview import Overview
from recrawl.web.plan import Plan
from recrawl.web.week import DAYS, Week
from recrawl.web.words import day_and_time, percent

VERDICT_ROWS = ("changed", "same", "failed")
ROW_OF = {"new": 0, "changed": 0, "moved": 0, "gone": 0, "same": 1, "unknown": 2}


def day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%d %b")


def moments(low: float, high: float, count: int = 5) -> list[tuple[float, str]]:
    """Evenly spaced names for a time axis."""
    spread = high - low
    form = day if spread > 3 * 86_400 else lambda at: datetime.fromtimestamp(at, UTC).strftime("%d. %H:%M")
    return [(low + spread * step / (count - 1), form(low + spread * step / (count - 1))) for step in range(count)]


def freshness_curve(found: Overview) -> str:
    points = [Point(one.at, one.fresh) for one in found.curve]
    labels = moments(points[0].x, points[-1].x)[1:-1] if points else []
    title = f"Expected freshness over time, now {percent(found.fresh)}"
    return line(title, points, top=1.0, labels=labels, percent=True)


def request_days(found: Overview) -> str:
    values = [
        Bar(day(one.from_at), one.requests, note=f"{day_and_time(one.from_at)}, 24 h: {one.requests} requests")
        for one in found.days
    ]
    level = Mark("a daily crawl", found.daily_crawl)
    return bars("Requests a day against a daily crawl of the same pages", values, level=level)


def week_map(week: Week) -> str:
    hours = [f"{hour:02d}" for hour in range(24)]
    return heat("Changes found by weekday and hour", [name[:3] for name in DAYS], hours, week.changes)


def interval_bars(figures: Figures) -> str:
    values = [
        Bar(duration.render(band.from_s), band.pages, note=f"{band_name(band.from_s, band.to_s)}: {band.pages} pages")
        for band in figures.intervals
    ]
    return bars("Pages by revisit interval", values)


def ratio_bars(figures: Figures) -> str:
    values = [
        Bar(
            duration.render(one.from_s),
            one.mean,
            deviation=one.deviation,
            note=f"{band_name(one.from_s, one.to_s)}: {one.mean:.2f} ± {one.deviation:.2f}, {one.pages} pages",
        )
        for one in figures.ratios
    ]
    return bars("Detection ratio against revisit interval", values, top=1.0)


def gap_bars(figures: Figures) -> str:
    values = [
        Bar(
            duration.render(one.from_s),
            one.servers,
            upper=one.overloaded,
            note=f"{band_name(one.from_s, one.to_s)}: {one.servers} servers, {one.overloaded} overloaded",
        )
        for one in figures.gaps
    ]
    return bars("Servers by the access gap that their schedule needs", values)


def band_name(from_s: float, to_s: float) -> str:
    return (
        f"{duration.render(from_s)} and more"
        if to_s == float("inf")
        else f"{duration.render(from_s)} to {duration.render(to_s)}"
    )


def plan_curve(found: Plan, asked: float | None = None) -> str:
    """Budget against freshness, with where the crawl stands, a daily crawl, and the budget asked about."""
    marks = []
    for name, one in (("you are here", found.here), ("daily crawl", found.daily)):
        if one is not None:
            marks.append(
                Mark(f"{name}: {one.requests_per_day:.0f} a day, {one.fresh:.1%}", one.fresh, one.requests_per_day)
            )
    if asked is not None and (fresh := found.at(asked)) is not None:
        marks.append(Mark(f"{asked:.0f} a day: {fresh:.1%}", fresh, asked))
    points = [Point(one.requests_per_day, one.fresh) for one in found.curve]
    most = max([point.x for point in points] + [mark.x for mark in marks if mark.x is not None], default=1.0)
    least = min((point.x for point in points), default=0.0)
    labels = [(least + (most - least) * step / 4, short(least + (most - least) * step / 4)) for step in range(1, 4)]
    return line("Requests a day against expected freshness", points, top=1.0, labels=labels, marks=marks, percent=True)


def history(visits: list[Visit], versions: list[Version], due_at: float | None) -> str:
    """Visits by what they proved, versions, and the next visit."""
    rows = ("versions", *VERDICT_ROWS, "next visit")
    points = [Point(one.at, 0, f"version of {day_and_time(one.at)}", "version") for one in versions]
    points += [
        Point(
            one.at,
            1 + ROW_OF[one.change],
            f"{day_and_time(one.at)}: {one.status or one.failure} {one.change}",
            one.change,
        )
        for one in visits
    ]
    if due_at is not None:
        points.append(Point(due_at, len(rows) - 1, f"due {day_and_time(due_at)}", "due"))
    at = [point.x for point in points]
    labels = moments(min(at), max(at), 4) if at else []
    return timeline("Visits and versions over time", points, labels, rows)
