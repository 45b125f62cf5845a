"""The index over all WARC files of a folder: find a capture, or merge every sidecar into one sorted file for pywb.

`X.cdxj` is sorted and finished, `X.cdxj.open` belongs to a file that is still written and is in order of writing.
"""

import heapq
import mmap
import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from recrawl.archive.names import FINISHED, OPEN, created_of, stems
from recrawl.archive.reading import REVISIT_TYPE
from recrawl.archive.record import target_uri, timestamp14
from recrawl.formats.cdxj import CdxLine, parse_written, urlkey
from recrawl.model.failure import FormatError
from recrawl.native import compiled

FILES_AT_ONCE = 128
MAPPED_AT_ONCE = 64
MARKS = 512  # lines of a sidecar that are remembered, each as far as
MARK_BYTES = 96  # … this

Text = mmap.mmap | bytes


class Sidecars:
    """Finished sidecars of a folder in order of their making; the folder is listed only once, and again on a miss."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.own = ""  # the open file of whoever asks; it knows its own lines
        self._stems: list[str] = []
        self.created: list[str] = []  # beside them
        self.at_hand: list[Text | None] = []  # beside them: what of them is mapped
        self._seen: set[str] = set()
        self._mapped: dict[str, SortedLines] = {}  # the finished sidecars asked last, oldest first

    def find(self, wanted: "Wanted") -> bytes | None:
        """The line of the whole response of `url` at that moment, narrowed by a digest where one is known: among the
        known finished files, new ones, those still written by others."""
        return (
            wanted.found_in(self.created, self.at_hand)
            or self._find_in(self._nearest(wanted.timestamp), wanted)
            or self._find_in(reversed(self._refresh()), wanted)
            or self._find_open(wanted)
        )

    def _find_in(self, finished: Iterable[str], wanted: "Wanted") -> bytes | None:
        for stem in finished:
            if line := wanted.choose(self._lines_of(stem, wanted.key)):
                return line
        return None

    def _find_open(self, wanted: "Wanted") -> bytes | None:
        others = [stem for stem in stems(self._folder, OPEN) if stem != self.own]
        lines = (unsorted_lines(mapped(self._folder / (stem + OPEN)), wanted.key) for stem in others)
        return next((line for found in lines if (line := wanted.choose(found))), None)

    def _lines_of(self, stem: str, key: bytes) -> list[bytes]:
        found = self._mapped.pop(stem, None)
        if found is None:
            lines = mapped(self._folder / (stem + FINISHED))
            if lines is None:
                return []
            found = MarkedLines(lines) if compiled is None else FoundLines(lines)
            self.at_hand[self._stems.index(stem)] = lines
        self._mapped[stem] = found
        if len(self._mapped) > MAPPED_AT_ONCE:
            del self._mapped[oldest := next(iter(self._mapped))]
            self.at_hand[self._stems.index(oldest)] = None
        return found.beginning_with(key)

    def _nearest(self, timestamp: str) -> Sequence[str]:
        """Begun before the moment, latest first (the capture is nearly always in one of the first), then the rest."""
        middle = bisect_right(self.created, timestamp)
        return (*reversed(self._stems[:middle]), *self._stems[middle:])

    def _refresh(self) -> list[str]:
        new = [stem for stem in stems(self._folder, FINISHED) if stem not in self._seen]
        self._seen.update(new)
        before = dict(zip(self._stems, self.at_hand, strict=True))
        self._stems = sorted([*self._stems, *new], key=created_of)
        self.created = list(map(created_of, self._stems))
        self.at_hand = list(map(before.get, self._stems))
        return new


class Wanted:
    """One look-up: which line among those of an address and a second."""

    def __init__(self, url: str, at: float, sha256: str = "", sha1: str = "") -> None:
        plain: bytes | None = compiled.line_key(url, at) if compiled is not None else None
        self.url = url if plain is not None else target_uri(url)
        self.key = plain or f"{urlkey(self.url)} {timestamp14(at)} ".encode()  # how its lines begin
        self._sha256, self._sha1 = sha256.removeprefix("sha256:"), sha1.removeprefix("sha1:")

    @property
    def timestamp(self) -> str:
        return self.key[-15:-1].decode()

    def found_in(self, created: list[str], sidecars: "list[Text | None]") -> bytes | None:
        """Its line in the nearest of sorted sidecars, by the compiled part. None is no answer: one of them may not be
        at hand, or not as recrawl writes it."""
        if compiled is None:
            return None
        line: bytes | None = compiled.fitting_line(created, sidecars, self.key, self.url, self._sha256, self._sha1)
        return line

    def choose(self, lines: Sequence[bytes]) -> bytes | None:
        """The last one that fits."""
        for text in reversed(lines):
            if (line := _read(text)) is not None and self._fits(line):
                return text
        return None

    def _fits(self, line: CdxLine) -> bool:
        sha256, sha1 = self._sha256, self._sha1
        return (
            line.mime != REVISIT_TYPE
            and line.url == self.url
            and line.timestamp == self.timestamp
            and (not sha256 or line.field("sha256") in (sha256, ""))
            and (not sha1 or line.digest == sha1)
        )


def mapped(path: Path) -> Text | None:
    """None for a file that is not there."""
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(file.fileno()).st_size else b""
    except FileNotFoundError:
        return None


class SortedLines(Protocol):
    """A sorted sidecar."""

    def beginning_with(self, key: bytes) -> list[bytes]: ...


class FoundLines:
    """By the compiled part."""

    def __init__(self, lines: Text) -> None:
        self._lines = lines

    def beginning_with(self, key: bytes) -> list[bytes]:
        found: list[bytes] = compiled.lines_beginning_with(self._lines, key)
        return found


class MarkedLines:
    """Binary search, begun between two of some hundred lines that are remembered."""

    def __init__(self, lines: Text) -> None:
        self._lines = lines
        step = max(1, len(lines) // MARKS)
        self._starts = sorted({lines.rfind(b"\n", 0, at) + 1 for at in range(0, len(lines), step)})
        self._marks = [lines[start : start + MARK_BYTES] for start in self._starts]

    def beginning_with(self, key: bytes) -> list[bytes]:
        lines, found = self._lines, list[bytes]()
        start = self._first_at_least(key)
        while lines[start : start + len(key)] == key:
            end = lines.find(b"\n", start) + 1 or len(lines)
            found.append(lines[start:end])
            start = end
        return found

    def _first_at_least(self, key: bytes) -> int:
        """Where the first line >= key starts."""
        lines, mark = self._lines, key[:MARK_BYTES]
        below, above = bisect_left(self._marks, mark), bisect_right(self._marks, mark)
        low = self._starts[below - 1] if below else 0
        high = self._starts[above] if above < len(self._starts) else len(lines)
        while low < high:
            middle = lines.rfind(b"\n", 0, (low + high) // 2) + 1
            end = lines.find(b"\n", middle) + 1 or len(lines)
            if lines[middle : middle + len(key)] < key:
                low = end
            else:
                high = middle
        return low


def written_lines(path: Path) -> list[bytes]:
    """The whole lines of a sidecar; a line without its newline was torn and does not count."""
    try:
        return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    except FileNotFoundError:
        return []


def unsorted_lines(lines: Text | None, key: bytes) -> list[bytes]:
    """The whole lines of an open sidecar that begin with `key`."""
    found, start = list[bytes](), lines.find(key) if lines else -1
    while lines and start >= 0:
        end = lines.find(b"\n", start) + 1
        if end and (start == 0 or lines[start - 1 : start] == b"\n"):
            found.append(lines[start:end])
        start = lines.find(key, start + 1)
    return found


def readable(lines: Iterable[bytes]) -> list[CdxLine]:
    """Lines that can be read; what a power loss left of others is passed over."""
    return [line for line in map(_read, lines) if line is not None]


def _read(line: bytes) -> CdxLine | None:
    try:
        return parse_written(line)
    except (FormatError, UnicodeDecodeError):
        return None


def merge(folder: Path, target: Path) -> int:
    """Write one sorted index of the whole folder, atomically; how many lines. pywb reads it as it stands."""
    # open ones first: a file that is finished in between is seen twice rather than never
    fresh = sorted(line for stem in stems(folder, OPEN) for line in written_lines(folder / (stem + OPEN)))
    finished = [folder / (stem + FINISHED) for stem in stems(folder, FINISHED)]
    target.parent.mkdir(parents=True, exist_ok=True)
    runs = [finished[at : at + FILES_AT_ONCE] for at in range(0, len(finished), FILES_AT_ONCE)]
    partial = [target.with_name(f"{target.name}.part{number}") for number in range(len(runs))]
    try:
        for paths, part in zip(runs, partial, strict=True):
            _merge_files(paths, [], part)
        lines = _merge_files(partial, fresh, building := target.with_name(target.name + ".building"))
        building.replace(target)
        return lines
    finally:
        for path in partial:
            path.unlink(missing_ok=True)


def _merge_files(paths: list[Path], lines: list[bytes], target: Path) -> int:
    count, last = 0, b""
    with ExitStack() as opened, target.open("wb") as out:
        sources: list[Iterable[bytes]] = [opened.enter_context(path.open("rb")) for path in paths]
        for line in heapq.merge(*sources, lines):
            if line != last:
                out.write(line)
                count, last = count + 1, line
        out.flush()
        os.fsync(out.fileno())
    return count
