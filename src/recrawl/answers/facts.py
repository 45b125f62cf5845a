"""The facts behind a page's next visit, for the command line, the dashboard and the API alike."""

import math
from collections.abc import Sequence
from typing import Any

from recrawl.answers.chances import Chances, Hindrance
from recrawl.answers.outlook import moved_rates, reasons_for
from recrawl.answers.reading import Reading
from recrawl.answers.strain import relief_object, reliefs
from recrawl.engine.asking.gate import Gate
from recrawl.engine.hearing.heard import trust_rows
from recrawl.estimate.poisson import always_changed, change_interval_s, never_changed
from recrawl.formats.moment import iso
from recrawl.model.address import origin_of
from recrawl.model.belief import unpack
from recrawl.model.directives import AGENT
from recrawl.model.event import Event, EventKind
from recrawl.model.notice import Notice
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.verdict import Change
from recrawl.model.visit import Visit
from recrawl.ports import Store
from recrawl.schedule import POLICIES
from recrawl.schedule.explain import Seen, gaps_by_policy

VISITS = 10
REPLAYED = 100
JUDGED = frozenset({Change.NEW.value, Change.SAME.value, Change.CHANGED.value})
NOTICES = 5
MOVES = 5
NEARBY = 200  # events told with those of a visit


def facts_of(found: Reading, page: Page, now: float, visits: int = VISITS) -> dict[str, Any]:
    """Everything `why` says, as the documented JSON object."""
    server = found.store.server(page.server) or Server(page.server)
    robots = Gate(AGENT, found.store.robots).last_said(page.url)
    belief, value = belief_of(page), value_of(found, page, now)
    notices = found.store.notices(page.id, NOTICES)
    came_from = found.store.pages([page.found_from]) if page.found_from else []
    chance = Chances(found, now).of(page)
    return {
        "url": page.url,
        "site": page.site,
        "status": page.status.value,
        "reason": page.reason or None,
        "found_from": came_from[0].url if came_from else None,
        "depth": page.depth,
        "due_at": iso(page.due_at),
        "visit_at": iso(chance.at),
        "held_back_by": [hindrance_object(one) for one in chance.hindrances],
        "interval_s": page.interval_s,
        "checked_at": iso(page.checked_at),
        "changed_at": iso(page.changed_at),
        "visits": page.visits,
        "changes": page.changes,
        "failures": page.failures,
        "misses": page.misses,
        "etag": page.etag or None,
        "last_modified": page.last_modified or None,
        "size_bytes": page.size_bytes,
        "policy": found.settings.schedule.policy,
        "belief": belief,
        "value": value,
        "because": because(belief, value, hastened_by(page, notices), page.visits),
        "moved_by": moved_by(found, page, now),
        "limits": limits_hit(found.store, page, visits),
        "robots": {"allowed": robots.allowed, "because": robots.reason or "robots.txt has not been asked for yet"},
        "server": {
            **server_object(server, now),
            "relief": relief_object(reliefs(found, [server], now).get(server.key)),
        },
        "notices": [notice_object(notice) for notice in notices],
        "trust": trust_rows(found.store, page.site),
        "other_policies": other_gaps(found, page),
        "last_visits": [visit_object(visit) for visit in found.store.visits(page.id, visits)],
    }


def hindrance_object(one: Hindrance) -> dict[str, Any]:
    """What keeps a page that is due from being visited; `until_at` null: until somebody changes it."""
    return {"kind": one.kind, "says": one.says, "until_at": iso(one.until_at)}


def limits_hit(store: Store, page: Page, visits: int) -> list[str]:
    """What limits let go of this page, newest first, as told when it was visited; and of the robots.txt before it."""
    says: list[str] = []
    moments = [visit.at for visit in store.visits(page.id, visits)]
    for at in moments or ([page.checked_at] if page.checked_at else []):  # of a sitemap no visits are kept
        says += _told_of(store, page.url, at)
    robots = store.robots(origin_of(page.url) + "/robots.txt")
    if robots is not None and not robots.status:
        says += [f"robots.txt: {what}" for what in _told_of(store, robots.origin, robots.fetched_at)]
    return list(dict.fromkeys(says))


def _told_of(store: Store, url: str, at: float) -> list[str]:
    told = store.events(kinds=(EventKind.LIMIT_HIT,), since_at=at, limit=NEARBY)
    return [str(one.facts["says"]) for one in told if one.url == url]


def other_gaps(found: Reading, page: Page) -> dict[str, float]:
    """The gap in seconds that each other policy would have chosen after the same visits, left to itself."""
    if not (seen := _judged(found, page)):
        return {}
    others = [name for name in POLICIES if name != found.settings.schedule.policy]
    return gaps_by_policy(seen, page.importance, settings=found.settings.intervals, names=others)


def moved_by(found: Reading, page: Page, now: float) -> list[dict[str, Any]]:
    """What moved the belief: the last judged visits, newest first, with the rate per day believed before and after."""
    seen = _judged(found, page)
    rates = moved_rates(found, page, seen, now) if seen else []
    steps = list(zip(seen[1:], rates, rates[1:], strict=False))[-MOVES:]
    return [
        {"at": iso(one.at), "changed": one.changed, "rate_before": round(before, 6), "rate_after": round(after, 6)}
        for one, before, after in reversed(steps)
    ]


