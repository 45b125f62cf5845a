"""The search index in a PostgreSQL database, shared by the workers of a cluster."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy.exc import IntegrityError, ProgrammingError

from recrawl.model.failure import NotFound, StoreOutdated
from recrawl.model.search import Entry, Extent, Found, Part, Question, Shelf, Step
from recrawl.store.address import name_of
from recrawl.store.connection import Rows, Session
from recrawl.store.engines import WRITE, plainly, session_on
from recrawl.store.postgres import postgres_engine
from recrawl.store.search import postgres_match as match
from recrawl.store.search import postgres_tables as tables
from recrawl.store.search.sqlite import CURSOR, SCHEMA, doc_row, hit_of, pack
from recrawl.store.search.tables import PARTS
from recrawl.store.search.vector import pieces, vector
from recrawl.store.texts import Sql

RANK_AT_MOST = 3_000  # to weigh a document takes longer than in a file
DOCUMENTS, WORDS = "documents", "words"
SPACES = {False: "recrawl_search", True: "recrawl_search_versions"}  # without and with history


class PostgresSearch:
    """Keeps the laws of `ports.SearchIndex`, with the arguments of `SqliteSearch`."""

    def __init__(
        self,
        dsn: str,
        cut: Callable[[str], str],
        knife: int,
        weights: Mapping[Part, float],
        history: bool = False,
        readonly: bool = False,
        rank_at_most: int = RANK_AT_MOST,
    ) -> None:
        self._where, self._cut, self._history, self._rank_at_most = name_of(dsn), cut, history, rank_at_most
        self._weights, self._space = weights, SPACES[history]
        self._edition = tables.SCHEMA * 1000 + knife
        self._engine = postgres_engine(dsn, readonly)
        self._writer = self._engine.execution_options(**{WRITE: True})
        self._reader = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        try:
            if readonly:
                self._check()
            elif self._stored_edition() != self._edition:
                self._create()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with plainly(self._where), self._reader.connect() as connection:
            yield session_on(connection)

    def _sql(self, text: str) -> Sql:
        return Sql(text.replace("{space}", self._space), (), {})

    def _stored_edition(self) -> int | None:
        with self._reading() as session:
            if not session.value(self._sql(tables.EXISTS)):
                return None
            found: int | None = session.value(self._sql(tables.META), (SCHEMA,))
            return found

    def _check(self) -> None:
        stored = self._stored_edition()
        if stored is None:
            raise NotFound(f"{self._where} has no search index yet: search once where it can be written")
        if stored != self._edition:
            raise StoreOutdated(
                f"the index in {self._where} is of another recrawl: search once where it can be written"
            )

    def _create(self) -> None:
        """Made anew; whoever does so at the same moment may come first."""
        try:
            with plainly(self._where), self._writer.begin() as connection:
                session = session_on(connection)
                for text in (tables.DROP, *tables.CREATE):
                    session.change(self._sql(text), ())
                start = ((SCHEMA, self._edition), (CURSOR, 0), (DOCUMENTS, 0), (WORDS, 0))
                session.many(self._sql(tables.PUT_META), start)
        except (IntegrityError, ProgrammingError):
            if self._stored_edition() != self._edition:
                raise

    # writing

    def cursor(self) -> int:
        with self._reading() as session:
            return int(session.value(self._sql(tables.META), (CURSOR,)) or 0)

    def apply(self, step: Step) -> bool:
        cut = [(entry, [self._cut(entry.part(part)).split() for part in PARTS]) for entry in step.put]
        with plainly(self._where), self._writer.begin() as connection:
            session = session_on(connection)
            if session.value(self._sql(tables.LOCK_META), (CURSOR,)) != step.after:
                return False
            self._forget(session, tables.FORGET_PAGES, (list(step.removed),))
            for entry, words in cut:
                self._put(session, entry, words)
            session.many(self._sql(tables.CLOSE), [(at, page, at, at) for page, at in step.closed])
            session.change(self._sql(tables.PUT_META), (CURSOR, step.cursor))
        return True

    def _put(self, session: Session, entry: Entry, words: Sequence[Sequence[str]]) -> None:
        if self._history:
            key = (entry.page, entry.at)
            self._forget(session, tables.FORGET_VERSION, key)
            if entry.until_at is None:
                entry = replace(entry, until_at=session.value(self._sql(tables.NEXT_AT), key))
        else:
            self._forget(session, tables.FORGET_PAGES, ([entry.page],))
        length = sum(map(len, words))
        values = (*doc_row(entry), length, pack([entry.part(part) for part in PARTS]))
        number = session.value(self._sql(tables.ADD_DOC), values)
        found = [(part, vector(piece)) for part, of_part in enumerate(words) for piece in pieces(of_part)]
        if found:
            parts, vectors = zip(*found, strict=True)
            session.change(self._sql(tables.ADD_WORDS), (number, list(parts), list(vectors)))
        self._count(session, 1, length)

    def _forget(self, session: Session, sql: str, values: tuple[object, ...]) -> None:
        [(documents, words)] = session.rows(self._sql(sql), values)
        if documents:
            self._count(session, -documents, -words)

    def _count(self, session: Session, documents: int, words: int) -> None:
        session.many(self._sql(tables.ADD_META), [(documents, DOCUMENTS), (words, WORDS)])

    # reading

    def find(self, question: Question, limit: int = 20, offset: int = 0) -> Found:
        if any(not group for group in question.groups):
            return Found()
        bounds = (max(limit, 0), max(offset, 0))
        with self._reading() as session:
            total = int(self._ask(session, match.counting(question))[0][0])
            if not total:
                return Found()
            rows = self._ask(session, self._chosen(session, question, total), bounds)
            return Found(tuple(hit_of(row[:-2], row[-2], row[-1]) for row in rows), total)

    def _chosen(self, session: Session, question: Question, total: int) -> match.Asked:
        if not question.terms:
            return match.listing(question)
        if total > self._rank_at_most:
            return match.sorting(question)
        return match.ranking(question, self._weights, self._extent(session))

    def _ask(self, session: Session, asked: match.Asked, bounds: tuple[int, ...] = ()) -> Rows:
        return session.rows(self._sql(asked.text), (*asked.values, *bounds))

    def _extent(self, session: Session) -> match.Extent:
        documents, words = (session.value(self._sql(tables.META), (name,)) for name in (DOCUMENTS, WORDS))
        return match.Extent(documents, words)

    def shelves(self) -> list[Shelf]:
        with self._reading() as session:
            return [Shelf(*row) for row in session.rows(self._sql(tables.SHELVES))]

    def extent(self) -> Extent:
        with self._reading() as session:
            return Extent(self._extent(session).documents, int(session.value(self._sql(tables.SIZE))))
