"""What the store over a database says of records."""

from collections.abc import Sequence

from recrawl.model.record import Record
from recrawl.store import rows
from recrawl.store.book import Book
from recrawl.store.codes import LEAST, MOST
from recrawl.store.connection import Database, enduring
from recrawl.store.rows import Row
from recrawl.store.words import Words


class RecordReading:
    """A part of `SqlStore`."""

    database: Database
    _sql: Book
    _words: Words

    @enduring
    def records(self, pages: Sequence[int]) -> list[Record]:
        unique = list(dict.fromkeys(pages))
        with self.database.reading() as session:
            found = list(session.rows_of(self._sql.records, unique))
        order = {page: place for place, page in enumerate(unique)}
        return self._records_of(sorted(found, key=lambda row: (order[row[0]], row[1], row[2])))

    @enduring
    def newest_records(self, pages: Sequence[int]) -> list[Record]:
        sql, unique = self._sql.records_at, list(dict.fromkeys(pages))
        with self.database.reading() as session:
            newest = {row[0]: row[1] for row in session.rows_of(self._sql.newest_moments, unique)}
            versions = [(page, newest[page]) for page in unique if page in newest]
            found = [row for page, at in versions for row in session.rows(sql, sql.bind(page=page, at=at))]
        return self._records_of(found)

    @enduring
    def record_pages(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[int]:
        number = self._number_of_site(site)
        if number is None or limit <= 0 or after == MOST:
            return []
        sql = self._sql.record_pages_of_site if number else self._sql.record_pages
        from_id = LEAST if after is None else after + 1
        with self.database.reading() as session:
            return [row[0] for row in session.rows(sql, sql.bind(from_id=from_id, limit=limit, site=number))]

    @enduring
    def broken_records(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[Record]:
        number = self._number_of_site(site)
        if number is None or limit <= 0 or after == MOST:
            return []
        sql = self._sql.broken_records_of_site if number else self._sql.broken_records
        from_id = LEAST if after is None else after + 1
        with self.database.reading() as session:
            return self._records_of(session.rows(sql, sql.bind(from_id=from_id, limit=limit, site=number)))

    def _records_of(self, found: Sequence[Row]) -> list[Record]:
        texts = self._words.texts(number for row in found for number in (row[3], row[7]))
        return [rows.record_of(row, texts) for row in found]

    def _number_of_site(self, site: str) -> int | None:
        """0 for every site, None for one that is not there."""
        if not site:
            return 0
        with self.database.reading() as session:
            return next((row[0] for row in session.rows_of(self._sql.word_numbers, [site])), None)