def _judged(found: Reading, page: Page) -> list[Seen]:
    judged = [one for one in reversed(found.store.visits(page.id, REPLAYED)) if one.change in JUDGED]
    return [Seen(one.at, one.change == Change.CHANGED, float(page.size_bytes)) for one in judged]


def value_of(found: Reading, page: Page, now: float) -> dict[str, Any] | None:
    """What the value policy goes by, rates per day; None where another policy decides."""
    why = reasons_for(found, page, now)
    if why is None:
        return None
    return {
        "rate_per_day": why.rate,
        "rate_from": why.rate_low,
        "rate_to": why.rate_high,
        "unchanged": why.unchanged,
        "worth": why.worth if math.isfinite(why.worth) else None,  # longer ago than the ceiling allows: whatever it is
        "price": why.price,
        "server_price": why.server_price,
    }


def hastened_by(page: Page, notices: Sequence[Notice]) -> Notice | None:
    """The notice that made a page due before its time."""
    return next((one for one in notices if one.proved is None and one.at == page.due_at), None)


def because(
    belief: dict[str, Any] | None, value: dict[str, Any] | None, notice: Notice | None = None, visits: int = 0
) -> str:
    """One sentence behind the next visit."""
    if belief is None:
        return "no visit has found a page there yet" if visits else "never visited"
    if notice is not None:
        return f"announced by {notice.source.value} at {iso(notice.at)}; without that: {because(belief, value)}"
    if value is None:
        return str(belief["formula"])
    bounds = f"{value['rate_from']:.2g} to {value['rate_to']:.2g}"
    worth = "; it was seen last longer ago than intervals.ceiling_s, so that it is due whatever a visit is worth"
    if value["worth"] is not None:
        worth = f", so that a visit now is worth {value['worth']:.2f} of its price; at 1 it is due"
    return (
        f"it is believed to change {value['rate_per_day']:.2g} times a day ({bounds}); unchanged with probability "
        f"{value['unchanged']:.0%}{worth}"
    )


def notice_object(notice: Notice) -> dict[str, Any]:
    return {
        "at": iso(notice.at),
        "source": notice.source.value,
        "kind": notice.kind.value,
        "url": notice.url,
        "proved": notice.proved,
    }


def server_object(server: Server, now: float) -> dict[str, Any]:
    return {
        "key": server.key,
        "gap_s": server.gap_s,
        "crawl_delay_s": server.crawl_delay_s,
        "response_s": round(server.response_s, 4),
        "free_at": iso(server.free_at) if server.free_at > now else None,
        "load_per_s": server.load_per_s,
        "needed_gap_s": None if server.load_per_s == 0 else server.needed_gap_s,
        "overloaded": server.overloaded,
        "price": server.price,
        "failures": server.failures,
    }


def visit_object(visit: Visit) -> dict[str, Any]:
    return {
        "at": iso(visit.at),
        "why": visit.why.value,
        "status": visit.status,
        "verdict": visit.change,
        "failure": visit.failure or None,
        "bytes": visit.received_bytes,
        "changed_bytes": visit.changed_bytes,
        "conditional": visit.conditional,
        "milliseconds": visit.milliseconds,
    }


def belief_of(page: Page) -> dict[str, Any] | None:
    """S1's numbers and what follows from them."""
    if not page.belief:
        return None
    states = unpack([page.belief])
    state = states[0]
    watched_s, quiet_s, changes = float(state["watched_s"]), float(state["quiet_s"]), int(state["changes"])
    numbers: dict[str, Any] = {
        "watched_s": watched_s,
        "quiet_s": quiet_s,
        "gaps": int(state["gaps"]),
        "changes": changes,
        "shortest_s": float(state["shortest_s"]),
    }
    if int(state["gaps"]) == 0:
        return {
            **numbers,
            "change_interval_s": None,
            "formula": "one visit is no evidence: the first revisit is random",
        }
    if never_changed(states)[0]:
        return {**numbers, "change_interval_s": None, "formula": "never seen to change (U = T): the gap grows"}
    if always_changed(states)[0]:
        return {**numbers, "change_interval_s": None, "formula": "changed at every visit (U = 0): the gap shrinks"}
    interval_s = float(change_interval_s(states)[0])
    formula = f"1/rate = t_c / ln(T/U) with T = {watched_s:.0f} s, U = {quiet_s:.0f} s, {changes} changes"
    return {**numbers, "change_interval_s": interval_s, "formula": formula}


def change_object(event: Event) -> dict[str, object]:
    """The documented form of a change."""
    return {
        "cursor": event.cursor,
        "kind": event.kind.value,
        "url": event.url,
        "at": iso(event.at),
        "digest": event.digest or None,
        "previous_digest": event.previous_digest or None,
        "share_changed": event.share_changed,
        "site": event.site,
        **({"target": event.facts["target"]} if "target" in event.facts else {}),
    }
