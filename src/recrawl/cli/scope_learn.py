"""`scope learn`: a site file from a polite sample."""

import asyncio
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import click

from recrawl.answers.ask import LONG_PATIENCE_S, Turns
from recrawl.answers.sample import sample_site
from recrawl.cli.kinds import Number
from recrawl.cli.options import beyond_budget_option, folder_of_site_file, folder_option, json_option
from recrawl.cli.outputs import need_folder, put
from recrawl.cli.paint import line
from recrawl.cli.start import authority_of
from recrawl.config import Operator, Settings
from recrawl.folder.settings import load
from recrawl.formats import site_toml
from recrawl.model.site import Site
from recrawl.model.site_name import name_of_server
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.learn import Proposal, propose
from recrawl.scope.seed import seed_of


@click.command()
@click.argument("url")
@click.option("--example", "examples", multiple=True, metavar="URL", help="A detail page, if you know one. Repeatable.")
@click.option("--sample", default=200, show_default=True, type=click.IntRange(3), help="Pages to look at, at most.")
@click.option("--own", is_flag=True, help="The server of URL is yours: private addresses allowed, no gap needed.")
@click.option("--contact", default="", help="How the site's owner can reach you; sent with every request.")
@click.option("--gap", "gap_s", default=None, type=Number(min=0), help="Seconds between two requests.")
@click.option("--name", default="", help="What to call the site.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write the site file here (default: print it).")
@beyond_budget_option
@folder_option
@json_option
def learn(
    url: str,
    examples: tuple[str, ...],
    sample: int,
    own: bool,
    contact: str,
    gap_s: float | None,
    name: str,
    output: Path | None,
    beyond_budget: bool,
    folder: str | None,
    as_json: bool,
) -> None:
    """Look at a sample of the site at URL and propose its site file: lists, details, rewritings, what to leave out.

    What is asked for counts against the budgets of the folder; when they are spent, what was learnt until then is
    proposed.
    """
    seed = seed_of(url, Canonicaliser())
    known = [seed_of(one, Canonicaliser()) for one in examples]
    if output is not None:
        need_folder(output)  # before anybody is asked for anything
    place = folder_of_site_file(folder, output)
    settings = load(place) if place.exists() else Settings()
    if contact:
        settings = replace(settings, operator=Operator(contact))
    site = Site(
        name=name or name_of_server(seed.partition("://")[2].partition("/")[0]),
        seeds=(seed,),
        own=(authority_of(seed),) if own else (),
        gap_s=gap_s,
    )
    settings.check_operator([site])

    def tell(count: int, page: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r\033[K{count}/{sample} {page[:100]}", nl=False, err=True)

    turns = Turns(place, settings, beyond_budget, LONG_PATIENCE_S)
    with place.locked() if turns.concern(seed) else nullcontext():
        taken = asyncio.run(sample_site(site, settings, turns, known, sample, tell))
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    if taken.ended_by:
        click.echo(f"{taken.ended_by}; learnt from {len(taken.pages)} pages", err=True)
    proposal = propose(replace(site, seeds=(taken.start,)), taken.pages, taken.twice, examples)
    if as_json:
        _as_json(proposal, len(taken.pages))
    text = site_toml.render(proposal.site, proposal.notes)
    if output is None:
        if not as_json:
            click.echo(text, nl=False)
        return
    put(text, output)
    if not as_json:
        click.echo(f"{output} written. Next: recrawl scope check {seed} --site {output}{' --own' if own else ''}")


def _as_json(proposal: Proposal, pages: int) -> None:
    line(
        {
            "pages": pages,
            "site": proposal.site.name,
            "patterns": [
                {"name": one.name, "kind": one.kind.value, "match": one.match} for one in proposal.site.patterns
            ],
            "rewrites": [{"match": one.match, "target": one.target} for one in proposal.site.rewrites],
            "drop_parameters": list(proposal.site.drop_parameters),
            "exclude": list(proposal.site.exclude),
            "unsure": list(proposal.unsure),
            "groups": [
                {
                    "shape": str(one.shape),
                    "role": one.role.value,
                    "seen": len(one.members),
                    "fetched": sum(page.is_page for page in one.pages),
                    "because": one.because or one.unsure,
                    "examples": sorted(one.members)[:3],
                }
                for one in sorted(proposal.groups, key=lambda group: -len(group.members))
            ],
        }
    )
