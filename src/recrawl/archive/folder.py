"""The archive in a folder of WARC files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from math import inf
from pathlib import Path

from recrawl.archive.cdxj_index import Sidecars, Wanted, readable, written_lines
from recrawl.archive.member import BrokenMember, inflated
from recrawl.archive.names import FINISHED, OPEN, STEM, WARC, created_of, stem_of, stems
from recrawl.archive.object_store import SENT, Shelf
from recrawl.archive.open_file import OpenFile, read_at
from recrawl.archive.reading import payload_of, plain_payload
from recrawl.archive.recent import Recent
from recrawl.archive.record import BrokenRecord, Record, at_of, parse
from recrawl.archive.repair import repair
from recrawl.archive.settings import ArchiveSettings
from recrawl.archive.tray import Tray
from recrawl.archive.warc import BODY_DIGEST, exchange, is_kept_as_sent, warcinfo
from recrawl.formats.cdxj import parse_written
from recrawl.model.address import fingerprint
from recrawl.model.capture import Capture, Laid, Payload, Place
from recrawl.model.failure import DiskFull, NotFound, RecrawlError
from recrawl.model.swift import replace
from recrawl.model.visit import Reply

NOT_MODIFIED = 304  # never a version
MOST_PATHS = 1000


class WarcArchive:
    """WARC files written by one worker and read by anyone. `folder` is the one that holds the files, `now` names new
    files, `new_id` gives a fresh UUID for each record. `repairs` says what opening had to mend.

    A file is begun with the first capture and finished by rotation or `close`; one left by a kill is mended and
    finished by the next opening, which begins a new one.
    """

    def __init__(
        self,
        folder: Path,
        worker: str,
        settings: ArchiveSettings,
        now: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._worker, self._settings = folder, worker, settings
        self._now, self._new_id = now, new_id
        self._file: OpenFile | None = None
        self._full: list[OpenFile] = []  # to be finished
        self._serial = 0
        self._recent = Recent()  # index lines of the open file by address and second …
        self._recent_from = inf  # … and the first moment among them
        self._sidecars = Sidecars(folder)
        self._paths: dict[str, str] = {}  # of files that were read
        self.repairs = repair(folder, worker, settings.sync)

    # ---- writing

    def append(self, captures: Sequence[Capture]) -> list[Place]:
        return self.lay(captures).keep()

    def lay(self, captures: Sequence[Capture]) -> Laid:
        """All captures into one tray (a second one where a file is full); a file outgrows its size by one capture."""
        matters = any(capture.reply.status != NOT_MODIFIED for capture in captures)
        flush = matters and self._settings.sync
        captures, limit = list(captures), self._settings.file_bytes
        trays: list[Tray] = []
        places: list[Place] = []
        while len(places) < len(captures):
            if not trays or trays[-1].end >= limit:
                trays.append(self._new_tray(trays))
            capture = captures[len(places)]
            is_304 = capture.reply.status == NOT_MODIFIED
            unchanged = self._lay_unchanged(captures, len(places), trays) if is_304 else None
            places += unchanged or (self._lay_one(capture, trays),)
        return Laid(partial(self._keep, trays, places, flush), waits=flush or bool(self._full))

    def _lay_unchanged(self, captures: list[Capture], start: int, trays: Sequence[Tray]) -> list[Place]:
        """As many as are plainly unchanged from there on, by the compiled part. It knows finished sidecars only: an
        original no older than any that is still being written is not its business."""
        before = min(self._recent_from, *(tray.originals_from for tray in trays))
        return trays[-1].add_all_unchanged(
            captures, start, self._sidecars, before, self._new_id, self._settings.file_bytes
        )

    def _lay_one(self, capture: Capture, trays: Sequence[Tray]) -> Place:
        same_as_at = capture.same_as_at
        original = None if same_as_at is None else self._original(capture, same_as_at, trays)
        if original is not None and capture.reply.status == NOT_MODIFIED:
            return trays[-1].add_unchanged(capture, original, self._new_id)
        if original is None and (place := trays[-1].add_plainly(capture, self._settings, self._new_id)) is not None:
            return place
        line = parse_written(original) if original is not None else None
        return trays[-1].add(exchange(capture, line, self._settings, self._new_id), capture.at)

    def _keep(self, trays: Sequence[Tray], places: list[Place], flush: bool) -> list[Place]:
        """Each tray with one write. Where one finds no room, neither it nor those behind it are there."""
        try:
            for tray in trays:
                self._write(tray, flush)
            self._finish_full()
        except DiskFull:
            for file in {tray.file for tray in trays if tray.file.size == 0}:
                file.discard()
                self._let_go(file)
            raise
        return places

    def needs_body(self, reply: Reply) -> bool:
        return reply.source is not None or not is_kept_as_sent(reply)

    def close(self) -> None:
        """Finish the open file. A disk too full for that leaves it to the next opening; nothing is lost."""
        if self._file is not None:
            self._let_go(self._file, is_full=True)
        try:
            self._finish_full()
        except DiskFull:
            for file in self._full:
                file.abandon()
            self._full.clear()

    def _new_tray(self, before: Sequence[Tray]) -> Tray:
        """For the open file; for the next one where that is full, or will be."""
        file, limit = self._file, self._settings.file_bytes
        if file is not None and (file.size >= limit or before):
            self._let_go(file, is_full=True)
        file = self._file = self._file or self._begin()
        tray = Tray(file, self._settings.compress_level)
        if file.size == 0:
            tray.put(warcinfo(file.name, self._now(), self._settings, self._new_id))
        return tray

    def _begin(self) -> OpenFile:
        while True:
            stem = stem_of(self._worker, self._now(), self._serial)
            self._serial += 1
            if file := OpenFile.begin(self._folder, stem, self._settings.sync):
                self._sidecars.own = stem
                return file

    def _write(self, tray: Tray, flush: bool) -> None:
        begin = tray.file.append(tray.data, tray.lines, flush)
        if tray.file is not self._file:
            return
        self._recent_from = min(self._recent_from, tray.originals_from)
        for key, (start, length) in tray.originals:
            self._recent.add(fingerprint(key), (begin + start, length))

    def _finish_full(self) -> None:
        while self._full:
            self._full[0].finish()
            del self._full[0]

    def _let_go(self, file: OpenFile, is_full: bool = False) -> None:
        if is_full:
            self._full.append(file)
        elif file in self._full:
            self._full.remove(file)
        if file is self._file:
            self._file, self._sidecars.own = None, ""
            self._recent.clear()
            self._recent_from = inf

    def _original(self, capture: Capture, same_as_at: float, trays: Sequence[Tray]) -> bytes | None:
        """The index line of the whole response that the capture says it equals; None stores it whole."""
        wanted = Wanted(capture.url, same_as_at, sha256=capture.same_as_digest)
        for tray in trays:
            if (lines := tray.lines_of(wanted.url)) and (line := wanted.choose(lines)):
                return line
        return self._find(wanted)

    def _find(self, wanted: Wanted) -> bytes | None:
        return (self._find_recent(wanted) if self._recent else None) or self._sidecars.find(wanted)

    def _find_recent(self, wanted: Wanted) -> bytes | None:
        spans = self._recent.find(fingerprint(wanted.key.decode()))
        if not spans or self._file is None:
            return None
        lines = [self._file.line_at(span) for span in spans]
        return wanted.found_in([""], [b"".join(lines)]) or wanted.choose(lines)

    # ---- reading

    def read(self, place: Place, body_bytes: int = 0) -> Payload:
        """A revisit is followed to the response it refers to: a 304 reads as that response, an equal payload as its
        own head over that body; `NotFound` if the response is no longer there."""
        try:
            data = self._inflated(place)
            plain = plain_payload(data, self._settings.read_bytes, body_bytes)
            if plain is not None:
                return plain
            record = parse(data)
            refers_to = record.field("WARC-Refers-To-Date") if record.kind == "revisit" else ""
            if not refers_to:
                return payload_of(record, self._settings.read_bytes, body_bytes)
            return self._followed(record, at_of(refers_to), place)
        except (BrokenMember, BrokenRecord) as wrong:
            raise _damage_at(place, wrong) from wrong

    def walk(self) -> Iterator[tuple[Place, Payload]]:
        """Every response and every revisit that can be followed, file by file in order of writing."""
        for stem in self._written():
            lines = written_lines(self._folder / (stem + FINISHED)) or written_lines(self._folder / (stem + OPEN))
            for offset, length in sorted((line.offset, line.length) for line in readable(lines)):
                place = Place(stem + WARC, offset, length)
                payload = None
                with suppress(NotFound):
                    payload = self.read(place)
                if payload is not None:
                    yield place, payload

    def _written(self) -> list[str]:
        """Stems of the files here, and of those that went to the object store."""
        there = stems(self._folder, SENT) if self._settings.object_store else []
        return sorted({*stems(self._folder, WARC), *there}, key=lambda stem: (created_of(stem), stem))

    def _followed(self, record: Record, at: float, place: Place) -> Payload:
        url = record.field("WARC-Refers-To-Target-URI")
        wanted = Wanted(url, at, sha256=record.field(BODY_DIGEST), sha1=record.field("WARC-Payload-Digest"))
        found = self._find(wanted)
        if found is None:
            raise NotFound(f"{place.file} at {place.offset} refers to a capture of {url} that is not in {self._folder}")
        line = parse_written(found)
        own = payload_of(record, self._settings.read_bytes)
        original = payload_of(self._record(Place(line.filename, line.offset, line.length)), self._settings.read_bytes)
        if not record.block:
            return replace(original, url=own.url, at=own.at)
        return replace(own, body=original.body)

    @cached_property
    def _shelf(self) -> Shelf:
        return Shelf(self._settings.object_store)

    def _record(self, place: Place) -> Record:
        try:
            return parse(self._inflated(place))
        except (BrokenMember, BrokenRecord) as wrong:
            raise _damage_at(place, wrong) from wrong

    def _inflated(self, place: Place) -> bytes:
        return inflated(self.member(place))

    def member(self, place: Place) -> bytes:
        """A record as it lies in its file: here, or in the object store if another machine wrote the file or it is
        here no more."""
        try:
            return read_at(self._path_of(place.file), place.offset, place.length)
        except FileNotFoundError:
            if self._settings.object_store:
                return self._shelf.read(place.file, place.offset, place.length)
            raise NotFound(
                f"{self._folder / place.file} is not there: put the file back or crawl the page again"
            ) from None

    def _path_of(self, file: str) -> str:
        if file not in self._paths:
            if not STEM.fullmatch(file.removesuffix(WARC)):
                raise NotFound(f"{file!r} is no file of this archive")
            if len(self._paths) >= MOST_PATHS:
                self._paths.clear()
            self._paths[file] = str(self._folder / file)
        return self._paths[file]


def _damage_at(place: Place, wrong: Exception) -> RecrawlError:
    return RecrawlError(
        f"{place.file} is damaged at byte {place.offset} ({wrong}): restore the file from a copy, "
        "or crawl the page again for a new version"
    )
