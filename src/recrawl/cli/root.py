"""`recrawl` itself: a table of commands whose modules are imported when they are called."""

import os
import select
from importlib import import_module
from typing import Any

import click

import recrawl as package
from recrawl.cli.loading import loading
from recrawl.model.nearest import nearest

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("recrawl.cli.start:init", "Start a folder: who you are, how gentle to be."),
    "add": ("recrawl.cli.start:add", "Add a site to keep fresh."),
    "sites": ("recrawl.cli.start:sites", "List the sites of a folder."),
    "run": ("recrawl.cli.run:run", "Crawl what is due, and come back when it is likely to have changed."),
    "status": ("recrawl.cli.status:status", "What is kept, what changed, what is due."),
    "why": ("recrawl.cli.why:why", "The facts behind a page's next visit."),
    "plan": ("recrawl.cli.plan:plan", "What a budget buys: requests a day against expected freshness."),
    "schedule": ("recrawl.cli.week:schedule", "The next visits, or the weekly table."),
    "rhythm": ("recrawl.cli.week:rhythm", "When in the week a page or a site changes."),
    "changes": ("recrawl.cli.changes:changes", "What changed: a feed that can be resumed from any cursor."),
    "diff": ("recrawl.cli.versions:diff", "What changed between two versions of a page."),
    "history": ("recrawl.cli.versions:history", "Visits and versions of a page."),
    "records": ("recrawl.cli.records:records", "What the pages say, field by field, and how it changed."),
    "show": ("recrawl.cli.versions:show", "Print the kept copy of a page."),
    "search": ("recrawl.cli.search:search", "Find pages by their words, in any language."),
    "export": ("recrawl.cli.export:export", "Take what is kept away: JSON lines, CSV, Parquet, WARC, WACZ, a mirror."),
    "import": ("recrawl.cli.import_:import_", "Start from what is known: URL lists, sitemaps, OPML, CSV, WARC, CDXJ."),
    "scope": ("recrawl.cli.scope:scope", "Describe a site by patterns: check, learn, convert, test."),
    "robots": ("recrawl.cli.robots:robots", "What robots.txt says about an address, and which line."),
    "robot": ("recrawl.cli.robot:robot", "Be told by web servers what changed (S4): register, mailbox, suspend, …"),
    "notices": ("recrawl.cli.notices:notices", "What others said of pages, what it proved to be, whom to believe."),
    "agent": ("recrawl.cli.agent:agent", "Tell robots what changed on your web server: init, watch, serve, notify."),
    "serve": ("recrawl.cli.serve:serve", "The folder in a browser: dashboard, search, API."),
    "doctor": ("recrawl.cli.doctor:doctor", "Check the machine, the folder and the store."),
    "cluster": ("recrawl.cli.cluster:cluster", "Workers on many machines: who is there, who owns what."),
    "db": ("recrawl.cli.db:db", "The store itself: make it, bring it up to date, copy it."),
    "systemd": ("recrawl.cli.systemd:systemd", "Print the units that keep a folder fresh on a server."),
    "lab": ("recrawl.cli.lab:lab", "Simulated crawls: what you simulate is what you run."),
    "demo": ("recrawl.cli.demo:demo", "Crawl a living site on loopback and watch it stay fresh."),
}


class Lazy(click.Group):
    """Knows every command's name and one line about it; imports its module only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        with loading():
            command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A slip of the finger gets the nearest name."""
        if args and args[0] not in COMMANDS and (near := nearest(args[0], COMMANDS)):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Ctrl-C, and a reader who has seen enough (`| head`), are ends like others: click calls both an error."""
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(130)
        except BrokenPipeError:
            if not _nobody_reads():
                raise
            _read_no_more()
            ctx.exit(0)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """The same for `--help`, which is printed before there is anything to invoke."""
        try:
            return super().make_context(*args, **extra)
        except BrokenPipeError:
            if not _nobody_reads():
                raise
            _read_no_more()
            raise click.exceptions.Exit(0) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _nobody_reads() -> bool:
    """Whether what is printed goes into a pipe whose other end is closed."""
    look = select.poll()
    look.register(1, 0)
    return any(found & select.POLLERR for _, found in look.poll(0))


def _read_no_more() -> None:
    """What is still on its way out goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@click.command(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package.__version__, prog_name="recrawl")
def recrawl() -> None:
    """recrawl keeps a local copy of the web sites you choose fresh, with as few requests as possible.

    \b
    Start:    recrawl add https://example.com/ --contact you@example.org
              recrawl run --once
              recrawl changes
    """
