"""`serve`: the dashboard."""

import click

from recrawl.cli.options import folder_argument, the_folder
from recrawl.model.failure import UsageError


@click.command()
@folder_argument
@click.option("--port", type=click.IntRange(0, 65535), default=8800, show_default=True, help="0: any free one.")
@click.option("--bind", default="127.0.0.1", show_default=True, help="Address to listen on; elsewhere needs --token.")
@click.option("--token", default="", envvar="RECRAWL_TOKEN", help="Lets whoever knows it add sites, make due, pause.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="A host name to answer under. Repeatable.")
@click.option(
    "--receive/--no-receive", default=True, show_default=True, help="Take notices: IndexNow, WebSub, webhook."
)
@click.option("--quiet", is_flag=True, help="No log line for every request.")
def serve(
    folder: str | None,
    folder_word: str | None,
    port: int,
    bind: str,
    token: str,
    names: tuple[str, ...],
    receive: bool,
    quiet: bool,
) -> None:
    """Show the folder in a browser: what is fresh, what changed, what is due and why; and the API beside it.

    Read-only unless there is a token. A running crawl is not disturbed. Notices that others push (/indexnow,
    /websub/…, /webhook) are taken as by `recrawl notices serve`, by their own keys.
    """
    try:
        from recrawl.web.serving import address_of, listening, server_of
        from recrawl.web.settings import WebSettings
    except ModuleNotFoundError as error:
        raise UsageError(f"the dashboard needs the extra `web` ({error.name}): pip install 'recrawl[web]'") from error

    place = the_folder(folder, folder_word).need()
    settings = WebSettings(bind, port, token, names, log=not quiet, receive=receive)
    settings.check()
    with listening(settings) as bound:
        click.echo(f"{address_of(bound)}  (Ctrl-C ends it{'' if token else '; read-only without --token'})")
        server_of(place, settings).run(sockets=[bound])
