"""What must hold of a folder after any crash: nothing acknowledged lost, nothing told twice, nothing dangling, all sums
right, and, by the servers' own logs, politeness kept across every restart."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from math import isclose
from pathlib import Path

from recrawl.answers.reading import READER, Reading, reading
from recrawl.archive.folder import WarcArchive
from recrawl.folder.folder import Folder
from recrawl.lab.requests_log import Request, closer_than, overlapping, parse_lines
from recrawl.model.capture import Place
from recrawl.model.event import Event
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind
from tests.laws.laws import told_twice

MOST = 1_000_000
TOLERANCE_S = 0.005  # two processes' views of one moment


def broken(folder: Path, requests: Sequence[Request] = (), gap_s: float = 0.0, acknowledged: bool = True) -> list[str]:
    """Everything that is not as it should be; nothing is good. `acknowledged`: what the log tells must be kept."""
    with reading(Folder(folder)) as found:
        pages = list(_pages(found))
        events = list(_events(found))
        wrong = [
            *_dangling(found, pages),
            *(_lost(folder, events) if acknowledged else ()),
            *told_twice(events),
            *_sums(found, pages),
        ]
    return wrong + _impolite(requests, gap_s)


def requests_of(logs: Iterable[Path]) -> list[Request]:
    """A line that a kill cut short is no line; servers are not killed, so there should be none."""
    return [request for log in logs if log.exists() for request in parse_lines(log.read_text())]


def _impolite(requests: Sequence[Request], gap_s: float) -> list[str]:
    close = closer_than(requests, gap_s, TOLERANCE_S)
    return [f"two at once: {pair}" for pair in overlapping(requests)] + [f"too close: {pair}" for pair in close]


def _dangling(found: Reading, pages: Sequence[Page]) -> Iterator[str]:
    archive = WarcArchive(found.folder.archive, READER, found.settings.archive, lambda: 0.0, str)
    for page in pages:
        versions = found.store.versions(page.id)
        if page.body_digest and not versions:
            yield f"{page.url} has a digest and no version"
        for one in versions:
            try:
                body = archive.read(Place(one.warc_file, one.warc_offset, one.warc_length)).body
            except (RecrawlError, OSError) as error:
                yield f"dangling: {page.url} at {one.at}: {error}"
                continue
            if f"sha256:{sha256(body).hexdigest()}" != one.digest:
                yield f"not what was kept: {page.url} at {one.at}"


def _lost(folder: Path, events: Sequence[Event]) -> Iterator[str]:
    """The log is written after the commit: whatever it tells with a cursor was acknowledged."""
    kept = {event.cursor: event for event in events}
    for line in (folder / "recrawl.log").read_text().splitlines():
        said = json.loads(line)
        event = kept.get(said.get("cursor", 0))
        if said.get("cursor") and (event is None or (event.kind, event.url) != (said["kind"], said.get("url", ""))):
            yield f"acknowledged and lost: {line}"


def _sums(found: Reading, pages: Sequence[Page]) -> Iterator[str]:
    for server in found.store.servers():
        load = sum(1 / page.interval_s for page in pages if page.server == server.key and page.interval_s > 0)
        if not isclose(server.load_per_s, load, rel_tol=1e-6, abs_tol=1e-9):
            yield f"the load of {server.key} is {server.load_per_s}, its pages make {load}"
    totals = found.store.totals()
    real = [page for page in pages if page.kind is not Kind.SIGNAL]
    counted = {
        "pages": len(real),
        "versions": sum(len(found.store.versions(page.id)) for page in pages),
        "gone": sum(page.status is Status.GONE for page in real),
        "visits": sum(len(found.store.visits(page.id, MOST)) for page in pages),
    }
    for name, count in counted.items():
        if getattr(totals, name) != count:
            yield f"totals say {name} = {getattr(totals, name)}, counting gives {count}"


def _pages(found: Reading) -> Iterator[Page]:
    after = None
    while some := found.store.scan("", after):
        yield from some
        after = some[-1].id


def _events(found: Reading) -> Iterator[Event]:
    after = 0
    while some := found.store.events(after):
        yield from some
        after = some[-1].cursor


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tests.chaos.check", description=__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("logs", type=Path, nargs="*", help="request logs of the servers")
    words.add_argument("--gap", type=float, default=0.0)
    chosen = words.parse_args()
    wrong = broken(chosen.folder, requests_of(chosen.logs), chosen.gap)
    print("\n".join(wrong) or "everything is as it should be")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
