"""Every statement there is, by name: built with SQLAlchemy Core, compiled once for a dialect, run in batches.

A statement that takes a list comes in a few sizes; a list is cut and filled up to one of them (`in_chunks`),
so that a database sees few different texts and keeps them prepared.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Integer, Table, bindparam, func, literal_column, or_, select, union_all, update
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement, Select

from recrawl.model.page import Rank, Status
from recrawl.model.verdict import Change
from recrawl.store import codes
from recrawl.store.tables import COUNTER, EVENT, MEMO, META, NOTICE, PAGE, ROBOTS, SERVER, VERSION, VISIT, WORD

SIZES = (1, 8, 64, 512)  # of lists
Item = TypeVar("Item", int, str)

LIVE, NEW = codes.STATUS.number[Status.LIVE], codes.STATUS.number[Status.NEW]
NO_CHANGE = [codes.CHANGE.number[change] for change in (Change.SAME, Change.UNKNOWN)]


@dataclass(frozen=True, slots=True)
class Sql:
    """A compiled statement: its text, the names of its parameters in order, and those that are set already."""

    text: str
    names: tuple[str, ...]
    fixed: Mapping[str, Any]

    def bind(self, **values: object) -> tuple[object, ...]:
        return tuple(values[name] if name in values else self.fixed[name] for name in self.names)

    def bind_list(self, chunk: Sequence[object], **values: object) -> tuple[object, ...]:
        """For a statement whose list comes first."""
        rest = self.names[len(chunk) :]
        return (*chunk, *(values[name] if name in values else self.fixed[name] for name in rest))


def in_chunks(items: Collection[Item]) -> Iterator[tuple[Item, ...]]:
    """Cut a list into pieces of the sizes that statements come in, the last one filled up with its last item."""
    rest = list(items)
    for start in range(0, len(rest), SIZES[-1]):
        piece = rest[start : start + SIZES[-1]]
        size = next(size for size in SIZES if size >= len(piece))
        yield tuple(piece) + (piece[-1],) * (size - len(piece))


def one_of(column: ColumnElement[Any], size: int) -> ColumnElement[bool]:
    return column.in_([bindparam(f"item_{number}") for number in range(size)])


class Statements:
    """Attributes and methods are statements. `insert` is the dialect's own, for ON CONFLICT."""

    def __init__(self, dialect: Dialect, insert: Callable[[Table], Any]) -> None:
        self._dialect, self._insert = dialect, insert
        self._sized: dict[tuple[str, int], Sql] = {}

    def _compile(self, statement: ClauseElement) -> Sql:
        compiled: Any = statement.compile(dialect=self._dialect)
        return Sql(str(compiled), tuple(compiled.positiontup), dict(compiled.params))

    def _of_size(self, name: str, size: int, build: Callable[[int], ClauseElement]) -> Sql:
        found = self._sized.get((name, size))
        if found is None:
            found = self._sized[name, size] = self._compile(build(size))
        return found

    def _upsert(self, table: Table, keys: Collection[str], keep: Collection[str] = ()) -> Sql:
        """Insert rows, or overwrite all but the key and what is to be kept."""
        insert = self._insert(table)
        fresh = {
            column.name: insert.excluded[column.name]
            for column in table.columns
            if column.name not in keys and column.name not in keep
        }
        return self._compile(insert.on_conflict_do_update(index_elements=list(keys), set_=fresh))

    def _insert_new(self, table: Table) -> Sql:
        """Insert rows, ignoring those whose key is there."""
        return self._compile(self._insert(table).on_conflict_do_nothing())

    # pages

    @cached_property
    def enter_pages(self) -> Sql:
        return self._insert_new(PAGE)

    @cached_property
    def put_pages(self) -> Sql:
        return self._upsert(PAGE, keys=["id"])

    def known(self, size: int) -> Sql:
        """Which of these ids are there?"""
        return self._of_size("known", size, lambda n: select(PAGE.c.id).where(one_of(PAGE.c.id, n)))

    def pages(self, size: int) -> Sql:
        """Whole pages by id."""
        return self._of_size("pages", size, lambda n: _whole_page().where(one_of(PAGE.c.id, n)))

    def standings(self, size: int) -> Sql:
        """What the counts need to know of pages before they are overwritten."""
        columns = (PAGE.c.id, PAGE.c.site, PAGE.c.status, PAGE.c.visits, PAGE.c.interval_s, PAGE.c.due_at)
        return self._of_size("standings", size, lambda n: select(*columns).where(one_of(PAGE.c.id, n)))

    @cached_property
    def due(self) -> Sql:
        """Whole pages of a server by rank and due time. One index range a rank, each cut at the limit, so that
        neither what is due later nor a great heap of what is due now is walked through."""
        heads = _heads(PAGE.c.id, PAGE.c.rank, PAGE.c.due_at)
        chosen = select(heads).order_by(heads.c.rank, heads.c.due_at).limit(bindparam("limit")).subquery()
        joined = _whole_page().join(chosen, PAGE.c.id == chosen.c.id)
        return self._compile(joined.order_by(chosen.c.rank, chosen.c.due_at))

    @cached_property
    def due_ids(self) -> Sql:
        """The same, ids only."""
        heads = _heads(PAGE.c.id, PAGE.c.rank, PAGE.c.due_at)
        return self._compile(select(heads.c.id).order_by(heads.c.rank, heads.c.due_at).limit(bindparam("limit")))

    @cached_property
    def next_due(self) -> Sql:
        """Ids and due times of a server's pages by due time alone."""
        heads = _heads(PAGE.c.id, PAGE.c.rank, PAGE.c.due_at)
        return self._compile(select(heads.c.due_at, heads.c.id).order_by(heads.c.due_at).limit(bindparam("limit")))

    @cached_property
    def next_due_of_site(self) -> Sql:
        heads = _heads(PAGE.c.id, PAGE.c.rank, PAGE.c.due_at, of=PAGE.c.site == bindparam("site"))
        return self._compile(select(heads.c.due_at, heads.c.id).order_by(heads.c.due_at).limit(bindparam("limit")))

    @cached_property
    def earliest_due(self) -> Sql:
        """The earliest due time of a server's pages: the least of each rank's first."""
        firsts = [
            select(func.min(PAGE.c.due_at).label("due_at")).where(
                PAGE.c.server == bindparam("server"), PAGE.c.rank == _number(rank), PAGE.c.due_at.is_not(None)
            )
            for rank in Rank.ALL
        ]
        return self._compile(select(func.min(union_all(*firsts).subquery().c.due_at)))

    @cached_property
    def count_due(self) -> Sql:
        """How many pages are due, counted in the index alone."""
        return self._compile(_count_due())

    @cached_property
    def count_due_of_site(self) -> Sql:
        return self._compile(_count_due().where(PAGE.c.site == bindparam("site")))

    @cached_property
    def scan(self) -> Sql:
        """Whole pages in order of id."""
        return self._compile(_scan())

    @cached_property
    def scan_site(self) -> Sql:
        return self._compile(_scan().where(PAGE.c.site == bindparam("site")))

    @cached_property
    def end_of_stretch(self) -> Sql:
        """The last id of the next so many, for long work in short transactions."""
        stretch = select(PAGE.c.id).where(PAGE.c.id >= bindparam("from_id")).order_by(PAGE.c.id)
        return self._compile(select(func.max(stretch.limit(bindparam("limit")).subquery().c.id)))

    @cached_property
    def live_stretch(self) -> Sql:
        """Pages of a stretch of ids that are visited when everything is: id, server, site, due time."""
        return self._compile(_live_stretch())

    @cached_property
    def live_stretch_of_site(self) -> Sql:
        return self._compile(_live_stretch().where(PAGE.c.site == bindparam("site")))

    def places(self, size: int) -> Sql:
        """Id, server, site and due time of pages by id."""
        return self._of_size("places", size, lambda n: _place().where(one_of(PAGE.c.id, n)))

    @cached_property
    def hasten_page(self) -> Sql:
        """Make a page due at a moment, unless it is due before."""
        later = or_(PAGE.c.due_at.is_(None), PAGE.c.due_at > bindparam("at"))
        hasten = update(PAGE).where(PAGE.c.id == bindparam("page"), later)
        return self._compile(hasten.values(due_at=bindparam("at")))

    @cached_property
    def error_groups(self) -> Sql:
        return self._compile(_error_groups())

    @cached_property
    def error_groups_of_site(self) -> Sql:
        return self._compile(_error_groups().where(PAGE.c.site == bindparam("site")))

    # servers

    @cached_property
    def meet_servers(self) -> Sql:
        """Insert servers first met with a page, and lower the next due time of those that are there."""
        insert = self._insert(SERVER)
        sooner = or_(SERVER.c.next_due_at.is_(None), insert.excluded.next_due_at < SERVER.c.next_due_at)
        return self._compile(
            insert.on_conflict_do_update(
                index_elements=["id"],
                set_={"next_due_at": insert.excluded.next_due_at},
                where=sooner & insert.excluded.next_due_at.is_not(None),
            )
        )

    @cached_property
    def put_servers(self) -> Sql:
        return self._upsert(SERVER, keys=["id"], keep=["key", "site", "next_due_at"])

    @cached_property
    def adopt_servers(self) -> Sql:
        """A server that was known before any of its pages gets the site of its first one."""
        adopt = update(SERVER).where(SERVER.c.id == bindparam("server"), SERVER.c.site == 0)
        return self._compile(adopt.values(site=bindparam("owner")))

    def server_requests(self, size: int) -> Sql:
        """Id, site and requests so far of servers by id."""
        columns = (SERVER.c.id, SERVER.c.site, SERVER.c.requests)
        return self._of_size("server_requests", size, lambda n: select(*columns).where(one_of(SERVER.c.id, n)))

    def servers(self, size: int) -> Sql:
        return self._of_size("servers", size, lambda n: select(SERVER).where(one_of(SERVER.c.id, n)))

    @cached_property
    def all_servers(self) -> Sql:
        return self._compile(select(SERVER).order_by(SERVER.c.key))

    @cached_property
    def servers_due(self) -> Sql:
        """Servers of any partition that may have something due, soonest first."""
        return self._compile(_servers_due())

    def servers_due_in(self, size: int) -> Sql:
        """The same in some partitions."""
        return self._of_size("servers_due_in", size, lambda n: _servers_due(one_of(SERVER.c.partition, n)))

    @cached_property
    def settle_server(self) -> Sql:
        settle = update(SERVER).where(SERVER.c.id == bindparam("server"))
        return self._compile(settle.values(next_due_at=bindparam("at")))

    @cached_property
    def hasten_server(self) -> Sql:
        """Lower a server's next due time to a moment, unless it is sooner."""
        later = or_(SERVER.c.next_due_at.is_(None), SERVER.c.next_due_at > bindparam("at"))
        hasten = update(SERVER).where(SERVER.c.id == bindparam("server"), later)
        return self._compile(hasten.values(next_due_at=bindparam("at")))

    # history

    @cached_property
    def add_visits(self) -> Sql:
        return self._insert_new(VISIT)

    @cached_property
    def add_versions(self) -> Sql:
        return self._insert_new(VERSION)

    def visits_since(self, size: int) -> Sql:
        """Keys of visits of these pages from a moment on."""
        return self._of_size("visits_since", size, lambda n: _keys_since(VISIT, n))

    def versions_since(self, size: int) -> Sql:
        return self._of_size("versions_since", size, lambda n: _keys_since(VERSION, n))

    @cached_property
    def visits(self) -> Sql:
        """A page's visits, newest first."""
        of_page = select(VISIT).where(VISIT.c.page == bindparam("page"))
        return self._compile(of_page.order_by(VISIT.c.at.desc()).limit(bindparam("limit")))

    @cached_property
    def versions(self) -> Sql:
        """A page's versions, newest first."""
        of_page = select(VERSION).where(VERSION.c.page == bindparam("page"))
        return self._compile(of_page.order_by(VERSION.c.at.desc()))

    @cached_property
    def forget_visits(self) -> Sql:
        """Forget old visits that proved no change, in a stretch of pages."""
        return self._compile(
            VISIT.delete().where(
                VISIT.c.page >= bindparam("from_id"),
                VISIT.c.page <= bindparam("to_id"),
                VISIT.c.at < bindparam("before_at"),
                VISIT.c.change.in_([_number(change) for change in NO_CHANGE]),
            )
        )

    @cached_property
    def end_of_visit_stretch(self) -> Sql:
        """The page of the last of the next so many visits."""
        stretch = select(VISIT.c.page).where(VISIT.c.page >= bindparam("from_id")).order_by(VISIT.c.page)
        return self._compile(select(func.max(stretch.limit(bindparam("limit")).subquery().c.page)))

    # events

    @cached_property
    def take_cursors(self) -> Sql:
        """Take so many cursors; the row stays locked until the commit, so they rise in commit order."""
        take = update(META).where(META.c.name == "cursor").values(number=META.c.number + bindparam("events"))
        return self._compile(take.returning(META.c.number))

    @cached_property
    def add_events(self) -> Sql:
        return self._insert_new(EVENT)

    def told_since(self, size: int) -> Sql:
        """Cursors of events about these pages from a moment on."""
        columns = (EVENT.c.page, EVENT.c.at, EVENT.c.kind, EVENT.c.cursor)
        return self._of_size(
            "told_since",
            size,
            lambda n: select(*columns).where(one_of(EVENT.c.page, n), EVENT.c.at >= bindparam("since_at")),
        )

    @cached_property
    def first_since(self) -> Sql:
        """The first cursor from a moment on."""
        return self._compile(select(func.min(EVENT.c.cursor)).where(EVENT.c.at >= bindparam("since_at")))

    @cached_property
    def events(self) -> Sql:
        return self._compile(_events())

    def events_of(self, size: int) -> Sql:
        """Events of some kinds."""
        return self._of_size("events_of", size, lambda n: _events(one_of(EVENT.c.kind, n)))

    # the rest

    @cached_property
    def put_robots(self) -> Sql:
        return self._upsert(ROBOTS, keys=["origin"])

    @cached_property
    def robots(self) -> Sql:
        return self._compile(select(ROBOTS).where(ROBOTS.c.origin == bindparam("origin")))

    @cached_property
    def put_memos(self) -> Sql:
        return self._upsert(MEMO, keys=["key"])

    @cached_property
    def memo(self) -> Sql:
        return self._compile(select(MEMO.c.value).where(MEMO.c.key == bindparam("key")))

    @cached_property
    def put_notices(self) -> Sql:
        return self._upsert(NOTICE, keys=["page", "at", "source", "kind"])

    @cached_property
    def notices(self) -> Sql:
        newest_first = select(NOTICE).order_by(NOTICE.c.at.desc(), NOTICE.c.page)
        return self._compile(newest_first.limit(bindparam("limit")))

    @cached_property
    def notices_of_page(self) -> Sql:
        newest_first = select(NOTICE).where(NOTICE.c.page == bindparam("page")).order_by(NOTICE.c.at.desc())
        return self._compile(newest_first.limit(bindparam("limit")))

    @cached_property
    def add_words(self) -> Sql:
        return self._compile(self._insert(WORD).values(text=bindparam("text")).on_conflict_do_nothing())

    def word_numbers(self, size: int) -> Sql:
        return self._of_size("word_numbers", size, lambda n: select(WORD).where(one_of(WORD.c.text, n)))

    def word_texts(self, size: int) -> Sql:
        return self._of_size("word_texts", size, lambda n: select(WORD).where(one_of(WORD.c.number, n)))

    @cached_property
    def add_counts(self) -> Sql:
        insert = self._insert(COUNTER)
        more = COUNTER.c.amount + insert.excluded.amount
        return self._compile(insert.on_conflict_do_update(index_elements=["site", "kind"], set_={"amount": more}))

    @cached_property
    def counts(self) -> Sql:
        """Every count: site, kind, amount. Some dozens a site."""
        return self._compile(select(COUNTER))

    @cached_property
    def meta(self) -> Sql:
        return self._compile(select(META.c.number).where(META.c.name == bindparam("name")))


