"""`agent …`: handed on as it is to the agent, which has a command line of its own so that it can stand alone."""

import sys

import click

from recrawl.agent.command import main


@click.command(
    add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def agent(words: tuple[str, ...]) -> None:
    """Tell registered robots what changed on your web server: init, watch, serve, notify, status."""
    sys.exit(main(words))
