"""What is asked and said about servers."""

from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, or_, select, update
from sqlalchemy.sql import Select

from recrawl.store.compiled import Compiler, one_of
from recrawl.store.tables import SERVER
from recrawl.store.texts import Sql


class ServerStatements(Compiler):
    """Attributes and methods are statements."""

    @cached_property
    def meet_servers(self) -> Sql:
        """Insert servers first met with a page, and lower the next due time of those that are there."""
        insert = self.inserting(SERVER)
        sooner = or_(SERVER.c.next_due_at.is_(None), insert.excluded.next_due_at < SERVER.c.next_due_at)
        met = insert.on_conflict_do_update(
            index_elements=["id"],
            set_={"next_due_at": insert.excluded.next_due_at},
            where=sooner & insert.excluded.next_due_at.is_not(None),
        )
        return self.compile_insert(met, SERVER)

    @cached_property
    def put_servers(self) -> Sql:
        return self.upsert(SERVER, keys=["id"], keep=["key", "site", "next_due_at"])

    @cached_property
    def adopt_servers(self) -> Sql:
        """A server that was known before any of its pages gets the site of its first one."""
        adopt = update(SERVER).where(SERVER.c.id == bindparam("server"), SERVER.c.site == 0)
        return self.compile(adopt.values(site=bindparam("owner")))

    def server_requests(self, size: int) -> Sql:
        """Id, site and requests so far of servers by id."""
        columns = (SERVER.c.id, SERVER.c.site, SERVER.c.requests)
        return self.of_size("server_requests", size, lambda n: select(*columns).where(one_of(SERVER.c.id, n)))

    def servers(self, size: int) -> Sql:
        return self.of_size("servers", size, lambda n: select(SERVER).where(one_of(SERVER.c.id, n)))

    @cached_property
    def all_servers(self) -> Sql:
        return self.compile(select(SERVER).order_by(SERVER.c.key))

    @cached_property
    def servers_due(self) -> Sql:
        """Servers of any partition that may have something due, soonest first."""
        return self.compile(_servers_due())

    def servers_due_in(self, size: int) -> Sql:
        """The same in some partitions."""
        return self.of_size("servers_due_in", size, lambda n: _servers_due(one_of(SERVER.c.partition, n)))

    @cached_property
    def settle_server(self) -> Sql:
        settle = update(SERVER).where(SERVER.c.id == bindparam("server"))
        return self.compile(settle.values(next_due_at=bindparam("at")))

    @cached_property
    def hasten_server(self) -> Sql:
        """Lower a server's next due time to a moment, unless it is sooner. The row is written either way, so that who
        settles the server meanwhile waits and sees the pages that were hastened."""
        later = or_(SERVER.c.next_due_at.is_(None), SERVER.c.next_due_at > bindparam("at"))
        hasten = update(SERVER).where(SERVER.c.id == bindparam("server"))
        return self.compile(hasten.values(next_due_at=case((later, bindparam("at")), else_=SERVER.c.next_due_at)))

    @cached_property
    def lock_server(self) -> Sql:
        return self.compile(self.locked(select(SERVER.c.id).where(SERVER.c.id == bindparam("server"))))


def _servers_due(*of: ColumnElement[bool]) -> Select[Any]:
    due = select(SERVER).where(*of, SERVER.c.next_due_at <= bindparam("before_at"))
    return due.order_by(SERVER.c.next_due_at).limit(bindparam("limit"))
