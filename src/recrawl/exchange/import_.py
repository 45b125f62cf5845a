"""What others know of the web, taken into a folder: addresses, histories, archives, and recrawl's own exports."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from recrawl.answers.indexing import Read, reader_of
from recrawl.archive.record import Record
from recrawl.config import Settings
from recrawl.engine.assembly import policy_of
from recrawl.engine.finding.followed import UNKNOWN
from recrawl.engine.settling.ledger import write
from recrawl.exchange.import_history import Seen, believed, folded, judged
from recrawl.exchange.import_lists import LISTS, Wanted, unpacked
from recrawl.exchange.import_records import TornEnd, Unusable, records, reply_of
from recrawl.exchange.import_sites import SiteBook
from recrawl.exchange.import_state import Restorer
from recrawl.extract.document import read
from recrawl.folder.folder import Folder
from recrawl.formats import cdxj, page_state
from recrawl.model.address import Address
from recrawl.model.batch import Batch
from recrawl.model.document import Document
from recrawl.model.failure import FormatError, RecrawlError
from recrawl.model.page import Page
from recrawl.model.values import dataclass
from recrawl.model.visit import Evidence, Reply
from recrawl.ports import Archive, Store

BATCH = 256
REVISIT = "warc/revisit"


@dataclass(slots=True)
class Importer:
    """Takes files in, one after another. `counts` says what became of what they held."""

    folder: Folder
    settings: Settings
    store: Store
    archive: Archive
    book: SiteBook
    now: float
    tick: Callable[[int], None] = lambda items: None
    counts: Counter[str] = field(default_factory=Counter)
    _kept: Read = field(init=False)

    def __post_init__(self) -> None:
        self._kept = reader_of(self.folder, self.settings, self.archive)
        self.store.save(Batch(memos=UNKNOWN))  # nobody has followed what is read here

    def take(self, file: Path, form: str) -> None:
        if form in LISTS:
            self._enter(LISTS[form](unpacked(file.read_bytes(), str(file)), str(file)))
        elif form == "cdxj":
            self._believe(file)
        else:
            self._replay(file)

    # addresses

    def _enter(self, wanted: Iterable[Wanted]) -> None:
        rows = iter(wanted)
        while batch := list(islice(rows, BATCH)):
            pages = [page for one in batch if (page := self._page(one)) is not None]
            entered = self.store.save(Batch(entered=tuple(pages))).entered
            self.counts["pages"] += len(entered)
            self.counts["known"] += len({page.id for page in pages}) - len(entered)
            self.tick(len(batch))

    def _page(self, one: Wanted) -> Page | None:
        address = self._address(one.url)
        site = self.book.site_for(address) if address else None
        if address is None or site is None:
            return None
        page = self._new(address, site)
        return replace(page, kind=one.kind, category=one.category, importance=one.importance)

    def _address(self, url: str) -> Address | None:
        address = self.book.address(url)
        if address is None:
            self.counts["no_address"] += 1
        return address

    def _new(self, address: Address, site: str) -> Page:
        return Page(address.id, address.url, address.server, site, found_at=self.now, due_at=self.now)

    # histories without bytes

    def _believe(self, file: Path) -> None:
        """Captures of an index, which lists them by address and time."""
        histories: dict[int, tuple[Page, list[Seen]]] = {}
        data = unpacked(file.read_bytes(), str(file))
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if not line.strip() or line.startswith("!"):
                continue
            self._note(cdxj.parse_capture(line, number, str(file)), histories)
            self.tick(1)
        self._save_beliefs(list(histories.values()))

    def _note(self, line: cdxj.CdxLine, histories: dict[int, tuple[Page, list[Seen]]]) -> None:
        address = self._address(line.url)
        site = self.book.site_for(address) if address else None
        if address is None or site is None:
            return
        if line.status not in ("200", "", "-"):
            self.counts["other_answers"] += 1
            return
        _, seen = histories.setdefault(address.id, (self._new(address, site), []))
        if line.mime == REVISIT and not line.digest and seen:
            seen.append(Seen(_moment(line.timestamp), seen[-1].digest))
        elif line.digest not in ("", "-"):
            seen.append(Seen(_moment(line.timestamp), line.digest, line.length))
        else:
            self.counts["no_digest"] += 1
            return
        self.counts["captures"] += 1

    def _save_beliefs(self, histories: list[tuple[Page, list[Seen]]]) -> None:
        known = self.store.known([page.id for page, _ in histories])
        fresh = [(page, sorted(seen, key=lambda one: one.at)) for page, seen in histories if page.id not in known]
        self.counts["known"] += len(histories) - len(fresh)
        for start in range(0, len(fresh), BATCH):
            batch = fresh[start : start + BATCH]
            beliefs = believed([seen for _, seen in batch], policy_of(self.settings))
            pages = [replace(page, belief=belief) for (page, _), belief in zip(batch, beliefs, strict=True)]
            self.counts["pages"] += len(self.store.save(Batch(entered=tuple(pages))).entered)

    # archives

    def _replay(self, file: Path) -> None:
        """Visits of others, in the order of the file; a page of an own export is put back as it was."""
        restorer = Restorer(self.store, self.archive, self.book, self.counts)
        pending: dict[int, tuple[Page, Reply]] = {}
        following = records(file)
        try:
            for record in following:
                self.tick(1)
                if record.kind == "metadata" and record.block.startswith(page_state.FIELD):
                    restorer.put_back(page_state.parse(record.block, str(file)), self._responses(following))
                    continue
                self._visit(record, pending)
                if len(pending) >= BATCH:
                    self._fold(pending)
        except TornEnd:
            self.counts["torn"] += 1
        except FormatError:
            self._fold(pending)  # what came before the fault is as good as ever
            raise
        self._fold(pending)

    def _responses(self, following: Iterator[Record]) -> Iterator[Reply | None]:
        """None in the place of one that cannot be used: those behind it are of the versions behind it."""
        for record in following:
            try:
                reply = reply_of(record, self.settings.limits)
            except Unusable:
                yield None
                continue
            if reply is not None:
                yield reply

    def _visit(self, record: Record, pending: dict[int, tuple[Page, Reply]]) -> None:
        try:
            reply = reply_of(record, self.settings.limits)
        except Unusable as fault:
            self.counts[fault.why] += 1
            return
        if reply is None:
            return
        address = self._address(reply.ask.url)
        site = self.book.site_for(address) if address else None
        if address is None or site is None or address.url.endswith("/robots.txt"):
            return
        if address.id in pending:
            self._fold(pending)
        page = next(iter(self.store.pages([address.id])), None) or self._new(address, site)
        if page.checked_at is not None and reply.at <= page.checked_at:
            self.counts["older"] += 1
            return
        self.counts["captures"] += 1
        pending[address.id] = (page, reply)

    def _fold(self, pending: dict[int, tuple[Page, Reply]]) -> None:
        arrivals = [
            judged(page, reply, self._read(page, reply), self._previous(page)) for page, reply in pending.values()
        ]
        if arrivals:
            ledger = folded(arrivals, policy_of(self.settings), self.now)
            self.counts["pages"] += sum(1 for one in arrivals if not one.page.visits)
            self.counts["versions"] += sum(1 for copy in ledger.copies if copy.is_version)
            write(ledger, self.archive, self.store)
        pending.clear()

    def _read(self, page: Page, reply: Reply) -> Document | None:
        if reply.evidence is not Evidence.DOCUMENT:
            return None
        return read(reply.body, reply.header("content-type"), page.url, self.settings.extract, reply.headers)

    def _previous(self, page: Page) -> Document | None:
        versions = self.store.versions(page.id, 1) if page.visits else []
        try:
            return self._kept(page, versions[0]) if versions else None
        except RecrawlError:
            return None


def _moment(digits: str) -> float:
    """Epoch seconds of a CDX timestamp, 4 to 14 digits."""
    whole = (digits + "00000101000000"[len(digits) :])[:14] if len(digits) < 14 else digits[:14]
    try:
        return datetime.strptime(whole, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise FormatError(f"{digits} is no moment") from None
