"""`systemd`: the units that keep a folder fresh on a server."""

import re
import shutil
import sys
from pathlib import Path

import click

from recrawl.cli.kinds import Duration
from recrawl.cli.options import folder_argument, the_folder
from recrawl.cli.outputs import put, writing
from recrawl.formats import duration
from recrawl.model.failure import UsageError

ACCOUNT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,255}\$?")
SETTLED = "7 143"  # budget or time over, and stopped on request: both are a good end
HOPELESS = "2 3 5 8"  # starting again would meet the same: usage, settings, nothing allowed, an old store

COMMON = """\
WorkingDirectory={folder}
{user}\
SuccessExitStatus={settled}
LimitNOFILE=8192
Nice=10
NoNewPrivileges=true
PrivateTmp=true
PrivateDevices=true
ProtectSystem=strict
ProtectHome=read-only
ProtectKernelTunables=true
ProtectKernelModules=true
ProtectControlGroups=true
RestrictSUIDSGID=true
LockPersonality=true
ReadWritePaths={quoted}
"""

UNIT = """\
[Unit]
Description=recrawl keeps {plain} fresh
Wants=network-online.target
After=network-online.target time-sync.target
"""

STAYS = """\

[Service]
Type=exec
ExecStart={program} run {quoted}
Restart=on-failure
RestartSec=60
RestartPreventExitStatus={hopeless}
TimeoutStopSec=60
{common}
[Install]
WantedBy=multi-user.target
"""

ONCE = """\

[Service]
Type=oneshot
ExecStart={program} run {quoted} --once
TimeoutStopSec=60
{common}"""

TIMER = """\
[Unit]
Description=recrawl looks every {every} at what is due in {plain}

[Timer]
OnBootSec=5min
OnUnitInactiveSec={seconds}s
RandomizedDelaySec={spread}s
AccuracySec=1min

[Install]
WantedBy=timers.target
"""


@click.command()
@folder_argument
@click.option("--user", default="", metavar="NAME", help="The account to run as (default: systemd's own, root).")
@click.option("--name", default="recrawl", show_default=True, help="What the units are called.")
@click.option(
    "--every",
    "every_s",
    type=Duration(least_s=1.0),
    default="1h",
    show_default=True,
    metavar="1h",
    help="How often the timer looks at what is due.",
)
@click.option(
    "--write", "into", type=click.Path(path_type=Path, file_okay=False), help="Write the files there instead."
)
def systemd(
    folder: str | None, folder_word: str | None, user: str, name: str, every_s: float, into: Path | None
) -> None:
    """Print a service that stays, and a timer that starts a short run now and then: enable one of the two.

    \b
    recrawl systemd /srv/crawl --user crawl --write /etc/systemd/system
    systemctl enable --now recrawl.service            it stays, and comes back to each page in time
    systemctl enable --now recrawl-once.timer         or: it looks now and then, and ends
    """
    place = the_folder(folder, folder_word).need()
    if not name.replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"{name!r} cannot be a unit's name: use letters, digits and hyphens")
    if user and not ACCOUNT.fullmatch(user):
        raise UsageError(f"{user!r} cannot be an account: write its name or its number")
    files = units(place.path.resolve(), program(), user, name, every_s)
    if into is None:
        click.echo("\n".join(f"# /etc/systemd/system/{file}\n{text}" for file, text in files.items()), nl=False)
        return
    with writing(into):
        into.mkdir(exist_ok=True)
    for file, text in files.items():
        put(text, into / file)
    click.echo(f"{', '.join(files)} written to {into}. Next: systemctl daemon-reload, then enable one of them")


def program() -> str:
    """How this recrawl is called by somebody without its environment."""
    beside = Path(sys.executable).with_name("recrawl")
    found = str(beside) if beside.exists() else shutil.which("recrawl")
    return quoted(found) if found else f"{quoted(sys.executable)} -m recrawl"


def units(folder: Path, program: str, user: str, name: str, every_s: float) -> dict[str, str]:
    """File name → text."""
    words = {
        "folder": escaped(str(folder)),
        "plain": escaped(str(folder)),
        "quoted": quoted(str(folder)),
        "program": program,
        "user": f"User={user}\n" if user else "",
        "settled": SETTLED,
        "hopeless": HOPELESS,
        "every": duration.render(every_s),
        "seconds": f"{every_s:g}",
        "spread": f"{min(every_s / 10, 600):g}",
    }
    words["common"] = COMMON.format(**words)
    return {
        f"{name}.service": (UNIT + STAYS).format(**words),
        f"{name}-once.service": (UNIT + ONCE).format(**words),
        f"{name}-once.timer": TIMER.format(**words),
    }


def escaped(text: str) -> str:
    """For a value that is taken as a whole: a percent sign begins a specifier."""
    if "\n" in text:
        raise UsageError(f"{text!r}: systemd cannot name a folder with a line break")
    return text.replace("%", "%%")


def quoted(text: str) -> str:
    """For a value that is cut into words."""
    text = escaped(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{text}"' if any(mark in text for mark in " \t\"'\\;") else text
