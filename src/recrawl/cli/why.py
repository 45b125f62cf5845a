"""`why URL`: the facts behind the next visit."""

import time
from typing import Any

import click

from recrawl.answers.facts import facts_of
from recrawl.answers.reading import UNKEPT, asks_not_to_be_kept, reading
from recrawl.answers.strain import relief_sentence, reliefs
from recrawl.cli.options import folder_option, json_option, the_folder
from recrawl.cli.paint import facts, line, size, table, until, when
from recrawl.formats import duration, moment
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.schedule.relief import Relief

DAY_S = 86_400.0


@click.command()
@click.argument("url")
@folder_option
@json_option
def why(url: str, folder: str | None, as_json: bool) -> None:
    """Why URL was visited when it was, and when it will be next: state, belief, formula, robots line, server gap."""
    with reading(the_folder(folder)) as found:
        page, now = found.page(url), time.time()
        server = found.store.server(page.server) or Server(page.server)
        answer = facts_of(found, page, now)
        strain = reliefs(found, [server], now).get(server.key)
        if as_json:
            line(answer)
        else:
            _tell(answer, page, server, strain, now)


def _tell(answer: dict[str, Any], page: Page, server: Server, strain: Relief | None, now: float) -> None:
    interval_s = _change_interval_s(answer)
    click.echo(page.url)
    facts(
        (name, value)
        for name, value in (
            ("status", f"{page.status.value}{': ' + page.reason if page.reason else ''}"),
            ("next visit", _visit_line(answer, page, now)),
            ("held back by", "; ".join(map(_hindrance, answer["held_back_by"]))),
            ("interval", duration.render(page.interval_s) if page.interval_s else "not chosen yet"),
            ("changes about every", duration.render(interval_s) if interval_s else "not known yet"),
            ("because", answer["because"]),
            ("price", _price_line(answer["value"])),
            ("moved by", "; ".join(map(_move, answer["moved_by"]))),
            ("others would wait", _others(answer["other_policies"]) or "-"),
            ("visits", f"{page.visits}, of which {page.changes} found a change; last checked {when(page.checked_at)}"),
            ("found on", answer["found_from"] or "a seed of the site"),
            ("robots.txt", answer["robots"]["because"]),
            ("limits", "; ".join(answer["limits"]) or "none bit"),
            ("announced by", "; ".join(map(_source_line, answer["trust"])) or "nobody so far"),
            ("server", _server_line(server, now)),
            ("overload", relief_sentence(server, strain) if strain else ""),
            ("copy", _copy_line(page)),
        )
        if value
    )
    if answer["last_visits"]:
        click.echo()
        keys = ("at", "why", "status", "verdict", "failure", "bytes", "changed_bytes", "milliseconds")
        table(
            keys, [[visit[key] if visit[key] is not None else "-" for key in keys] for visit in answer["last_visits"]]
        )


def _visit_line(answer: dict[str, Any], page: Page, now: float) -> str:
    due = f"{when(page.due_at)} ({until(page.due_at, now)})"
    if page.due_at is None or not answer["held_back_by"]:
        return due
    if answer["visit_at"] is None:
        return f"none as things stand; due {due}"
    at = moment.parse(answer["visit_at"], now)
    return f"{when(at)} ({until(at, now)}); due {due}"


def _copy_line(page: Page) -> str:
    sent = f"{size(page.size_bytes)}, ETag {page.etag or '-'}, Last-Modified {page.last_modified or '-'}"
    if asks_not_to_be_kept(page):
        return f"none: {UNKEPT}; what came: {sent}"
    return sent if page.body_digest else "none"


def _hindrance(one: dict[str, Any]) -> str:
    return f"{one['says']}, until {one['until_at'][:16]}Z" if one["until_at"] else str(one["says"])


def _change_interval_s(answer: dict[str, Any]) -> float | None:
    """By what decides about the next visit: the value policy's rate, or S1's estimate."""
    if answer["value"]:
        return DAY_S / float(answer["value"]["rate_per_day"]) if answer["value"]["rate_per_day"] else None
    return (answer["belief"] or {}).get("change_interval_s")


def _price_line(value: dict[str, Any] | None) -> str:
    if value is None:
        return ""
    own = f", of which {value['server_price']:.3g} because its server is overloaded" if value["server_price"] else ""
    whole = value["price"] + value["server_price"]
    if value["worth"] is None:
        return f"{whole:.3g}{own}"
    return f"{whole:.3g}{own}; a visit now is worth {value['worth'] * whole:.3g} (days of freshness, by importance)"


def _move(step: dict[str, Any]) -> str:
    found = "changed" if step["changed"] else "same"
    return f"{found} on {step['at'][:16]}: {step['rate_before']:.2g} to {step['rate_after']:.2g} a day"


def _others(gaps_s: dict[str, float]) -> str:
    return ", ".join(f"{name} {duration.render(round(gap_s))}" for name, gap_s in sorted(gaps_s.items(), key=_second))


def _second(item: tuple[str, float]) -> float:
    return item[1]


def _source_line(trust: dict[str, Any]) -> str:
    told = "no change seen yet" if trust["recall"] is None else f"tells {trust['recall']:.0%} of the changes"
    heard = "" if trust["listened_to"] else ", not listened to"
    return f"{trust['source']} (right {trust['precision']:.0%}, {told}{heard})"


def _server_line(server: Server, now: float) -> str:
    gap = f"one request every {duration.render(server.gap_s)}" if server.gap_s else "no gap between requests"
    parts = [f"{server.key}: {gap}"]
    if server.crawl_delay_s:
        parts.append(f"Crawl-delay {server.crawl_delay_s:g} s")
    if server.free_at > now:
        parts.append(f"rests until {when(server.free_at)}")
    if server.load_per_s:
        parts.append(f"its schedule needs one every {duration.render(server.needed_gap_s)}")
    if server.overloaded:
        parts.append("overloaded")
    return ", ".join(parts)
