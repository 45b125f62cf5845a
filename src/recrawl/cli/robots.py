"""`robots URL`: what robots.txt says, and which line."""

import sys
from contextlib import closing
from typing import IO

import click

from recrawl.answers.ask import NotNow, ask_in_turn
from recrawl.cli.options import beyond_budget_option, folder_option, json_option, the_folder
from recrawl.cli.paint import line, when
from recrawl.config import Settings
from recrawl.engine.asking.gate import HOPS, robots_file
from recrawl.folder.folder import Folder
from recrawl.folder.opening import is_crawled, open_store
from recrawl.folder.settings import load
from recrawl.model.address import origin_of
from recrawl.model.failure import RecrawlError, StoreInUse, UsageError
from recrawl.model.visit import Evidence
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.resolve import resolve
from recrawl.scope.robots_policy import RobotsPolicy, decide


@click.command()
@click.argument("url")
@folder_option
@click.option("--file", "file", type=click.File("rb"), help="Judge by this robots.txt instead of asking the server.")
@click.option("--agent", default="recrawl", show_default=True, help="The product token to judge for.")
@click.option("--own", is_flag=True, help="The server of URL is yours: private addresses allowed.")
@beyond_budget_option
@json_option
def robots(
    url: str,
    folder: str | None,
    file: IO[bytes] | None,
    agent: str,
    own: bool,
    beyond_budget: bool,
    as_json: bool,
) -> None:
    """May URL be fetched, and which line of robots.txt says so? Exit code 0: allowed, 5: not.

    The server is asked for robots.txt, which counts against the budgets of the folder. Where it must be left alone (the
    day's budget is spent, its window is closed, a run is asking it), the copy that is kept decides; without one the
    exit code is 7, or 6 beside a run.
    """
    address = Canonicaliser().canonical(url)
    if address is None:
        raise UsageError(f"{url!r} is not a web address: write it in full, for example https://example.com/page")
    policy = decide(200, file.read()) if file else _asked(address.url, own, the_folder(folder), beyond_budget)
    said = policy.explain(address.url, agent)
    sentence = said.sentence if said.line_number else policy.sentence if policy.retry else said.sentence
    if as_json:
        line(
            {
                "url": address.url,
                "agent": agent,
                "allowed": policy.allowed(address.url, agent),
                "line": said.line_number or None,
                "rule": said.line or None,
                "because": sentence,
                "crawl_delay_s": policy.crawl_delay_s(agent),
                "sitemaps": list(policy.rules.sitemaps),
            }
        )
    else:
        verdict = "allowed" if policy.allowed(address.url, agent) else "not allowed"
        click.echo(f"{verdict}: {sentence}")
        delay_s = policy.crawl_delay_s(agent)
        if delay_s:
            click.echo(f"Crawl-delay: {delay_s:g} s")
        for sitemap in policy.rules.sitemaps:
            click.echo(f"Sitemap: {sitemap}")
    sys.exit(0 if policy.allowed(address.url, agent) else 5)


def _asked(url: str, own: bool, folder: Folder, beyond_budget: bool) -> RobotsPolicy:
    """One request, and one more for each redirect. While the server must be left alone, by the copy that is kept."""
    settings = load(folder) if folder.exists() else Settings()
    owned = tuple(entry for site in folder.sites() for entry in site.own)
    if own:
        owned = (*owned, origin_of(url).partition("://")[2])
    address = origin_of(url) + "/robots.txt"
    try:
        for _ in range(HOPS + 1):
            reply = ask_in_turn(address, owned, folder, settings, beyond_budget)
            if reply.evidence is not Evidence.REDIRECT:
                file = robots_file(address, reply, reply.at, None)
                return decide(file.status or None, file.body)
            address = resolve(reply.header("location"), address) or address
    except (NotNow, StoreInUse) as error:
        return _kept(address, folder, settings, error)
    return decide(404)


def _kept(address: str, folder: Folder, settings: Settings, error: RecrawlError) -> RobotsPolicy:
    stored = None
    if is_crawled(folder, settings):
        with closing(open_store(folder, settings, readonly=True)) as store:
            stored = store.robots(address)
    if stored is None:
        raise error
    click.echo(f"{error}; by the copy of {when(stored.fetched_at)}:", err=True)
    return decide(stored.status or None, stored.body)
