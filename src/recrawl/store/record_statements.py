"""What is asked and said about records."""

from functools import cached_property
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.sql import Select

from recrawl.store.compiled import Compiler, one_of
from recrawl.store.tables import PAGE, RECORD
from recrawl.store.texts import Sql


class RecordStatements(Compiler):
    """Attributes and methods are statements."""

    @cached_property
    def add_records(self) -> Sql:
        return self.insert_new(RECORD)

    @cached_property
    def forget_records(self) -> Sql:
        """Forget what was read from one version of a page, to be read anew."""
        return self.compile(RECORD.delete().where(RECORD.c.page == bindparam("page"), RECORD.c.at == bindparam("at")))

    def records(self, size: int) -> Sql:
        """All records of these pages, oldest first."""
        order = (RECORD.c.page, RECORD.c.at, RECORD.c.place)
        return self.of_size("records", size, lambda n: select(RECORD).where(one_of(RECORD.c.page, n)).order_by(*order))

    def newest_moments(self, size: int) -> Sql:
        """The moment of the newest record of each of these pages."""
        newest = select(RECORD.c.page, func.max(RECORD.c.at)).group_by(RECORD.c.page)
        return self.of_size("newest_moments", size, lambda n: newest.where(one_of(RECORD.c.page, n)))

    @cached_property
    def records_at(self) -> Sql:
        """Those of one version."""
        of_version = select(RECORD).where(RECORD.c.page == bindparam("page"), RECORD.c.at == bindparam("at"))
        return self.compile(of_version.order_by(RECORD.c.place))

    @cached_property
    def broken_records(self) -> Sql:
        """Those of pages of whose newest version nothing could be read."""
        return self.compile(_broken())

    @cached_property
    def broken_records_of_site(self) -> Sql:
        of_site = _broken().join(PAGE, PAGE.c.id == RECORD.c.page).where(PAGE.c.site == bindparam("site"))
        return self.compile(of_site)

    @cached_property
    def record_pages(self) -> Sql:
        """Pages that have records, in order of id."""
        pages = select(RECORD.c.page).where(RECORD.c.page >= bindparam("from_id")).distinct()
        return self.compile(pages.order_by(RECORD.c.page).limit(bindparam("limit")))

    @cached_property
    def record_pages_of_site(self) -> Sql:
        pages = select(RECORD.c.page).where(RECORD.c.page >= bindparam("from_id")).distinct()
        of_site = pages.join(PAGE, PAGE.c.id == RECORD.c.page).where(PAGE.c.site == bindparam("site"))
        return self.compile(of_site.order_by(RECORD.c.page).limit(bindparam("limit")))


def _broken() -> Select[Any]:
    others = RECORD.alias()
    newest = select(func.max(others.c.at)).where(others.c.page == RECORD.c.page).scalar_subquery()
    broken = select(RECORD).where(
        RECORD.c.page >= bindparam("from_id"), RECORD.c.missing.is_not(None), RECORD.c.at == newest
    )
    return broken.order_by(RECORD.c.page, RECORD.c.place).limit(bindparam("limit"))
