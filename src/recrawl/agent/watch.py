"""Looking at the documents: once (for cron), or again and again, woken by file events where they can be had."""

import importlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from recrawl.agent import history, snapshot
from recrawl.agent.place import Place
from recrawl.agent.publish import publish
from recrawl.agent.settings import Settings
from recrawl.agent.snapshot import Difference, Snapshot
from recrawl.agent.sources import find, look_at
from recrawl.formats.his import Entry
from recrawl.model.values import dataclass

WHOLE_LOOK_S = 3600.0  # file events can be lost: everything is looked at this often all the same
GATHER_MS = 500


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found and what it cost."""

    documents: int
    entries: tuple[Entry, ...]
    cpu_s: float
    first: bool = False


def look(place: Place, settings: Settings, now: float, announce_first: bool = False) -> Look:
    """Compare with the last snapshot, write history, snapshot, sitemap and feed. The first look announces nothing:
    the robots that register find the documents by themselves."""
    started_s = time.process_time()
    with place.held("watch"):
        first = not place.snapshot.exists()
        before = snapshot.read(place.snapshot)
        found = find(settings, Path(settings.documents.root or "."))
        difference = snapshot.compare(before, found, settings.documents.hash, snapshot.content_of_file, now)
        return _kept(place, settings, before, difference, now, started_s, first and not announce_first)


def look_at_files(place: Place, settings: Settings, files: Iterable[str], now: float) -> Look:
    """The same for a few files."""
    started_s = time.process_time()
    root = Path(settings.documents.root)
    with place.held("watch"):
        before = snapshot.read(place.snapshot)
        looked = [(path, one) for path, one in (look_at(settings, root, file) for file in files) if path]
        difference = snapshot.compare_some(before, looked, settings.documents.hash, snapshot.content_of_file, now)
        return _kept(place, settings, before, difference, now, started_s, first=False)


def _kept(
    place: Place,
    settings: Settings,
    before: Snapshot,
    difference: Difference,
    now: float,
    started_s: float,
    first: bool,
) -> Look:
    """History first, snapshot second: see `snapshot`."""
    told = () if first else tuple(difference.entries)
    history.append(place.history, told, now)
    if difference.snapshot != before or first:
        snapshot.write(place.snapshot, difference.snapshot)
        publish(place, settings, now)
    return Look(len(difference.snapshot), told, time.process_time() - started_s, first)


def keep_looking(
    place: Place,
    settings: Settings,
    clock: Callable[[], float],
    every_s: float,
    stop: threading.Event,
    tell: Callable[[Look], None],
    announce_first: bool = False,
) -> None:
    """Until told to stop: a look at what file events name, a whole look every so often (`every_s` without events)."""
    tell(look(place, settings, clock(), announce_first))
    whole_at = clock()  # once more when file events flow: what happened in between told nobody
    for files in wakes(settings, every_s, stop):
        if files and clock() < whole_at and all(Path(file).suffix and not Path(file).is_dir() for file in files):
            tell(look_at_files(place, settings, files, clock()))
        elif files is None or files or clock() >= whole_at:
            tell(look(place, settings, clock()))
            whole_at = clock() + WHOLE_LOOK_S


def wakes(settings: Settings, every_s: float, stop: threading.Event) -> Iterator[set[str] | None]:
    """File names where `watchfiles` is installed and a folder is walked; None: time for a whole look."""
    watchfiles = _watchfiles() if settings.documents.source == "walk" else None
    if watchfiles is None:
        while not stop.wait(every_s):
            yield None
        return
    root = settings.documents.root
    for changes in watchfiles(root, stop_event=stop, debounce=GATHER_MS, rust_timeout=5000, yield_on_timeout=True):
        yield {file for _, file in changes}


def _watchfiles() -> Callable[..., Iterable[set[tuple[int, str]]]] | None:
    """An extra: the agent is whole without it."""
    try:
        module = importlib.import_module("watchfiles")
    except ImportError:
        return None
    watch: Callable[..., Iterable[set[tuple[int, str]]]] = module.watch
    return watch
