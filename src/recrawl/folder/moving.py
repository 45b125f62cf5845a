"""A store moves: from a folder into a PostgreSQL database, or back."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from recrawl.folder.folder import Folder
from recrawl.model.failure import UsageError
from recrawl.store.address import is_postgres, name_of
from recrawl.store.copying import Side, Tell, copy_store, rows_in
from recrawl.store.postgres import create_postgres, open_postgres, postgres_engine
from recrawl.store.shared.leases import open_leases
from recrawl.store.shared.shards import Atlas, PostgresShards, need_home, open_whole
from recrawl.store.shared.spreading import gather, scatter
from recrawl.store.shared.undelivered import deliver
from recrawl.store.sqlite import open_sqlite
from recrawl.store.sqlite_engine import sqlite_engine


@contextmanager
def opened(source: str, target: str) -> Iterator[tuple[Side, Side]]:
    """Both sides by folder or address; a target that is not there is made."""
    with ExitStack() as stack:
        yield stack.enter_context(_source(source)), stack.enter_context(_target(target))


def rows_of(source: Side) -> int:
    return sum(rows_in(source).values())


def move(source: Side, target: Side, tell: Tell) -> dict[str, int]:
    """Rows copied, by table. Links under way from worker to worker are entered where there are no workers to do so."""
    copied = _copied(source, target, tell)
    if not target.is_postgres:
        deliver(target)
    return copied


def _copied(source: Side, target: Side, tell: Tell) -> dict[str, int]:
    if source.shards and target.shards:
        raise UsageError("both stores have shards: copy into a folder first, and from there")
    if target.shards:
        return scatter(source, (target, *target.shards), target.place, tell)
    if source.shards:
        return gather((source, *source.shards), target, tell)
    return copy_store(source, target, tell)


@contextmanager
def _source(address: str) -> Iterator[Side]:
    """Opened once as a store first, so that another schema is refused in words."""
    if is_postgres(address):
        open_postgres(address, readonly=True).close()
        _tell_all(address)
        side = _postgres_side(address, readonly=True)
    else:
        file = Folder(Path(address)).database
        open_sqlite(file, readonly=True).close()
        side = Side(sqlite_engine(file, "mode=ro"), str(file))
    with _closing(side):
        yield side


@contextmanager
def _target(address: str) -> Iterator[Side]:
    if is_postgres(address):
        create_postgres(address)
        with _closing(_postgres_side(address, readonly=False)) as side:
            yield side
        return
    place = Folder(Path(address))
    try:
        place.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make {place.path} ({error.strerror}): copy to another folder") from error
    with place.locked():
        open_sqlite(place.database).close()
        with _closing(Side(sqlite_engine(place.database, "mode=rw"), str(place.database))) as side:
            yield side


@contextmanager
def _closing(side: Side) -> Iterator[Side]:
    try:
        yield side
    finally:
        for one in (side, *side.shards):
            one.engine.dispose()


def _postgres_side(address: str, readonly: bool) -> Side:
    with closing(open_postgres(address, readonly=True)) as home:
        need_home(home)
        atlas = Atlas(home.database)
    shards = tuple(Side(postgres_engine(dsn, readonly), name_of(dsn)) for _, dsn in sorted(atlas.addresses.items()))
    return Side(postgres_engine(address, readonly), name_of(address), shards, atlas.place)


def _tell_all(address: str) -> None:
    """A store with shards is copied as it stands: nobody works there meanwhile, and all is told at home."""
    with closing(open_whole(address)) as whole, closing(open_leases(address)) as leases:
        if not isinstance(whole, PostgresShards):
            return
        if any(seat.left_s > 0 for seat in leases.seats()):
            raise UsageError(f"workers are running on {name_of(address)}: stop them first (`recrawl cluster status`)")
        whole.tell_all()
