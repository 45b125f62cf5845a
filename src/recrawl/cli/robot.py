"""`robot …`: ask servers to tell us of changes (S4), and act on what they say."""

import time
from pathlib import Path

import click

from recrawl.answers.reading import reading
from recrawl.cli.kinds import Number
from recrawl.cli.options import folder_option, json_option, the_folder
from recrawl.cli.paint import facts, line, table, when
from recrawl.formats.registration import Action, email_fault
from recrawl.messages.robot import Robot, hearing, write_batch_file
from recrawl.model.failure import UsageError
from recrawl.notices.mailbox import letters
from recrawl.notices.registrations import Registration

MOST_NOTICES = 1_000_000


@click.group()
def robot() -> None:
    """Be told by web servers what changed, and fetch only that (S4)."""


@robot.command()
@click.argument("site")
@click.option("--agent", default="", metavar="URL", help="Where the server's agent is (default: as robots.txt says).")
@click.option("--email", required=True, help="Where notices are to be sent.")
@click.option("--latency", type=Number(0), default=1.0, show_default=True, help="Days between notices.")
@click.option("--callback", default="", metavar="URL", help="Take signed notices by webhook there instead of mail.")
@folder_option
@json_option
def register(
    site: str, agent: str, email: str, latency: float, callback: str, folder: str | None, as_json: bool
) -> None:
    """Ask the agent of SITE to announce changes. It will ask back: see `robot mailbox` or `robot confirm`."""
    if fault := email_fault(email):
        raise UsageError(fault)
    ours = Robot.of(the_folder(folder))
    _tell(ours.register(site, agent or _offered(ours, site), email.lower(), latency, callback), as_json)


@robot.command()
@click.argument("site")
@click.option("--token", default="", help="From the agent's mail (default: the one it gave).")
@folder_option
@json_option
def confirm(site: str, token: str, folder: str | None, as_json: bool) -> None:
    """Prove to the agent of SITE that the address is ours."""
    _tell(Robot.of(the_folder(folder)).act(site, Action.CONFIRM, token), as_json)


@robot.command()
@click.argument("site")
@click.option("--latency", type=Number(0), required=True, help="Days between notices.")
@folder_option
@json_option
def change(site: str, latency: float, folder: str | None, as_json: bool) -> None:
    """Change how often the agent of SITE sends notices."""
    _tell(Robot.of(the_folder(folder)).act(site, Action.CHANGE, latency_days=latency), as_json)


@robot.command()
@click.argument("site")
@folder_option
@json_option
def suspend(site: str, folder: str | None, as_json: bool) -> None:
    """Let the agent of SITE hold its notices back."""
    _tell(Robot.of(the_folder(folder)).act(site, Action.SUSPEND), as_json)


@robot.command()
@click.argument("site")
@folder_option
@json_option
def resume(site: str, folder: str | None, as_json: bool) -> None:
    """Let the agent of SITE send again, with what was missed."""
    _tell(Robot.of(the_folder(folder)).act(site, Action.RESUME), as_json)


@robot.command()
@click.argument("site")
@folder_option
@json_option
def unregister(site: str, folder: str | None, as_json: bool) -> None:
    """Leave the agent of SITE."""
    left = Robot.of(the_folder(folder)).act(site, Action.UNREGISTER)
    told = f"{left.server}: unregistered, no more notices to {left.email}"
    line({**_object(left), "standing": "unregistered"}) if as_json else click.echo(told)


@robot.command(name="list")
@folder_option
@json_option
def list_(folder: str | None, as_json: bool) -> None:
    """With which servers we are registered, and what has come."""
    book = Robot.of(the_folder(folder)).book()
    offers = _offers(Robot.of(the_folder(folder)))
    if as_json:
        known = [_object(one) for one in book.registrations]
        line({"registrations": known, "offers": offers, "counts": dict(book.counts)})
        return
    for site, agent in offers.items():
        click.echo(f"{site} has an agent that would tell us: recrawl robot register {site} --email YOU  ({agent})")
    rows = [(one.server, one.standing.value, one.email, one.latency_days) for one in book.registrations]
    table(("server", "standing", "e-mail", "latency (days)"), rows)
    facts(sorted(book.counts.items()))
    if not rows and not offers:
        click.echo("no server tells us: `recrawl robot register SITE --agent URL --email YOU` asks one to", err=True)


@robot.command()
@click.argument("place")
@click.option("--password-file", type=click.Path(exists=True, dir_okay=False), help="For IMAP.")
@click.option(
    "--authority", default="", metavar="HOST", help="Our mail server's name in Authentication-Results (DKIM)."
)
@folder_option
@json_option
def mailbox(place: str, password_file: str | None, authority: str, folder: str | None, as_json: bool) -> None:
    """Read notices from PLACE (a Maildir, an mbox file, imap://user@host/folder) and make their pages due.

    Only mails with S4's subject are looked at; what does not come from a registered server, or does not fit its
    signature, is set aside and counted.
    """
    password = Path(password_file).read_text("utf-8").strip() if password_file else ""
    ours = Robot.of(the_folder(folder))
    with hearing(ours.folder) as heard:
        counts = ours.take(letters(place, password), heard, time.time(), authority)
    if as_json:
        line(dict(sorted(counts.items())))
    else:
        facts(sorted(counts.items()) or [("nothing new", place)])


@robot.command(name="batch-file")
@click.argument("site")
@click.argument("file", type=click.Path(dir_okay=False, writable=True))
@click.option(
    "--since", "since_at", type=Number(min=0), default=0.0, metavar="EPOCH", help="Only notices from then on."
)
@folder_option
@json_option
def batch_file(site: str, file: str, since_at: float, folder: str | None, as_json: bool) -> None:
    """Write what the notices of SITE brought as S4's batch file: run `recrawl run --once` first."""
    ours = Robot.of(the_folder(folder))
    server = ours.origin(site).partition("://")[2]
    with reading(ours.folder) as found:
        told = [one for one in found.store.notices(limit=MOST_NOTICES) if one.at >= since_at and one.proved is not None]
        written = write_batch_file(found, server, told, Path(file))
    line({"documents": written, "file": file}) if as_json else click.echo(f"{written} documents written to {file}")


def _offers(ours: Robot) -> dict[str, str]:
    """Sites whose robots.txt names an agent that we are not registered with."""
    if not ours.folder.database.exists():
        return {}
    known = {one.origin for one in ours.book().registrations}
    with reading(ours.folder) as found:
        offers = {site.name: ours.offered(site.name, found.store) for site in ours.folder.sites() if site.seeds}
    return {name: agents[0] for name, agents in offers.items() if agents and ours.origin(name) not in known}


def _offered(ours: Robot, site: str) -> str:
    with reading(ours.folder) as found:
        agents = ours.offered(site, found.store)
        file = found.store.robots(f"{ours.origin(site)}/robots.txt")
    if not agents:
        at = f", as it was on {when(file.fetched_at)}," if file is not None else ""
        raise UsageError(f"robots.txt of {site}{at} names no agent (Notice-agent: URL): say --agent URL")
    return agents[0]


def _tell(registration: Registration, as_json: bool) -> None:
    if as_json:
        line(_object(registration))
    else:
        click.echo(f"{registration.server}: {registration.standing.value}, notices to {registration.email}")


def _object(one: Registration) -> dict[str, object]:
    return {
        "server": one.server,
        "agent": one.agent,
        "email": one.email,
        "latency_days": one.latency_days,
        "standing": one.standing.value,
        "signed": bool(one.secret),
    }
