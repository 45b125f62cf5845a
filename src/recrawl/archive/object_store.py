"""Copies of finished files in object storage (`s3://bucket/prefix`), so that every machine can read them.

The folder is the spool: a file is written there, and sent when it is finished. `<stem>.sent` says that records and
index lines have arrived; while the storage is away the files wait, and nothing but the sending is late. A file sent
twice is the same file. Where they are not to stay here, records are deleted once they are there in their full size;
their index lines stay, by which captures are found. Who reads from a storage that is away is told so at once until it
is asked again: a crawl goes on without, and ends when it is told to. obstore is an extra, imported when it is needed.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

from recrawl.archive.names import FINISHED, WARC, stems
from recrawl.model.failure import ConfigError, NotFound, RecrawlError, StoreAway

SENT = ".sent"
LOOK_EVERY_S = 1.0
LONGEST_PAUSE_S = 60.0
SHORT_S = 1.0
PART_BYTES = 16 << 20
AWAY_S = 10.0  # that a storage which did not answer is not asked again
SILENT_S, SLOWEST_BYTES_PER_S = 4.0, 1_000_000  # whoever reads waits so long at most, and longer for much
RETRIES: dict[str, Any] = {"max_retries": 2, "retry_timeout": timedelta(seconds=20)}  # what fails then comes again


class Shelf:
    """One place in an object storage. Credentials, region and endpoint come from the environment (`AWS_…`).
    `steady`: a clock; `silent_s`: how long a reader bears with silence."""

    def __init__(self, url: str, steady: Callable[[], float] = monotonic, silent_s: float = SILENT_S) -> None:
        self._url, self._steady, self._silent_s = url, steady, silent_s
        self._away_until, self._away = 0.0, ""
        try:
            self._obstore = import_module("obstore")
        except ModuleNotFoundError as error:
            raise ConfigError("archive.object_store needs the extra `s3`: pip install 'recrawl[s3]'") from error
        self._faults: tuple[type[Exception], ...] = (import_module("obstore.exceptions").BaseError, ValueError, OSError)
        try:
            self._store: Any = import_module("obstore.store").from_url(url, retry_config=RETRIES)
        except self._faults as error:
            raise ConfigError(f"archive.object_store: {url!r} cannot be used ({error}): write s3://bucket") from error

    def put(self, file: Path) -> None:
        with self._plainly(), file.open("rb") as source:
            self._obstore.put(self._store, file.name, source, chunk_size=PART_BYTES)

    def size_bytes(self, name: str) -> int | None:
        """None: it is not there."""
        with self._plainly():
            try:
                return int(self._obstore.head(self._store, name)["size"])
            except FileNotFoundError:
                return None

    def read(self, name: str, offset: int, length: int) -> bytes:
        if self._steady() < self._away_until:
            raise StoreAway(self._away)
        try:
            patience_s = self._silent_s + length / SLOWEST_BYTES_PER_S
            return self._in_time(patience_s, lambda: self._read(name, offset, length))
        except StoreAway as error:
            self._away_until, self._away = self._steady() + AWAY_S, str(error)
            raise

    def _read(self, name: str, offset: int, length: int) -> bytes:
        with self._plainly():
            try:
                return bytes(self._obstore.get_range(self._store, name, start=offset, length=length))
            except FileNotFoundError:
                raise NotFound(f"{name} is neither in the folder nor in {self._url}: crawl the page again") from None

    def _in_time(self, patience_s: float, work: Callable[[], bytes]) -> bytes:
        """In a thread that nobody waits for any longer, not even the end of the process."""
        outcome: Future[bytes] = Future()

        def run() -> None:
            try:
                outcome.set_result(work())
            except BaseException as error:  # noqa: BLE001 — handed on, not swallowed
                outcome.set_exception(error)

        Thread(target=run, name="object store", daemon=True).start()
        try:
            return outcome.result(patience_s)
        except TimeoutError:
            raise StoreAway(f"{self._url} does not answer: see that it can be reached") from None

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        try:
            yield
        except self._faults as error:
            reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
            raise StoreAway(f"{self._url} does not answer ({reason}): see that it can be reached") from error


def unsent(folder: Path) -> list[str]:
    """Stems of finished files of which nobody knows that they arrived."""
    here = set(stems(folder, WARC)) - set(stems(folder, SENT))
    return [stem for stem in stems(folder, FINISHED) if stem in here]


def send(folder: Path, stem: str, shelf: Shelf) -> None:
    """Records first: whoever finds index lines finds what they point to."""
    shelf.put(folder / (stem + WARC))
    shelf.put(folder / (stem + FINISHED))
    (folder / (stem + SENT)).touch()


def clear(folder: Path, shelf: Shelf) -> list[str]:
    """Delete the records here of files that are there, whole; stems."""
    sent = set(stems(folder, SENT))
    cleared = []
    for stem in (stem for stem in stems(folder, WARC) if stem in sent):
        file = folder / (stem + WARC)
        with suppress(FileNotFoundError):  # another worker was quicker
            if shelf.size_bytes(file.name) == file.stat().st_size:
                file.unlink()
                cleared.append(stem)
    return cleared


class Sender:
    """Sends what is finished, from a thread of its own, until `close`."""

    def __init__(self, folder: Path, shelf: Shelf, complain: Callable[[str], None], keep_local: bool = True) -> None:
        self._folder, self._shelf, self._complain, self._keep = folder, shelf, complain, keep_local
        self._ended, self._is_away = Event(), False
        self._thread = Thread(target=self._run, name="sender", daemon=True)
        self._thread.start()

    def close(self, patience_s: float = 5.0) -> None:
        """One more look at what is finished by now; what does not arrive in time is sent by the next run, and nobody
        waits for a storage that was away just now."""
        self._ended.set()
        self._thread.join(min(patience_s, SHORT_S) if self._is_away else patience_s)

    def _run(self) -> None:
        pause_s, last = LOOK_EVERY_S, False
        while not last:
            last = self._ended.wait(pause_s)
            self._is_away = not self._send_all()
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S) if self._is_away else LOOK_EVERY_S

    def _send_all(self) -> bool:
        """False: the storage is away, and the files wait."""
        try:
            for stem in unsent(self._folder):
                send(self._folder, stem, self._shelf)
            if not self._keep:
                clear(self._folder, self._shelf)
        except RecrawlError as error:
            self._complain(f"finished files wait in {self._folder}: {error}")
            return False
        return True
