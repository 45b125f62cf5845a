"""What the API answers with. Ids are texts: a browser's numbers are too short for them. Moments are ISO 8601, UTC."""

from dataclasses import dataclass, fields

from recrawl.formats.moment import iso
from recrawl.model.page import Page
from recrawl.model.visit import Version
from recrawl.web.figures import Figures
from recrawl.web.overview import Numbers, Overview
from recrawl.web.plan import Plan, Spot


@dataclass(frozen=True, slots=True)
class Trouble:
    """Every refusal: one sentence."""

    detail: str


@dataclass(frozen=True, slots=True)
class PageLine:
    id: str
    url: str
    site: str
    kind: str
    category: str
    status: str
    visits: int
    changes: int
    interval_s: float
    due_at: str | None
    checked_at: str | None
    changed_at: str | None
    size_bytes: int


@dataclass(frozen=True, slots=True)
class PageList:
    """`next`: pass it as `after` for the next part; null at the end."""

    items: list[PageLine]
    next: str | None


@dataclass(frozen=True, slots=True)
class Change:
    cursor: int
    kind: str
    url: str
    at: str | None
    site: str
    digest: str | None = None
    previous_digest: str | None = None
    share_changed: float | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeList:
    """`next` is the cursor to go on from, whether or not there is more at the moment."""

    items: list[Change]
    next: int


@dataclass(frozen=True, slots=True)
class VersionLine:
    """`number` counts from 1, the oldest."""

    number: int
    at: str | None
    digest: str
    body_bytes: int
    text_bytes: int
    share_changed: float | None
    content_type: str


@dataclass(frozen=True, slots=True)
class VersionText:
    number: int
    at: str | None
    url: str
    title: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    kind: str  # same, removed, added
    text: str


@dataclass(frozen=True, slots=True)
class DifferenceOf:
    url: str
    old: int
    new: int
    share_changed: float
    changed_bytes: int
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class SiteSummary:
    name: str
    pages: int
    known: int
    due: int
    visits: int
    changed: int
    failed: int
    bytes: int
    fresh: float | None
    paused: bool


@dataclass(frozen=True, slots=True)
class ErrorLine:
    status: str
    reason: str
    pages: int
    example: str


@dataclass(frozen=True, slots=True)
class Band:
    """`to_s` null: no end."""

    from_s: float
    to_s: float | None
    pages: int = 0
    mean: float | None = None
    deviation: float | None = None
    servers: int = 0
    overloaded: int = 0


@dataclass(frozen=True, slots=True)
class FigureSet:
    intervals: list[Band]
    detection_ratios: list[Band]
    needed_gaps: list[Band]


@dataclass(frozen=True, slots=True)
class WeekCounts:
    """Monday first, then 24 hours each."""

    changes: list[list[int]]
    changed_bytes: list[list[int]]
    utc_offset_h: int


@dataclass(frozen=True, slots=True)
class FreshMoment:
    at: str | None
    fresh: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewNumbers(Numbers):
    at: str | None
    curve: list[FreshMoment]


@dataclass(frozen=True, slots=True)
class PlanSpot:
    requests_per_day: float
    fresh: float


@dataclass(frozen=True, slots=True)
class PlanCurve:
    """`here`: the intervals as they are now; `daily`: every page once a day; `curve`: the best possible."""

    pages: int
    here: PlanSpot | None
    daily: PlanSpot | None
    curve: list[PlanSpot]


def plan_curve(found: Plan) -> PlanCurve:
    return PlanCurve(
        found.pages,
        _spot(found.here),
        _spot(found.daily),
        [PlanSpot(one.requests_per_day, one.fresh) for one in found.curve],
    )


def _spot(one: Spot | None) -> PlanSpot | None:
    return None if one is None else PlanSpot(one.requests_per_day, one.fresh)


def page_line(page: Page) -> PageLine:
    return PageLine(
        id=str(page.id),
        url=page.url,
        site=page.site,
        kind=page.kind.value,
        category=page.category,
        status=page.status.value,
        visits=page.visits,
        changes=page.changes,
        interval_s=page.interval_s,
        due_at=iso(page.due_at),
        checked_at=iso(page.checked_at),
        changed_at=iso(page.changed_at),
        size_bytes=page.size_bytes,
    )


def version_line(number: int, version: Version) -> VersionLine:
    return VersionLine(
        number=number,
        at=iso(version.at),
        digest=version.digest,
        body_bytes=version.body_bytes,
        text_bytes=version.text_bytes,
        share_changed=version.share_changed,
        content_type=version.content_type,
    )


def overview_numbers(found: Overview) -> OverviewNumbers:
    numbers = {one.name: getattr(found, one.name) for one in fields(Numbers)}
    curve = [FreshMoment(iso(one.at), one.fresh) for one in found.curve]
    return OverviewNumbers(**numbers, at=iso(found.at), curve=curve)


def figure_set(found: Figures) -> FigureSet:
    return FigureSet(
        intervals=[Band(one.from_s, one.to_s, pages=one.pages) for one in found.intervals],
        detection_ratios=[
            Band(one.from_s, one.to_s, pages=one.pages, mean=one.mean, deviation=one.deviation) for one in found.ratios
        ],
        needed_gaps=[
            Band(
                one.from_s,
                None if one.to_s == float("inf") else one.to_s,
                servers=one.servers,
                overloaded=one.overloaded,
            )
            for one in found.gaps
        ],
    )
