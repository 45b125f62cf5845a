"""What is asked and said about what happened: visits, versions, events, notices, counts."""

from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Table, bindparam, exists, func, insert, select, union_all, update
from sqlalchemy.sql import Select

from recrawl.model.verdict import Change
from recrawl.store import codes
from recrawl.store.compiled import Compiler, number, one_of
from recrawl.store.tables import COUNTER, EVENT, MEMO, META, NOTICE, PAGE, ROBOTS, VERSION, VISIT, VISIT_LOG, WORD
from recrawl.store.texts import Sql

KEPT = [column.name for column in VISIT.columns]  # what the log holds of a visit, too
NO_CHANGE = [codes.CHANGE.number[change] for change in (Change.SAME, Change.UNKNOWN)]


class HistoryStatements(Compiler):
    """Attributes and methods are statements."""

    @cached_property
    def add_visits(self) -> Sql:
        """By page."""
        return self.insert_new(VISIT)

    @cached_property
    def log_visits(self) -> Sql:
        """Each newer than all of its page."""
        return self.insert_new(VISIT_LOG)

    @cached_property
    def add_versions(self) -> Sql:
        return self.insert_new(VERSION)

    def visits_since(self, size: int) -> Sql:
        """Keys of visits of these pages from a moment on, of those that stand by page."""
        return self.of_size("visits_since", size, lambda n: _keys_since(VISIT, n))

    def visits_logged(self, size: int) -> Sql:
        """Keys of those in the log that were made at these moments."""
        keys = select(VISIT_LOG.c.page, VISIT_LOG.c.at)
        return self.of_size("visits_logged", size, lambda n: keys.where(one_of(VISIT_LOG.c.at, n)))

    def last_visits(self, size: int) -> Sql:
        """Of these pages the last moment of those that stand by page."""
        last = select(VISIT.c.page, func.max(VISIT.c.at)).group_by(VISIT.c.page)
        return self.of_size("last_visits", size, lambda n: last.where(one_of(VISIT.c.page, n)))

    def versions_since(self, size: int) -> Sql:
        return self.of_size("versions_since", size, lambda n: _keys_since(VERSION, n))

    @cached_property
    def visits(self) -> Sql:
        """A page's visits, newest first: from the newest in the log to the one before it, and so on; and by page."""
        columns, place = [VISIT_LOG.columns[name] for name in KEPT], number(1).label("place")
        newest = func.coalesce(PAGE.c.visited_at, PAGE.c.checked_at)
        first = select(*columns, VISIT_LOG.c.before_at, place).join_from(
            PAGE, VISIT_LOG, (VISIT_LOG.c.at == newest) & (VISIT_LOG.c.page == PAGE.c.id)
        )
        row = first.where(PAGE.c.id == bindparam("page")).cte("row", recursive=True)
        before = select(*columns, VISIT_LOG.c.before_at, row.c.place + number(1)).join_from(
            row, VISIT_LOG, (VISIT_LOG.c.at == row.c.before_at) & (VISIT_LOG.c.page == row.c.page)
        )
        row = row.union_all(before.where(row.c.place < bindparam("limit")))
        by_page = select(VISIT).where(VISIT.c.page == bindparam("page"))
        found = union_all(select(*(row.c[column.name] for column in columns)), by_page).subquery()
        return self.compile(select(found).order_by(found.c.at.desc()).limit(bindparam("limit")))

    @cached_property
    def versions(self) -> Sql:
        """A page's versions until a moment, newest first."""
        of_page = select(VERSION).where(VERSION.c.page == bindparam("page"), VERSION.c.at <= bindparam("until_at"))
        return self.compile(of_page.order_by(VERSION.c.at.desc()).limit(bindparam("limit")))

    def newest_versions(self, size: int) -> Sql:
        """The newest version of each of these pages."""
        return self.of_size("newest_versions", size, _newest_versions)

    @cached_property
    def versions_in(self) -> Sql:
        """Versions whose record lies in a file, from an offset on, in a stretch of pages."""
        return self.compile(
            select(VERSION).where(
                VERSION.c.page >= bindparam("from_id"),
                VERSION.c.page <= bindparam("to_id"),
                VERSION.c.warc_file == bindparam("file"),
                VERSION.c.warc_offset >= bindparam("offset"),
            )
        )

    @cached_property
    def end_of_version_stretch(self) -> Sql:
        """The page of the last of the next so many versions."""
        return self.compile(_end_of_stretch(VERSION))

    @cached_property
    def forget_version(self) -> Sql:
        """A version whose record is no more."""
        this = (VERSION.c.page == bindparam("page"), VERSION.c.at == bindparam("at"))
        return self.compile(VERSION.delete().where(*this))

    @cached_property
    def forget_visits(self) -> Sql:
        """Forget old visits that proved no change, in a stretch of pages."""
        return self.compile(
            VISIT.delete().where(
                VISIT.c.page >= bindparam("from_id"),
                VISIT.c.page <= bindparam("to_id"),
                VISIT.c.at < bindparam("before_at"),
                VISIT.c.change.in_([number(change) for change in NO_CHANGE]),
            )
        )

    @cached_property
    def end_of_log_stretch(self) -> Sql:
        """The moment of the last of the next so many visits in the log before another moment."""
        stretch = select(VISIT_LOG.c.at).where(VISIT_LOG.c.at < bindparam("before_at")).order_by(VISIT_LOG.c.at)
        return self.compile(select(func.max(stretch.limit(bindparam("limit")).subquery().c.at)))

    @cached_property
    def keep_changes(self) -> Sql:
        """Those up to a moment that proved a change, from the log to where they stand by page."""
        columns = [VISIT_LOG.columns[name] for name in KEPT]
        proved = select(*columns).where(
            VISIT_LOG.c.at <= bindparam("to_at"),
            VISIT_LOG.c.change.not_in([number(change) for change in NO_CHANGE]),
        )
        return self.compile(insert(VISIT).from_select(KEPT, proved.order_by(VISIT_LOG.c.page)))

    @cached_property
    def forget_logged(self) -> Sql:
        """Up to a moment, but for changes that were written since the others were kept."""
        is_kept = exists().where(VISIT.c.page == VISIT_LOG.c.page, VISIT.c.at == VISIT_LOG.c.at)
        proves_nothing = VISIT_LOG.c.change.in_([number(change) for change in NO_CHANGE])
        return self.compile(VISIT_LOG.delete().where(VISIT_LOG.c.at <= bindparam("to_at"), proves_nothing | is_kept))

    @cached_property
    def end_of_visit_stretch(self) -> Sql:
        """The page of the last of the next so many visits."""
        return self.compile(_end_of_stretch(VISIT))

    # events

    @cached_property
    def take_cursors(self) -> Sql:
        """Take so many cursors; the row stays locked until the commit, so they rise in commit order."""
        take = update(META).where(META.c.name == "cursor").values(number=META.c.number + bindparam("events"))
        return self.compile(take.returning(META.c.number))

    @cached_property
    def add_events(self) -> Sql:
        return self.insert_new(EVENT)

    @cached_property
    def forget_events(self) -> Sql:
        return self.compile(EVENT.delete().where(EVENT.c.cursor <= bindparam("through")))

    def told_since(self, size: int) -> Sql:
        """Cursors of events about these pages from a moment on."""
        columns = (EVENT.c.page, EVENT.c.at, EVENT.c.kind, EVENT.c.cursor)
        return self.of_size(
            "told_since",
            size,
            lambda n: select(*columns).where(one_of(EVENT.c.page, n), EVENT.c.at >= bindparam("since_at")),
        )

    @cached_property
    def first_since(self) -> Sql:
        """The first cursor from a moment on. Adding nothing keeps databases from walking through all cursors."""
        first = func.min(EVENT.c.cursor + number(0))
        return self.compile(select(first).where(EVENT.c.at >= bindparam("since_at")))

    @cached_property
    def events(self) -> Sql:
        return self.compile(_events())

    def events_of(self, size: int) -> Sql:
        """Events of some kinds."""
        return self.of_size("events_of", size, lambda n: _events(one_of(EVENT.c.kind, n)))

    @cached_property
    def put_robots(self) -> Sql:
        return self.upsert(ROBOTS, keys=["origin"])

    @cached_property
    def robots(self) -> Sql:
        return self.compile(select(ROBOTS).where(ROBOTS.c.origin == bindparam("origin")))

    @cached_property
    def put_memos(self) -> Sql:
        return self.upsert(MEMO, keys=["key"])

    @cached_property
    def memo(self) -> Sql:
        return self.compile(select(MEMO.c.value).where(MEMO.c.key == bindparam("key")))

    def memos(self, size: int) -> Sql:
        """Of a list of names."""
        return self.of_size("memos", size, lambda n: select(MEMO).where(one_of(MEMO.c.key, n)))

    @cached_property
    def put_notices(self) -> Sql:
        return self.upsert(NOTICE, keys=["page", "at", "source", "kind"])

    @cached_property
    def notices(self) -> Sql:
        newest_first = select(NOTICE).order_by(NOTICE.c.at.desc(), NOTICE.c.page)
        return self.compile(newest_first.limit(bindparam("limit")))

    @cached_property
    def notices_of_page(self) -> Sql:
        newest_first = select(NOTICE).where(NOTICE.c.page == bindparam("page")).order_by(NOTICE.c.at.desc())
        return self.compile(newest_first.limit(bindparam("limit")))

    @cached_property
    def add_words(self) -> Sql:
        return self.compile_insert(self.inserting(WORD, "text").on_conflict_do_nothing(), WORD, "text")

    def word_numbers(self, size: int) -> Sql:
        return self.of_size("word_numbers", size, lambda n: select(WORD).where(one_of(WORD.c.text, n)))

    def word_texts(self, size: int) -> Sql:
        return self.of_size("word_texts", size, lambda n: select(WORD).where(one_of(WORD.c.number, n)))

    @cached_property
    def add_counts(self) -> Sql:
        insert = self.inserting(COUNTER)
        more = COUNTER.c.amount + insert.excluded.amount
        added = insert.on_conflict_do_update(index_elements=["site", "kind"], set_={"amount": more})
        return self.compile_insert(added, COUNTER)

    @cached_property
    def counts(self) -> Sql:
        """Every count: site, kind, amount. Some dozens a site."""
        return self.compile(select(COUNTER))

    @cached_property
    def put_meta(self) -> Sql:
        return self.upsert(META, keys=["name"])

    @cached_property
    def meta(self) -> Sql:
        return self.compile(select(META.c.number).where(META.c.name == bindparam("name")))


def _keys_since(table: Table, size: int) -> Select[Any]:
    keys = select(table.c.page, table.c.at)
    return keys.where(one_of(table.c.page, size), table.c.at >= bindparam("since_at"))


def _newest_versions(size: int) -> Select[Any]:
    last = select(VERSION.c.page, func.max(VERSION.c.at).label("at")).where(one_of(VERSION.c.page, size))
    newest = last.group_by(VERSION.c.page).cte("newest")
    return select(VERSION).join_from(newest, VERSION, (VERSION.c.page == newest.c.page) & (VERSION.c.at == newest.c.at))


def _events(*of: ColumnElement[bool]) -> Select[Any]:
    wanted = select(EVENT).where(*of, EVENT.c.cursor > bindparam("after"), EVENT.c.at >= bindparam("since_at"))
    return wanted.order_by(EVENT.c.cursor).limit(bindparam("limit"))


def _end_of_stretch(table: Table) -> Select[Any]:
    stretch = select(table.c.page).where(table.c.page >= bindparam("from_id")).order_by(table.c.page)
    return select(func.max(stretch.limit(bindparam("limit")).subquery().c.page))
