"""Opening a store in a PostgreSQL database that workers on many machines share.

What is used is what PostgreSQL, poolers such as PgBouncer and its distributed kin share: READ COMMITTED transactions,
ON CONFLICT, FOR UPDATE and FOR SHARE; no advisory locks, no LISTEN, nothing prepared, nothing that outlives a
transaction. Settings are made for a transaction, with `set_config`.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from time import sleep
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError, ProgrammingError
from sqlalchemy.pool import QueuePool

from recrawl.model.failure import NotFound, StoreDamaged, UsageError
from recrawl.store.address import name_of
from recrawl.store.connection import BeforeWrite, Database, nothing_first
from recrawl.store.engines import WRITE, EngineConnections, plainly
from recrawl.store.revision import REVISION, check_revision
from recrawl.store.schema import SCHEMA
from recrawl.store.sql import SqlStore
from recrawl.store.statements import Statements
from recrawl.store.tables import META, REVISION_TABLE

PARTITIONS = 1024

# How long to wait before each new try while the server is away: a minute and a half in all.
PATIENCE_S = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, *[1.6] * 55)
# Who holds rows and falls silent (a stopped process, a cut cable) is thrown out; who waits for rows does not for ever.
IDLE_AT_MOST, WAIT_AT_MOST = "10s", "60s"
LIMITS = (
    f"SELECT set_config('idle_in_transaction_session_timeout', '{IDLE_AT_MOST}', true), "
    f"set_config('lock_timeout', '{WAIT_AT_MOST}', true)"
)


def open_postgres(
    dsn: str,
    readonly: bool = False,
    before_write: BeforeWrite = nothing_first,
    patience_s: Sequence[float] = PATIENCE_S,
    wait: Callable[[float], None] = sleep,
) -> SqlStore:
    """Open the store in a database; its tables must be there (`create_postgres`).

    After an outage of the server it goes on by itself: what can be done twice is tried again, for as long as
    `patience_s` lasts."""
    engine = postgres_engine(dsn, readonly)
    where = name_of(dsn)
    connections = EngineConnections(engine, where)  # before the first one is made: it knows them all
    try:
        with plainly(where):
            revision = stored_revision(engine)
            if revision is None:
                raise NotFound(f"{where} has no tables of recrawl yet: make them with `recrawl db init {where}`")
            check_revision(revision, where)
        statements = Statements(engine.dialect, postgresql.insert, arrays=True)
        return SqlStore(Database(connections, statements, before_write, patience_s, wait))
    except BaseException:
        engine.dispose()
        raise


def create_postgres(dsn: str, partitions: int = PARTITIONS) -> bool:
    """Make the tables in a database; False: they were there."""
    engine, where = postgres_engine(dsn), name_of(dsn)
    try:
        with plainly(where):
            revision = stored_revision(engine)
            if revision is not None:
                check_revision(revision, where)
                return False
            return make_tables(engine, partitions)
    finally:
        engine.dispose()


def make_tables(engine: Engine, partitions: int) -> bool:
    """All or nothing; False: another process did so at the same moment."""
    try:
        with engine.execution_options(**{WRITE: True}).begin() as connection:
            SCHEMA.create_all(connection, checkfirst=False)
            connection.execute(insert(REVISION_TABLE).values(version_num=REVISION))
            start = [{"name": "partitions", "number": partitions}, {"name": "cursor", "number": 0}]
            connection.execute(insert(META), start)
    except (IntegrityError, ProgrammingError):
        if stored_revision(engine) is None:
            raise
        return False
    return True


def stored_revision(engine: Engine) -> str | None:
    """None: there are no tables of ours."""
    with engine.connect() as connection:
        tables = set(inspect(connection).get_table_names())
        if REVISION_TABLE.name not in tables:
            if strangers := tables & set(SCHEMA.tables):
                raise StoreDamaged(f"the database holds tables of others ({min(strangers)}): name another database")
            return None
        revision: str | None = connection.execute(select(REVISION_TABLE.c.version_num)).scalar()
        return revision


def postgres_engine(dsn: str, readonly: bool = False) -> Engine:
    connect = driver().connector(dsn, readonly)

    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get(WRITE):
            connection.exec_driver_sql(LIMITS)

    engine = create_engine(
        "postgresql+psycopg://",
        creator=connect,
        paramstyle="format",
        isolation_level="READ COMMITTED",
        use_native_hstore=False,
        poolclass=QueuePool,
        pool_size=4,
        max_overflow=12,
    )
    event.listen(engine, "begin", begin)
    return engine


def driver() -> Any:
    """psycopg is an extra, and slow to import for those who have no use for it."""
    try:
        return import_module("recrawl.store.postgres_driver")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"a PostgreSQL store needs the extra `postgres` ({error.name}): pip install 'recrawl[postgres]'"
        ) from error
