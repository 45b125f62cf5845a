"""What is asked and said about pages."""

from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Integer, bindparam, case, func, or_, select, union_all, update
from sqlalchemy.sql import Select

from recrawl.model.page import Rank, Status
from recrawl.store import codes
from recrawl.store.compiled import Compiler, listed, number, one_of
from recrawl.store.tables import CONFIRMED, FIELDS, PAGE, PRESENCE, SERVER
from recrawl.store.texts import Sql

LIVE = codes.STATUS.number[Status.LIVE]
WHOLE = tuple(PAGE.columns[name] for name in FIELDS)
AWAITED = [codes.STATUS.number[status] for status in (Status.NEW, Status.MOVED, Status.GONE)]  # if they have a due time


class PageStatements(Compiler):
    """Attributes and methods are statements."""

    @cached_property
    def enter_pages(self) -> Sql:
        return self.insert_new(PAGE, *FIELDS)

    @cached_property
    def put_pages(self) -> Sql:
        return self.upsert(PAGE, keys=["id"])

    @cached_property
    def confirm_pages(self) -> Sql:
        """What a visit changes that finds everything as it was. The others are indexed and many: let alone."""
        return self.update_at(PAGE, *CONFIRMED)

    @cached_property
    def date_pages(self) -> Sql:
        """When they were visited last."""
        return self.update_at(PAGE, "visited_at")

    def unknown(self, size: int) -> Sql:
        """Which of these ids are not there? Most links are known: few rows come back, and none is sorted before."""
        return self.of_size("unknown", size, _unknown)

    def pages(self, size: int) -> Sql:
        """Whole pages by id."""
        return self.of_size("pages", size, lambda n: _whole_page().where(one_of(PAGE.c.id, n)))

    def standings(self, size: int) -> Sql:
        """What must be known of pages before they are overwritten: what the counts are about, the place of the row, the
        newest visit."""
        counted = (PAGE.c.id, PAGE.c.site, PAGE.c.kind, PAGE.c.status, PAGE.c.visits, PAGE.c.interval_s, PAGE.c.due_at)
        columns = (*counted, self.place_of(PAGE).label("place"), func.coalesce(PAGE.c.visited_at, PAGE.c.checked_at))
        return self.of_size(
            "standings", size, lambda n: self.locked(select(*columns).where(one_of(PAGE.c.id, n)), PAGE.c.id)
        )

    @cached_property
    def due(self) -> Sql:
        """Whole pages of a server by rank and due time. One index range a rank, each cut at the limit, so that
        neither what is due later nor a great heap of what is due now is walked through."""
        heads = _heads(PAGE.c.id, PAGE.c.rank, PAGE.c.due_at)
        chosen = select(heads).order_by(heads.c.rank, heads.c.due_at).limit(bindparam("limit")).subquery()
        joined = _whole_page().join(chosen, PAGE.c.id == chosen.c.id)
        return self.compile(joined.order_by(chosen.c.rank, chosen.c.due_at))

    @cached_property
    def due_of_rank(self) -> Sql:
        """Pages of a server and a rank by due time, in the order of the index. The key of the server is known."""
        due = select(*WHOLE).where(
            PAGE.c.server == bindparam("server"),
            PAGE.c.rank == bindparam("rank"),
            PAGE.c.due_at <= bindparam("before_at"),
        )
        return self.compile(due.order_by(PAGE.c.due_at).limit(bindparam("limit")))

    @cached_property
    def due_ids(self) -> Sql:
        """The same, ids only."""
        heads = _heads(PAGE.c.id, PAGE.c.rank, PAGE.c.due_at)
        return self.compile(select(heads.c.id).order_by(heads.c.rank, heads.c.due_at).limit(bindparam("limit")))

    @cached_property
    def next_due(self) -> Sql:
        """Ids and due times of a server's pages by due time alone."""
        heads = _heads(PAGE.c.id, PAGE.c.rank, PAGE.c.due_at)
        return self.compile(select(heads.c.due_at, heads.c.id).order_by(heads.c.due_at).limit(bindparam("limit")))

    @cached_property
    def next_due_of_site(self) -> Sql:
        heads = _heads(PAGE.c.id, PAGE.c.rank, PAGE.c.due_at, of=PAGE.c.site == bindparam("site"))
        return self.compile(select(heads.c.due_at, heads.c.id).order_by(heads.c.due_at).limit(bindparam("limit")))

    @cached_property
    def earliest_due(self) -> Sql:
        """The earliest due time of a server's pages: the least of each rank's first."""
        firsts = [
            select(func.min(PAGE.c.due_at).label("due_at")).where(
                PAGE.c.server == bindparam("server"), PAGE.c.rank == number(rank), PAGE.c.due_at.is_not(None)
            )
            for rank in Rank.ALL
        ]
        return self.compile(select(func.min(union_all(*firsts).subquery().c.due_at)))

    @cached_property
    def count_due(self) -> Sql:
        """How many pages are due, counted in the index alone."""
        return self.compile(_count_due())

    @cached_property
    def count_due_of_site(self) -> Sql:
        return self.compile(_count_due().where(PAGE.c.site == bindparam("site")))

    @cached_property
    def scan(self) -> Sql:
        """Whole pages in order of id."""
        return self.compile(_scan())

    @cached_property
    def scan_site(self) -> Sql:
        return self.compile(_scan().where(PAGE.c.site == bindparam("site")))

    @cached_property
    def ids_by_servers(self) -> Sql:
        """Ids of a site's pages in order, by the servers it has pages on: no other page is looked at but theirs."""
        due, rest = _on_servers(PAGE.c.due_at.is_not(None)), _on_servers(PAGE.c.due_at.is_(None))
        found = union_all(due, rest).subquery()
        return self.compile(select(found.c.id).order_by(found.c.id).limit(bindparam("limit")))

    @cached_property
    def add_presence(self) -> Sql:
        return self.insert_new(PRESENCE)

    @cached_property
    def end_of_stretch(self) -> Sql:
        """The place of the last of the next so many, for long work in short transactions."""
        place = self.place_of(PAGE)
        stretch = select(place.label("place")).select_from(PAGE).where(place >= bindparam("from_id")).order_by(place)
        return self.compile(select(func.max(stretch.limit(bindparam("limit")).subquery().c.place)))

    @cached_property
    def live_stretch(self) -> Sql:
        """Pages of a stretch that are visited when everything is, those that are alike as one row: server, site, kind,
        the interval of those without a due time, the latest due time, how many."""
        live = self.locked(_place().where(*self._live_stretch()), PAGE.c.id).subquery()
        resting_s = case((live.c.due_at.is_(None), func.coalesce(live.c.interval_s, number(0))))
        alike = (live.c.server, live.c.site, live.c.kind, resting_s)
        return self.compile(select(*alike, func.max(live.c.due_at), func.count()).group_by(*alike))

    @cached_property
    def hasten_stretch(self) -> Sql:
        """Make these pages due at a moment, unless they are due before."""
        hasten = update(PAGE).where(*self._live_stretch(), _is_later())
        return self.compile(hasten.values(due_at=bindparam("at")))

    @cached_property
    def raise_stretch(self) -> Sql:
        """Give these pages a more urgent rank."""
        lower = update(PAGE).where(*self._live_stretch(), PAGE.c.rank > bindparam("rank"))
        return self.compile(lower.values(rank=bindparam("rank")))

    def _live_stretch(self) -> tuple[ColumnElement[bool], ...]:
        """Of a site, or of all: site 0. By place, not by id: the ids of a stretch would lie all over the file."""
        place, site = self.place_of(PAGE), bindparam("site", type_=Integer)
        awaited = or_(*(PAGE.c.status == number(status) for status in AWAITED)) & PAGE.c.due_at.is_not(None)
        live = or_(PAGE.c.status == number(LIVE), awaited)
        within = (place >= bindparam("from_id"), place <= bindparam("to_id"))
        return *within, live, or_(site == 0, PAGE.c.site == site)

    def places(self, size: int) -> Sql:
        """Id, server, site, due time, interval and kind of pages by id."""
        return self.of_size("places", size, lambda n: self.locked(_place().where(one_of(PAGE.c.id, n)), PAGE.c.id))

    @cached_property
    def hasten_page(self) -> Sql:
        """Make a page due at a moment, unless it is due before."""
        hasten = update(PAGE).where(PAGE.c.id == bindparam("page"), _is_later())
        return self.compile(hasten.values(due_at=bindparam("at")))

    @cached_property
    def raise_page(self) -> Sql:
        """Give a page a more urgent rank."""
        lower = update(PAGE).where(PAGE.c.id == bindparam("page"), PAGE.c.rank > bindparam("rank"))
        return self.compile(lower.values(rank=bindparam("rank")))

    @cached_property
    def error_groups(self) -> Sql:
        return self.compile(_error_groups())

    @cached_property
    def error_groups_of_site(self) -> Sql:
        return self.compile(_error_groups().where(PAGE.c.site == bindparam("site")))


