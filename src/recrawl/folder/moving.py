"""A store moves: from a folder into a PostgreSQL database, or back."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from recrawl.folder.folder import Folder
from recrawl.store.copying import Side, Tell, copy_store, rows_in
from recrawl.store.postgres import create_postgres, is_postgres, name_of, open_postgres, postgres_engine
from recrawl.store.sqlite import open_sqlite, sqlite_engine


@contextmanager
def opened(source: str, target: str) -> Iterator[tuple[Side, Side]]:
    """Both sides by folder or address; a target that is not there is made."""
    with ExitStack() as stack:
        yield stack.enter_context(_source(source)), stack.enter_context(_target(target))


def rows_of(source: Side) -> int:
    return sum(rows_in(source).values())


def move(source: Side, target: Side, tell: Tell) -> dict[str, int]:
    """Rows copied, by table."""
    return copy_store(source, target, tell)


@contextmanager
def _source(address: str) -> Iterator[Side]:
    """Opened once as a store first, so that another schema is refused in words."""
    if is_postgres(address):
        open_postgres(address, readonly=True).close()
        side = Side(postgres_engine(address, readonly=True), name_of(address))
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
        with _closing(Side(postgres_engine(address), name_of(address))) as side:
            yield side
        return
    place = Folder(Path(address))
    place.path.mkdir(parents=True, exist_ok=True)
    with place.locked():
        open_sqlite(place.database).close()
        with _closing(Side(sqlite_engine(place.database, "mode=rw"), str(place.database))) as side:
            yield side


@contextmanager
def _closing(side: Side) -> Iterator[Side]:
    try:
        yield side
    finally:
        side.engine.dispose()
