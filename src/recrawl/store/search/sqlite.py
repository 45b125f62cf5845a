"""The search index in one SQLite file."""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recrawl.model.failure import StoreOutdated
from recrawl.model.search import Entry, Extent, Found, Hit, Part, Question, Shelf, Step
from recrawl.model.site import Kind
from recrawl.model.values import dataclass
from recrawl.store.connection import Session
from recrawl.store.search import tables
from recrawl.store.search.match import Condition, conditions_of, match_of, tiers_of, without_of
from recrawl.store.sqlite import mode_to_read
from recrawl.store.sqlite_driver import BUSY_MS, SqliteConnections, wait_for_turn
from recrawl.store.texts import Sql

CURSOR, SCHEMA = "cursor", "schema"
RANK_AT_MOST = 10_000  # beyond this many documents those with the words in title or headings come first
PACKING = 3  # zlib level
CACHE_KIB, MAPPED_BYTES = 65_536, 128 << 20  # lists of words are read through, unlike what a crawl looks up

Cut = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question's statements; each takes an expression, then these values."""

    ranked: Sql
    newest: Sql
    counted: Sql
    values: tuple[object, ...]


class SqliteSearch:
    """Keeps the laws of `ports.SearchIndex`. `cut` turns a text into words with spaces between; `knife` is the number
    of its edition: an index cut by another one is made anew. `history`: every version has an entry of its own."""

    def __init__(
        self,
        file: Path,
        cut: Cut,
        knife: int,
        weights: Mapping[Part, float],
        history: bool = False,
        readonly: bool = False,
        rank_at_most: int = RANK_AT_MOST,
    ) -> None:
        self._file, self._cut, self._history, self._rank_at_most = file, cut, history, rank_at_most
        self._weights = ", ".join(str(float(weights[part])) for part in tables.PARTS)
        self._edition = tables.SCHEMA * 1000 + knife
        mode = mode_to_read(file) if readonly else "mode=rwc"
        self._connections = SqliteConnections(
            file, mode, cache_kib=CACHE_KIB, spare_kib=CACHE_KIB, mapped_bytes=MAPPED_BYTES
        )
        if readonly:
            self._check()
        else:
            self._create()

    def close(self) -> None:
        self._connections.close()

    def _check(self) -> None:
        with self._connections.reading() as session:
            if session.value(_sql(tables.META), (SCHEMA,)) != self._edition:
                raise StoreOutdated(f"{self._file} is of another recrawl: search once where it can be written")

    def _create(self) -> None:
        """Make the tables where they are missing, and anew where they are of another edition."""
        with self._connections.taken() as driver:
            wait_for_turn(driver, "PRAGMA journal_mode = WAL", BUSY_MS)
        with self._connections.writing() as session:
            session.change(_sql(tables.CREATE[0]), ())
            if session.value(_sql(tables.META), (SCHEMA,)) == self._edition:
                return
            for table in ("word", "doc", "body", "meta"):
                session.change(_sql(f"DROP TABLE IF EXISTS {table}"), ())
            for statement in tables.CREATE:
                session.change(_sql(statement), ())
            session.many(_sql(tables.PUT_META), [(SCHEMA, self._edition), (CURSOR, 0)])

    # writing

    def cursor(self) -> int:
        with self._connections.reading() as session:
            return int(session.value(_sql(tables.META), (CURSOR,)) or 0)

    def apply(self, step: Step) -> bool:
        cut = [(entry, [self._cut(entry.part(part)) for part in tables.PARTS]) for entry in step.put]
        with self._connections.writing() as session:
            if session.value(_sql(tables.META), (CURSOR,)) != step.after:
                return False
            for page in step.removed:
                self._forget(session, session.rows(_sql(tables.NUMBERS_OF_PAGE), (page,)))
            for entry, words in cut:
                self._put(session, entry, words)
            for page, at in step.closed:
                session.change(_sql(tables.CLOSE), (at, page, at, at))
            session.many(_sql(tables.PUT_META), [(CURSOR, step.cursor)])
        return True

    def _put(self, session: Session, entry: Entry, words: Sequence[str]) -> None:
        key = (entry.page, entry.at) if self._history else (entry.page,)
        old = tables.NUMBERS_OF_VERSION if self._history else tables.NUMBERS_OF_PAGE
        self._forget(session, session.rows(_sql(old), key))
        if self._history and entry.until_at is None:
            entry = replace(entry, until_at=session.value(_sql(tables.NEXT_AT), key))
        [(number,)] = session.rows(_sql(tables.ADD_DOC), doc_row(entry))
        texts = [entry.part(part) for part in tables.PARTS]
        session.many(_sql(tables.ADD_BODY), [(number, pack(texts))])
        session.many(_sql(tables.ADD_WORDS), [(number, *words)])

    def _forget(self, session: Session, rows: Iterable[Any]) -> None:
        for (number,) in rows:
            texts = _unpack(session.value(_sql(tables.BODY), (number,)))
            session.many(_sql(tables.FORGET_WORDS), [(number, *map(self._cut, texts))])
            session.change(_sql(tables.FORGET_DOC), (number,))
            session.change(_sql(tables.FORGET_BODY), (number,))

    # reading

    def find(self, question: Question, limit: int = 20, offset: int = 0) -> Found:
        if any(not group for group in question.groups):
            return Found()
        bounds = (max(limit, 0), max(offset, 0))
        with self._connections.reading() as session:
            rows, total = self._rows(session, question, bounds)
            return Found(tuple(_hit(session, row) for row in rows), total)

    def _rows(self, session: Session, question: Question, bounds: tuple[int, int]) -> tuple[Sequence[Any], int]:
        conditions = conditions_of(question)
        match = match_of(question)
        if not match:
            if question.without:
                conditions.append(Condition(tables.WITHOUT, (without_of(question),)))
            text, values = _where(conditions)
            total = session.value(_sql(tables.LISTED_COUNT.format(conditions=text)), values)
            return session.rows(_sql(tables.LISTED.format(conditions=text)), (*values, *bounds)), total
        asked = self._asked(conditions)
        total = session.value(asked.counted, (match, *asked.values))
        if total <= self._rank_at_most:
            return session.rows(asked.ranked, (match, *asked.values, *bounds)), total
        return self._in_tiers(session, question, asked, bounds), total

    def _asked(self, conditions: Sequence[Condition]) -> _Asked:
        text, values = _where(conditions)
        filled = {"weights": self._weights, "conditions": text, "join": tables.JOIN if conditions else ""}
        ranked, newest, counted = (
            _sql(statement.format(**filled)) for statement in (tables.RANKED, tables.NEWEST, tables.COUNTED)
        )
        return _Asked(ranked, newest, counted, values)

    def _in_tiers(self, session: Session, question: Question, asked: _Asked, bounds: tuple[int, int]) -> Sequence[Any]:
        """Answers one behind the other. A common word stands in so many documents that to weigh them all takes longer
        than people wait, and says so little that it hardly matters."""
        left, skip = bounds
        rows: list[Any] = []
        for match in tiers_of(question):
            if len(rows) == left:
                break
            count = session.value(asked.counted, (match, *asked.values))
            if skip < count:
                sql = asked.ranked if count <= self._rank_at_most else asked.newest
                rows += session.rows(sql, (match, *asked.values, left - len(rows), skip))
            skip = max(0, skip - count)
        return rows

    def shelves(self) -> list[Shelf]:
        with self._connections.reading() as session:
            return [Shelf(*row) for row in session.rows(_sql(tables.SHELVES))]

    def extent(self) -> Extent:
        with self._connections.reading() as session:
            documents = session.value(_sql(tables.COUNT))
        beside = [self._file.with_name(self._file.name + end) for end in ("", "-wal")]
        return Extent(documents, sum(file.stat().st_size for file in beside if file.exists()))