def _whole_page() -> Select[Any]:
    return select(*WHOLE, SERVER.c.key).join_from(PAGE, SERVER, SERVER.c.id == PAGE.c.server)


def _unknown(size: int) -> Select[Any]:
    asked = listed("asked", PAGE.c.id, size)
    return select(asked.c.id).where(~select(PAGE.c.id).where(PAGE.c.id == asked.c.id).exists())


def _heads(*columns: ColumnElement[Any], of: ColumnElement[bool] | None = None) -> Any:
    """The first so many pages of each rank of a server that are due before a moment."""
    wanted = () if of is None else (of,)
    heads = [
        select(*columns)
        .where(
            PAGE.c.server == bindparam("server"),
            PAGE.c.rank == number(rank),
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
        PAGE.c.rank.in_([number(rank) for rank in Rank.ALL]),
        PAGE.c.due_at <= bindparam("now"),
    )


def _scan() -> Select[Any]:
    return _whole_page().where(PAGE.c.id >= bindparam("from_id")).order_by(PAGE.c.id).limit(bindparam("limit"))


def _on_servers(which: ColumnElement[bool]) -> Select[Any]:
    joined = select(PAGE.c.id).join(PRESENCE, PRESENCE.c.server == PAGE.c.server)
    of_site = (PRESENCE.c.site == bindparam("site"), PAGE.c.site == bindparam("site"))
    return joined.where(*of_site, PAGE.c.id >= bindparam("from_id"), which)


def _place() -> Select[Any]:
    return select(PAGE.c.id, PAGE.c.server, PAGE.c.site, PAGE.c.due_at, PAGE.c.interval_s, PAGE.c.kind)


def _is_later() -> ColumnElement[bool]:
    return or_(PAGE.c.due_at.is_(None), PAGE.c.due_at > bindparam("at"))


def _error_groups() -> Select[Any]:
    pages = func.count().label("pages")
    grouped = select(PAGE.c.status, PAGE.c.reason, pages, func.min(PAGE.c.id)).where(PAGE.c.reason.is_not(None))
    ordered = grouped.group_by(PAGE.c.status, PAGE.c.reason).order_by(pages.desc(), PAGE.c.reason, PAGE.c.status)
    return ordered.limit(bindparam("limit"))