def _number(number: int) -> ColumnElement[int]:
    """A number that stands in the text, so that it needs no place among the parameters."""
    return literal_column(str(number), Integer)


def _whole_page() -> Select[Any]:
    return select(PAGE, SERVER.c.key).join(SERVER, SERVER.c.id == PAGE.c.server)


def _heads(*columns: ColumnElement[Any], of: ColumnElement[bool] | None = None) -> Any:
    """The first so many pages of each rank of a server that are due before a moment."""
    wanted = () if of is None else (of,)
    heads = [
        select(*columns)
        .where(
            PAGE.c.server == bindparam("server"),
            PAGE.c.rank == _number(rank),
            PAGE.c.due_at <= bindparam("before_at"),
            *wanted,
        )
        .order_by(PAGE.c.due_at)
        .limit(bindparam("limit"))
        .subquery()
        for rank in Rank.ALL
    ]
    return union_all(*(select(head) for head in heads)).subquery()


def _count_due() -> Select[Any]:
    servers = select(SERVER.c.id).where(SERVER.c.next_due_at <= bindparam("now"))
    return select(func.count()).where(
        PAGE.c.server.in_(servers),
        PAGE.c.rank.in_([_number(rank) for rank in Rank.ALL]),
        PAGE.c.due_at <= bindparam("now"),
    )


