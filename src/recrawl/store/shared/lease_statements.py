"""What is asked and said about workers, the partitions they own, and what they send each other.

In what PostgreSQL and its relatives share: READ COMMITTED, FOR SHARE, SKIP LOCKED only where partitions change hands.
"""

from functools import cached_property
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Double,
    bindparam,
    cast,
    delete,
    exists,
    extract,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql

from recrawl.model.cluster import Wish
from recrawl.store.compiled import Compiler, one_of
from recrawl.store.shared.lease_tables import OUTBOX, PART, PURSE, SHARD, WORKER
from recrawl.store.texts import ARRAY_SIZE, Sql

NOW = cast(extract("epoch", func.clock_timestamp()), Double)  # the database's clock, at this very moment
LIVE = WORKER.c.expires_at > NOW
ME: BindParameter[str] = bindparam("worker")
FREE = PART.c.owner.is_(None)


def _among(column: ColumnElement[Any]) -> ColumnElement[bool]:
    """In the list of the parameter `item_0`."""
    return one_of(column, ARRAY_SIZE)


_PURSE = (PURSE.c.budget == bindparam("budget"), PURSE.c.day == bindparam("day"))


class LeaseStatements(Compiler):
    """Attributes are statements; a list is the parameter `item_0`."""

    @cached_property
    def now(self) -> Sql:
        return self.compile(select(NOW))

    @cached_property
    def identity(self) -> Sql:
        """Which database of which server this is, however it was addressed."""
        return self.compile(select(func.current_database(), func.pg_postmaster_start_time()))

    # workers

    @cached_property
    def slots(self) -> Sql:
        return self.compile(select(WORKER.c.slot))

    @cached_property
    def join(self) -> Sql:
        """A new worker, if nobody has taken its slot meanwhile."""
        fresh = self._insert(WORKER).values(
            id=ME,
            slot=bindparam("slot"),
            weight=bindparam("weight"),
            joined_at=NOW,
            renewed_at=NOW,
            expires_at=NOW + bindparam("lease_s", type_=Double),
            wish=0,
            idle=False,
            commits=0,
            checks=0,
        )
        return self.compile(fresh.on_conflict_do_nothing().returning(WORKER.c.slot))

    @cached_property
    def renew(self) -> Sql:
        """Lengthen a lease that still runs, with how things stand."""
        renew = update(WORKER).where(WORKER.c.id == ME, LIVE)
        values: dict[str, Any] = {name: bindparam(name) for name in ("idle", "commits", "checks")}
        until_at = NOW + bindparam("lease_s", type_=Double)
        return self.compile(renew.values(renewed_at=NOW, expires_at=until_at, **values))

    @cached_property
    def is_live(self) -> Sql:
        return self.compile(select(WORKER.c.id).where(WORKER.c.id == ME, LIVE))

    @cached_property
    def stay_live(self) -> Sql:
        """The same, and nobody may bury the worker until this is committed."""
        return self.compile(select(WORKER.c.id).where(WORKER.c.id == ME, LIVE).with_for_update(read=True))

    @cached_property
    def count_anew(self) -> Sql:
        """Leases renewed in what is the future now run as long as when they were renewed."""
        ahead = WORKER.c.renewed_at > NOW + bindparam("at_most_s", type_=Double)
        until_at = NOW + WORKER.c.expires_at - WORKER.c.renewed_at
        return self.compile(update(WORKER).where(ahead).values(renewed_at=NOW, expires_at=until_at))

    @cached_property
    def wish(self) -> Sql:
        return self.compile(update(WORKER).where(WORKER.c.id == ME, LIVE).values(wish=bindparam("wish")))

    @cached_property
    def wish_all(self) -> Sql:
        return self.compile(update(WORKER).where(LIVE).values(wish=bindparam("wish")))

    @cached_property
    def expired(self) -> Sql:
        """Workers whose lease ran out, held fast: a renewal that came too late waits and then fails."""
        return self.compile(select(WORKER.c.id).where(~LIVE).with_for_update(skip_locked=True))

    @cached_property
    def bury(self) -> Sql:
        """Forget workers that own nothing any more."""
        owns = exists().where(PART.c.owner == WORKER.c.id)
        return self.compile(delete(WORKER).where(_among(WORKER.c.id), ~owns).returning(WORKER.c.id))

    @cached_property
    def leave(self) -> Sql:
        return self.compile(delete(WORKER).where(WORKER.c.id == ME))

    @cached_property
    def workers(self) -> Sql:
        """Every worker with what it holds, live ones and those that nobody buried yet."""
        held = func.count(PART.c.id)
        found = select(WORKER, held, NOW).select_from(WORKER.outerjoin(PART, PART.c.owner == WORKER.c.id))
        return self.compile(found.group_by(WORKER.c.id).order_by(WORKER.c.id))

    # partitions

    @cached_property
    def add_parts(self) -> Sql:
        return self.insert_new(PART)

    @cached_property
    def count_parts(self) -> Sql:
        return self.compile(select(func.count()).select_from(PART))

    @cached_property
    def parts(self) -> Sql:
        return self.compile(select(PART).order_by(PART.c.id))

    @cached_property
    def standings(self) -> Sql:
        """Of all partitions: how many are free, and those that were moved."""
        return self.compile(select(PART.c.id, PART.c.owner, PART.c.wanted).where(FREE | PART.c.wanted.is_not(None)))

    @cached_property
    def holdings(self) -> Sql:
        return self.compile(select(PART.c.id, PART.c.epoch).where(PART.c.owner == ME))

    @cached_property
    def claimable(self) -> Sql:
        """Free partitions, first those that were moved here, none that was moved to another one who is there and
        stays, none that cannot be reached now."""
        stays = WORKER.c.wish != literal_column(str(int(Wish.LEAVE)))
        elsewhere = exists().where(WORKER.c.id == PART.c.wanted, LIVE, stays)
        open_to_me = or_(PART.c.wanted.is_(None), PART.c.wanted == ME, ~elsewhere)
        first = func.coalesce(PART.c.wanted, "") == ME
        found = select(PART.c.id).where(FREE, open_to_me, ~_among(PART.c.id)).order_by(first.desc(), PART.c.id)
        return self.compile(found.limit(bindparam("limit")).with_for_update(skip_locked=True))

    @cached_property
    def claim(self) -> Sql:
        taken = update(PART).where(_among(PART.c.id)).values(owner=ME, epoch=PART.c.epoch + 1)
        return self.compile(taken.returning(PART.c.id, PART.c.epoch))

    @cached_property
    def still_mine(self) -> Sql:
        """Epochs of partitions that a live worker owns; nobody can claim them until this is committed."""
        owned = (_among(PART.c.id), PART.c.owner == ME, exists().where(WORKER.c.id == ME, LIVE))
        return self.compile(select(PART.c.id, PART.c.epoch).where(*owned).with_for_update(read=True, of=PART))

    @cached_property
    def mine_here(self) -> Sql:
        """The same in a shard, which knows no leases."""
        owned = select(PART.c.id, PART.c.epoch).where(_among(PART.c.id), PART.c.owner == ME)
        return self.compile(owned.with_for_update(read=True))

    @cached_property
    def admit(self) -> Sql:
        """In a shard: the owner and epoch of partitions, unless somebody with a later epoch came first."""
        insert = self.inserting(PART)
        values = {name: insert.excluded[name] for name in ("owner", "epoch")}
        later = insert.excluded.epoch > PART.c.epoch
        admitted = insert.on_conflict_do_update(index_elements=["id"], set_=values, where=later)
        return self.compile_insert(admitted.returning(PART.c.id), PART)

    @cached_property
    def set_free(self) -> Sql:
        """Partitions given back by their owner."""
        freed = update(PART).where(_among(PART.c.id), PART.c.owner == ME).values(owner=None)
        return self.compile(freed.returning(PART.c.id))

    @cached_property
    def inherit(self) -> Sql:
        """Free the partitions of workers whose lease ran out; what a write of theirs still holds comes next time."""
        theirs = select(PART.c.id).where(_among(PART.c.owner)).with_for_update(skip_locked=True)
        return self.compile(update(PART).where(PART.c.id.in_(theirs)).values(owner=None).returning(PART.c.id))

    @cached_property
    def set_all_free(self) -> Sql:
        return self.compile(update(PART).where(PART.c.owner == ME).values(owner=None))

    @cached_property
    def move(self) -> Sql:
        moved = update(PART).where(_among(PART.c.id)).values(wanted=bindparam("wanted"))
        return self.compile(moved.returning(PART.c.id))

    # shards

    @cached_property
    def shards(self) -> Sql:
        return self.compile(select(SHARD).order_by(SHARD.c.number))

    @cached_property
    def add_shards(self) -> Sql:
        return self.insert_new(SHARD)

    @cached_property
    def places(self) -> Sql:
        """Partitions that do not live at home, and where."""
        return self.compile(select(PART.c.id, PART.c.store).where(PART.c.store > literal_column("0")))

    @cached_property
    def settle_in(self) -> Sql:
        """Let partitions live in a shard from now on."""
        settled = update(PART).where(_among(PART.c.id)).values(store=bindparam("store"))
        return self.compile(settled.returning(PART.c.id))

    # what was found for others

    @cached_property
    def post(self) -> Sql:
        """Answers with the pages of the letters that were not there. One that asks for a visit `again` takes the place
        of one that does not."""
        insert = self.inserting(OUTBOX)
        values = {name: insert.excluded[name] for name in ("again", "body")}
        says_more = insert.excluded.again & ~OUTBOX.c.again
        posted = insert.on_conflict_do_update(index_elements=["partition", "page"], set_=values, where=says_more)
        return self.compile_insert(posted.returning(OUTBOX.c.page), OUTBOX)

    @cached_property
    def waiting(self) -> Sql:
        found = select(OUTBOX).where(_among(OUTBOX.c.partition)).order_by(OUTBOX.c.partition)
        return self.compile(found.limit(bindparam("limit")))

    @cached_property
    def received(self) -> Sql:
        """Letters as they were read: another one may have taken their place since."""
        mine = (_among(OUTBOX.c.page), OUTBOX.c.again == bindparam("again"))
        return self.compile(delete(OUTBOX).where(*mine).returning(OUTBOX.c.page))

    @cached_property
    def outbox_sizes(self) -> Sql:
        sizes = select(OUTBOX.c.partition, func.count()).group_by(OUTBOX.c.partition)
        return self.compile(sizes.order_by(OUTBOX.c.partition))

    @cached_property
    def any_waiting(self) -> Sql:
        return self.compile(
            select(func.count()).select_from(select(OUTBOX.c.page).limit(literal_column("1")).subquery())
        )

    # what may be spent

    @cached_property
    def open_purse(self) -> Sql:
        fresh = self._insert(PURSE).values(budget=bindparam("budget"), day=bindparam("day"), requests=0, bytes=0)
        return self.compile(fresh.on_conflict_do_nothing())

    @cached_property
    def look_into_purse(self) -> Sql:
        """What was handed out so far; nobody else draws until this is committed."""
        found = select(PURSE.c.requests, PURSE.c.bytes).where(*_PURSE).with_for_update()
        return self.compile(found)

    @cached_property
    def hand_out(self) -> Sql:
        given: dict[str, Any] = {name: PURSE.c[name] + bindparam(f"more_{name}") for name in ("requests", "bytes")}
        return self.compile(update(PURSE).where(*_PURSE).values(**given))

    @cached_property
    def purses_of(self) -> Sql:
        """What was handed out of a budget on this day and those that follow."""
        mine = PURSE.c.budget == bindparam("budget"), PURSE.c.day >= bindparam("day")
        return self.compile(select(PURSE.c.day, PURSE.c.requests, PURSE.c.bytes).where(*mine))

    @cached_property
    def forget_purses(self) -> Sql:
        return self.compile(delete(PURSE).where(PURSE.c.day < bindparam("day")))

    # manners of a transaction

    @cached_property
    def be_brief(self) -> Sql:
        """The server ends this transaction when its worker is silent for so long: others wait for its rows."""
        return self.compile(
            select(func.set_config("idle_in_transaction_session_timeout", bindparam("milliseconds"), True))
        )


def lease_statements() -> LeaseStatements:
    dialect = postgresql.psycopg.dialect(paramstyle="format")  # type: ignore[no-untyped-call]
    return LeaseStatements(dialect, postgresql.insert, arrays=True)
