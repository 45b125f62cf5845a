"""`why URL`: the facts behind the next visit."""

import time
from typing import Any

import click

from recrawl.cli.options import folder_option, json_option, the_folder
from recrawl.cli.paint import facts, iso, line, size, table, until, when
from recrawl.engine.gate import Gate
from recrawl.engine.reading import Reading, reading
from recrawl.estimate.poisson import always_changed, change_interval_s, never_changed
from recrawl.formats import duration
from recrawl.model.belief import unpack
from recrawl.model.page import Page
from recrawl.model.server import Server

VISITS = 10


@click.command()
@click.argument("url")
@folder_option
@json_option
def why(url: str, folder: str | None, as_json: bool) -> None:
    """Why URL was visited when it was, and when it will be next: state, belief, formula, robots line, server gap."""
    with reading(the_folder(folder)) as found:
        page, now = found.page(url), time.time()
        server = found.store.server(page.server) or Server(page.server)
        answer = _answer(found, page, server, now)
        if as_json:
            line(answer)
        else:
            _tell(answer, page, server, now)


def _answer(found: Reading, page: Page, server: Server, now: float) -> dict[str, Any]:
    robots = Gate("recrawl", found.store.robots).check(page.url, 0.0)
    came_from = found.store.pages([page.found_from]) if page.found_from else []
    return {
        "url": page.url,
        "site": page.site,
        "status": page.status.value,
        "reason": page.reason or None,
        "found_from": came_from[0].url if came_from else None,
        "depth": page.depth,
        "due_at": iso(page.due_at),
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
        "belief": belief_of(page),
        "robots": {"allowed": robots.allowed, "because": robots.reason or "robots.txt has not been asked for yet"},
        "server": {
            "key": server.key,
            "gap_s": server.gap_s,
            "crawl_delay_s": server.crawl_delay_s,
            "response_s": round(server.response_s, 4),
            "free_at": iso(server.free_at) if server.free_at > now else None,
            "load_per_s": server.load_per_s,
            "needed_gap_s": None if server.load_per_s == 0 else server.needed_gap_s,
            "overloaded": server.overloaded,
            "failures": server.failures,
        },
        "last_visits": [
            {
                "at": iso(visit.at),
                "why": visit.why,
                "status": visit.status,
                "verdict": visit.change,
                "failure": visit.failure or None,
                "bytes": visit.received_bytes,
                "changed_bytes": visit.changed_bytes,
                "conditional": visit.conditional,
                "milliseconds": visit.milliseconds,
            }
            for visit in found.store.visits(page.id, VISITS)
        ],
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


def _tell(answer: dict[str, Any], page: Page, server: Server, now: float) -> None:
    belief = answer["belief"] or {}
    interval_s = belief.get("change_interval_s")
    click.echo(page.url)
    facts(
        (name, value)
        for name, value in (
            ("status", f"{page.status.value}{': ' + page.reason if page.reason else ''}"),
            ("next visit", f"{when(page.due_at)} ({until(page.due_at, now)})"),
            ("interval", duration.render(page.interval_s) if page.interval_s else "not chosen yet"),
            ("changes about every", duration.render(interval_s) if interval_s else "not known yet"),
            ("because", belief.get("formula", "never visited")),
            ("visits", f"{page.visits}, of which {page.changes} found a change; last checked {when(page.checked_at)}"),
            ("found on", answer["found_from"] or "a seed of the site"),
            ("robots.txt", answer["robots"]["because"]),
            ("server", _server_line(server, now)),
            ("copy", f"{size(page.size_bytes)}, ETag {page.etag or '-'}, Last-Modified {page.last_modified or '-'}"),
        )
    )
    if answer["last_visits"]:
        click.echo()
        keys = ("at", "why", "status", "verdict", "failure", "bytes", "changed_bytes", "milliseconds")
        table(
            keys, [[visit[key] if visit[key] is not None else "-" for key in keys] for visit in answer["last_visits"]]
        )


def _server_line(server: Server, now: float) -> str:
    parts = [f"{server.key}: one request every {duration.render(server.gap_s)}"]
    if server.crawl_delay_s:
        parts.append(f"Crawl-delay {server.crawl_delay_s:g} s")
    if server.free_at > now:
        parts.append(f"rests until {when(server.free_at)}")
    if server.load_per_s:
        parts.append(f"its schedule needs one every {duration.render(server.needed_gap_s)}")
    if server.overloaded:
        parts.append("overloaded")
    return ", ".join(parts)
