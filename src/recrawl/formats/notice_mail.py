"""S4's notice: subject `Robot : Update of Index`, and a line a document.

    <RoBoT> A:/web/html/index.html:156:20030720

Only such lines are read; everything else in a mail (greetings, footers) is passed over.
"""

from collections.abc import Iterable

from recrawl.formats.his import Entry, day_text, parse_line, path_fault
from recrawl.model.failure import FormatError
from recrawl.model.values import dataclass

SUBJECT = "Robot : Update of Index"
CONFIRM_SUBJECT = "Robot : Confirm Registration"
MARK = "<RoBoT> "
TOKEN_MARK = "TOKEN : "
AGENT_MARK = "AGENT : "
SIGNATURE_HEADER = "X-Recrawl-Signature"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a body said. `faults` counts lines with the mark that make no sense; `cut`: there were more lines."""

    entries: tuple[Entry, ...]
    faults: int = 0
    cut: bool = False


def render_line(entry: Entry) -> str:
    if fault := path_fault(entry.path):
        raise FormatError(fault)
    return f"{MARK}{entry.kind.value}:{entry.path}:{entry.size_bytes}:{day_text(entry.modified_at)}"


def render(entries: Iterable[Entry]) -> str:
    return "".join(render_line(entry) + "\n" for entry in entries)


def parse(text: str) -> list[Entry]:
    """Every marked line must be sound."""
    return [
        parse_line(line.removeprefix(MARK), number)
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1)
        if line.startswith(MARK)
    ]


def read(text: str, most_lines: int) -> Reading:
    """The sound lines of a body, the others counted; not more than `most_lines` are looked at."""
    lines = text.replace("\r\n", "\n").split("\n", most_lines)
    cut = len(lines) > most_lines and bool(lines[most_lines].strip())
    entries, faults = [], 0
    for line in lines[:most_lines]:
        if not line.startswith(MARK):
            continue
        try:
            entries.append(parse_line(line.removeprefix(MARK).rstrip()))
        except FormatError:
            faults += 1
    return Reading(tuple(entries), faults, cut)


def render_confirmation(agent: str, token: str) -> str:
    """The one mail an address gets before it has confirmed: nothing in it comes from whoever asked for it."""
    return (
        "Somebody asked that changes of a web server be announced to this address.\n"
        "If it was you, confirm by sending the token to the agent:\n"
        "    recrawl robot confirm SITE --token TOKEN\n"
        "or by HTTP POST with the fields ACTION=Confirm and TOKEN. Otherwise do nothing: nothing more will come.\n\n"
        f"{AGENT_MARK}{agent}\n{TOKEN_MARK}{token}\n"
    )


def parse_confirmation(text: str) -> tuple[str, str]:
    """(agent, token)."""
    found = {}
    for line in text.replace("\r\n", "\n").split("\n"):
        for mark in (AGENT_MARK, TOKEN_MARK):
            if line.startswith(mark):
                found[mark] = line.removeprefix(mark).strip()
    if len(found) != 2:
        raise FormatError("a confirmation names the agent and the token")
    return found[AGENT_MARK], found[TOKEN_MARK]
