"""`scope check`, `test`, `convert`, `schema`, `learn`: describe a site, and see what the description does."""

import json
import sys
from importlib import import_module, resources
from pathlib import Path

import click

from recrawl.answers.look import page_at, page_in
from recrawl.answers.site_files import base_of, scope_of, site_for
from recrawl.cli.loading import loading
from recrawl.cli.options import beyond_budget_option, folder_of_site_file, folder_option, json_option, the_folder
from recrawl.cli.outputs import put, writing
from recrawl.cli.paint import line, table
from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.folder.settings import load
from recrawl.folder.site_reading import is_xml, read_bytes, read_sites
from recrawl.formats import crawlscript, site_toml
from recrawl.formats.site_schema import json_schema
from recrawl.model.failure import ConfigError, UsageError
from recrawl.model.site import Site
from recrawl.scope.check import DROPPED, Finding, inspect, prove, summary

_HINT = {("", 0): ['Made from a crawl script. To crawl it, say where to start: seeds = ["https://…"]']}
_LATER = {"learn": "recrawl.cli.scope_learn:learn"}


class _Group(click.Group):
    """Learning imports much; it is imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_LATER])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _LATER:
            module, _, name = _LATER[cmd_name].partition(":")
            with loading():
                command: click.Command = getattr(import_module(module), name)
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Group)
def scope() -> None:
    """Describe a site: which pages are wanted, by which names, and check the description."""


site_option = click.option(
    "--site", "file", required=True, type=click.Path(path_type=Path), help="A site file (TOML) or a crawl script (XML)."
)


@scope.command()
@click.argument("page", metavar="URL|FILE.html")
@site_option
@click.option("--url", default="", help="The address of FILE.html: relative links start from it.")
@click.option("--own", is_flag=True, help="The server of URL is yours: private addresses allowed.")
@click.option("--all", "everything", is_flag=True, help="List dropped links too, not only their counts.")
@beyond_budget_option
@folder_option
@json_option
def check(
    page: str,
    file: Path,
    url: str,
    own: bool,
    everything: bool,
    beyond_budget: bool,
    folder: str | None,
    as_json: bool,
) -> None:
    """Print S2's table 2 for a page: links found, kept, by which pattern, rewritten to what, dropped why.

    What is asked for counts against the budgets of the folder; a server that must be left alone is not asked.
    """
    place = folder_of_site_file(folder, file)
    settings = _settings(place)
    sites = read_sites(file)
    local = Path(page) if "://" not in page else None
    if local is not None and not local.exists():
        raise UsageError(f"{page!r} is neither a file nor a web address: write https://… in full")
    site = site_for(sites, url or (page if local is None else base_of(sites[0])), settings)
    if local is not None:
        looked = page_in(local, url or base_of(site), settings)
    else:
        looked = page_at(page, site, place, settings, own, beyond_budget)
    here = scope_of(site, settings, looked.base)
    findings = list(inspect(here.script, here.rules, looked.base, looked.links))
    (_check_json if as_json else _check_text)(looked.url, findings, everything)


def _check_json(url: str, findings: list[Finding], everything: bool) -> None:
    kept, dropped = summary(findings)
    line(
        {
            "page": url,
            "found": len(findings),
            "kept": sum(kept.values()),
            "by_pattern": dict(kept),
            "dropped": dict(dropped),
            "links": [
                {
                    "link": one.link.url,
                    "relation": one.link.relation,
                    "text": one.link.text,
                    "kept": one.kept,
                    "kind": one.kind.value if one.kept else None,
                    "category": one.category or None,
                    "pattern": one.pattern or None,
                    "url": one.url or None,
                    "rewritten": one.rewritten,
                    "reason": one.reason or None,
                    "because": one.sentence or None,
                }
                for one in findings
            ],
        }
    )


def _check_text(url: str, findings: list[Finding], everything: bool) -> None:
    kept, dropped = summary(findings)
    click.echo(f"{url}: {len(findings)} links → {sum(kept.values())} kept\n")
    shown = [one for one in findings if one.kept or everything]
    if shown:
        table(
            ("kind", "pattern", "category", "address", "from"),
            [
                (
                    one.kind.value if one.kept else DROPPED,
                    one.pattern if one.kept else one.reason,
                    one.category,
                    one.url or one.link.url,
                    one.link.url if one.rewritten else "",
                )
                for one in shown
            ],
        )
        click.echo()
    reasons = {one.reason: one.sentence for one in findings if not one.kept}
    rows: list[tuple[object, ...]] = [(count, "kept", name, "") for name, count in kept.most_common()]
    rows += [(count, DROPPED, reason, reasons[reason]) for reason, count in dropped.most_common()]
    table(("links", "", "by", "because"), rows)


@scope.command()
@click.argument("file", type=click.Path(path_type=Path))
@folder_option
@json_option
def test(file: Path, folder: str | None, as_json: bool) -> None:
    """Run the examples written inside a site file against it. Exit code 3: one of them fails."""
    settings = _settings(the_folder(folder))
    outcomes = []
    for site in read_sites(file):
        here = scope_of(site, settings)
        outcomes += prove(site, here.script, here.rules, here.base)
    if not outcomes:
        raise UsageError(f'{file} has no examples: add [[examples]] with link = "…" and kind = "detail" or "dropped"')
    for one in outcomes:
        if as_json:
            line(
                {"link": one.example.link, "passed": not one.complaint, "url": one.found.url, "because": one.complaint}
            )
        else:
            click.echo(f"{'fails' if one.complaint else 'ok':5}  {one.example.link}  {one.complaint}".rstrip())
    failed = [one for one in outcomes if one.complaint]
    if not as_json:
        click.echo(f"{len(outcomes) - len(failed)} of {len(outcomes)} examples as expected")
    sys.exit(ConfigError.exit_code if failed else 0)


@scope.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--output", "-o", type=click.Path(path_type=Path), help="File, or folder for one file a site.")
@click.option("--lossy", is_flag=True, help="Leave out what a crawl script cannot say, and tell what.")
def convert(files: tuple[Path, ...], output: Path | None, lossy: bool) -> None:
    """Turn a crawl script (XML) into a site file (TOML) and back."""
    from_xml = {is_xml(read_bytes(file)) for file in files}
    if len(from_xml) > 1:
        raise UsageError("convert XML or TOML, not both at once")
    sites = [site for file in files for site in read_sites(file)]
    if from_xml == {True}:
        _write_toml(sites, output)
        return
    if lossy:
        for site in sites:
            for problem in crawlscript.unsayable(site):
                click.echo(f"left out of {site.name}: {problem}", err=True)
    put(crawlscript.render(sites, leave_out=lossy), output)


def _write_toml(sites: list[Site], output: Path | None) -> None:
    if output is None or not (output.is_dir() or str(output).endswith("/") or (len(sites) > 1 and not output.suffix)):
        put(site_toml.render(sites[0], _HINT) if len(sites) == 1 else site_toml.render_many(sites), output)
        return
    with writing(output):
        output.mkdir(exist_ok=True)
    for site in sites:
        put(site_toml.render(site, _HINT), output / f"{site.name}.toml")


@scope.command()
@click.option("--xml", is_flag=True, help="The RELAX NG schema of crawl scripts instead.")
def schema(xml: bool) -> None:
    """Print the JSON Schema of site files, for editors."""
    if xml:
        click.echo(resources.files("recrawl.formats").joinpath("crawlscript.rng").read_text("utf-8"), nl=False)
    else:
        click.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


def _settings(folder: Folder) -> Settings:
    return load(folder) if folder.exists() else Settings()
