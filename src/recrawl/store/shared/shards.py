"""A PostgreSQL store whose rows live in several databases: which they are, and opening them.

The home holds the table of shards and, for every partition, the number of the one that its rows live in (`part.store`,
0: the home itself). A shard has all tables too, with words and counts of its own; of its `part` it uses owner and
epoch, which fence it, of its outbox the letters that its own visits wrote.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import overload

from recrawl.model.address import partition_of
from recrawl.model.batch import Batch, Saved
from recrawl.model.failure import UsageError
from recrawl.ports import Store
from recrawl.store.address import name_of
from recrawl.store.connection import Database
from recrawl.store.postgres import create_postgres, open_postgres
from recrawl.store.shared.lease_statements import lease_statements
from recrawl.store.shared.sharded import ShardedStore
from recrawl.store.sql import SqlStore

MARK = "shard"  # in a shard's meta: its number
AT_ONCE = 1000  # events told in one transaction


class Atlas:
    """What the home knows of shards, asked for when it may have changed."""

    def __init__(self, home: Database) -> None:
        self._home = home
        self._sql = lease_statements()
        self._places: dict[int, int] = {}
        self.look()

    def look(self) -> None:
        with self._home.reading() as session:
            self.addresses: dict[int, str] = dict(map(tuple, session.rows(self._sql.shards)))
            self._places = dict(map(tuple, session.rows(self._sql.places))) if self.addresses else {}

    def place(self, partition: int) -> int:
        return self._places.get(partition, 0)

    def living_in(self, shards: Collection[int]) -> frozenset[int]:
        """Partitions of some shards other than the home."""
        return frozenset(partition for partition, shard in self._places.items() if shard in shards)

    def settle(self, partitions: Iterable[int], shard: int) -> int:
        """Let partitions live in a shard from now on; how many there are of them."""
        with self._home.writing() as session:
            sql = self._sql.settle_in
            moved = session.rows(sql, sql.bind(item_0=sorted(partitions), store=shard))
        self.look()
        return len(moved)

    def enlist(self, number: int, dsn: str) -> None:
        with self._home.writing() as session:
            session.many(self._sql.add_shards, [(number, dsn)])
        self.look()

    def make_parts(self, partitions: int) -> None:
        """The rows of partitions, where no worker has made them yet."""
        with self._home.writing() as session:
            session.many(self._sql.add_parts, ((number, None, 0, None, 0) for number in range(partitions)))


class Members(Sequence[Store]):
    """The databases of a store by number, each opened when it is first asked. `addresses` may grow."""

    def __init__(self, home: Store, addresses: Callable[[], Mapping[int, str]], opened: Callable[[str], Store]) -> None:
        self._addresses, self._open = addresses, opened
        self._found: dict[int, Store] = {0: home}

    def __len__(self) -> int:
        return 1 + len(self._addresses())

    @overload
    def __getitem__(self, number: int) -> Store: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Store]: ...
    def __getitem__(self, number: int | slice) -> Store | Sequence[Store]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        if number not in self._found:
            if number not in self._addresses():
                raise IndexError(number)
            self._found[number] = self._open(self._addresses()[number])
        return self._found[number]

    def opened(self) -> Iterator[Store]:
        yield from self._found.values()


class PostgresShards(ShardedStore):
    """The whole of such a store, for whoever is no worker of its cluster."""

    def __init__(self, home: SqlStore, atlas: Atlas, readonly: bool) -> None:
        self._atlas = atlas
        members = Members(home, lambda: atlas.addresses, lambda dsn: open_postgres(dsn, readonly))
        super().__init__(members, atlas.place)

    def save(self, batch: Batch) -> Saved:
        self._atlas.look()
        return super().save(batch)

    def tell_all(self) -> None:
        for member in self.members[1:]:
            assert isinstance(member, SqlStore)
            relay(self.home, member)

    def close(self) -> None:
        assert isinstance(self.members, Members)
        for member in self.members.opened():
            member.close()


def relay(home: Store, shard: SqlStore) -> None:
    """Tell at home what was written beside its page in a shard, and forget it there. What was told already is told
    once: so whatever a crash left untold is told by the next who does this."""
    while written := shard.events(limit=AT_ONCE):
        home.save(Batch(events=tuple(replace(event, cursor=0) for event in written)))
        shard.forget_events(written[-1].cursor)


def open_whole(dsn: str, readonly: bool = False) -> Store:
    """The store whose home is this database."""
    home = open_postgres(dsn, readonly)
    atlas = atlas_of(home)
    return PostgresShards(home, atlas, readonly) if atlas.addresses else home


def atlas_of(home: SqlStore) -> Atlas:
    """Where its shards are. A store that is none, or no home, is closed before the error is raised."""
    try:
        need_home(home)
        return Atlas(home.database)
    except BaseException:
        home.close()
        raise


def need_home(store: SqlStore) -> None:
    with store.database.reading() as session:
        sql = store.database.statements.meta
        if (number := session.value(sql, sql.bind(name=MARK))) is not None:
            raise UsageError(f"{store.database.where} is shard {number} of another store: name that store's home")


def add_shard(home_dsn: str, dsn: str) -> int:
    """Make a database a shard of a store; its number. It holds no partition yet."""
    with closing(open_postgres(home_dsn)) as home:
        need_home(home)
        atlas = Atlas(home.database)
        for number, address in atlas.addresses.items():
            if address == dsn:
                return number
        number = 1 + max(atlas.addresses, default=0)
        _mark(dsn, number, home)
        atlas.make_parts(home.partitions)
        atlas.enlist(number, dsn)
    return number


def settle_empty(home_dsn: str, shard: int, partitions: Collection[int]) -> list[int]:
    """Let those of these partitions live in a shard that hold nothing yet. Nobody may be at work meanwhile."""
    with closing(open_whole(home_dsn)) as whole:
        filled = {partition_of(server.key, whole.partitions) for server in whole.servers()}
    empty = sorted(set(partitions) - filled)
    with closing(open_postgres(home_dsn)) as home:
        Atlas(home.database).settle(empty, shard)
    return empty


def deal_out(home_dsn: str, dsns: Sequence[str]) -> None:
    """Share the partitions of a new store out among its home and shards."""
    with closing(open_whole(home_dsn)) as whole:
        if whole.servers():
            raise UsageError(
                f"{name_of(home_dsn)} holds pages already: copy them into a new store with shards with "
                "`recrawl db copy`, or add a shard for servers to come with `recrawl cluster shard`"
            )
    numbers = [0, *(add_shard(home_dsn, dsn) for dsn in dsns)]
    with closing(open_postgres(home_dsn)) as home:
        atlas = Atlas(home.database)
        for place, number in enumerate(numbers):
            atlas.settle(range(place, home.partitions, len(numbers)), number)


def _mark(dsn: str, number: int, home: SqlStore) -> None:
    """Make its tables and write down that it is a shard."""
    create_postgres(dsn, home.partitions)
    with closing(open_postgres(dsn)) as shard:
        if _identity(shard) == _identity(home):
            raise UsageError(f"{name_of(dsn)} is the home itself: name another database")
        need_home(shard)
        if shard.partitions != home.partitions:
            cuts = f"{shard.partitions} partitions, the home {home.partitions}"
            raise UsageError(f"{name_of(dsn)} has {cuts}: empty it first")
        if shard.sites() or shard.servers():
            raise UsageError(f"{name_of(dsn)} holds the state of another crawl: name an empty database")
        if Atlas(shard.database).addresses:
            raise UsageError(f"{name_of(dsn)} is the home of another store with shards: name an empty database")
        with shard.database.writing() as session:
            session.many(shard.database.statements.put_meta, [(MARK, number)])


def _identity(store: SqlStore) -> tuple[object, ...]:
    with store.database.reading() as session:
        return tuple(session.rows(lease_statements().identity)[0])