def _sql(text: str) -> Sql:
    return Sql(text, (), {})


def _where(conditions: Sequence[Condition]) -> tuple[str, tuple[object, ...]]:
    text = "".join(f" AND ({one.text})" for one in conditions)
    return text, tuple(value for one in conditions for value in one.values)


def doc_row(entry: Entry) -> tuple[object, ...]:
    return tuple(str(getattr(entry, name)) if name == "kind" else getattr(entry, name) for name in tables.COLUMNS)


def pack(texts: Sequence[str]) -> bytes:
    return zlib.compress(json.dumps(texts, ensure_ascii=False).encode("utf-8", "surrogatepass"), PACKING)


def _unpack(packed: bytes) -> list[str]:
    return list(json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass")))


def _hit(session: Session, row: Any) -> Hit:
    number, score = row[len(tables.COLUMNS) :]
    return hit_of(row[: len(tables.COLUMNS)], session.value(_sql(tables.BODY), (number,)), score)


def hit_of(columns: Sequence[Any], packed: bytes, score: float) -> Hit:
    known = dict(zip(tables.COLUMNS, columns, strict=True))
    texts = dict(zip(tables.PARTS, _unpack(packed), strict=True))
    parts = {part.value: text for part, text in texts.items()}
    return Hit(Entry(**(known | parts | {"kind": Kind(known["kind"])})), float(score))