def _scan() -> Select[Any]:
    return _whole_page().where(PAGE.c.id >= bindparam("from_id")).order_by(PAGE.c.id).limit(bindparam("limit"))


def _place() -> Select[Any]:
    return select(PAGE.c.id, PAGE.c.server, PAGE.c.site, PAGE.c.due_at, PAGE.c.interval_s)


def _live_stretch() -> Select[Any]:
    live = or_(PAGE.c.status == _number(LIVE), (PAGE.c.status == _number(NEW)) & PAGE.c.due_at.is_not(None))
    return _place().where(PAGE.c.id >= bindparam("from_id"), PAGE.c.id <= bindparam("to_id"), live)


def _error_groups() -> Select[Any]:
    pages = func.count().label("pages")
    grouped = select(PAGE.c.status, PAGE.c.reason, pages, func.min(PAGE.c.id)).where(PAGE.c.reason.is_not(None))
    ordered = grouped.group_by(PAGE.c.status, PAGE.c.reason).order_by(pages.desc(), PAGE.c.reason, PAGE.c.status)
    return ordered.limit(bindparam("limit"))


def _servers_due(*of: ColumnElement[bool]) -> Select[Any]:
    due = select(SERVER).where(*of, SERVER.c.next_due_at <= bindparam("before_at"))
    return due.order_by(SERVER.c.next_due_at, SERVER.c.key).limit(bindparam("limit"))


def _keys_since(table: Table, size: int) -> Select[Any]:
    keys = select(table.c.page, table.c.at)
    return keys.where(one_of(table.c.page, size), table.c.at >= bindparam("since_at"))


def _events(*of: ColumnElement[bool]) -> Select[Any]:
    wanted = select(EVENT).where(*of, EVENT.c.cursor > bindparam("after"), EVENT.c.at >= bindparam("since_at"))
    return wanted.order_by(EVENT.c.cursor).limit(bindparam("limit"))
