"""Bringing an older store up to date. Alembic is slow to import: import this only for the upgrade itself."""

from contextlib import closing
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, select

from recrawl.model.failure import NotFound
from recrawl.store import postgres
from recrawl.store.address import name_of
from recrawl.store.engines import WRITE, plainly
from recrawl.store.postgres import postgres_engine
from recrawl.store.revision import REVISION, REVISIONS, check_revision
from recrawl.store.shared.lease_tables import SHARD
from recrawl.store.sqlite import stored_revision
from recrawl.store.sqlite_driver import SqliteConnections
from recrawl.store.sqlite_engine import sqlite_engine

SCRIPTS = Path(__file__).parent / "migrations"


def upgrade_sqlite(path: Path | str) -> tuple[str, str]:
    """Bring the store in a file to the schema of this recrawl, all or nothing; the schema before and after."""
    file = Path(path)
    if not file.exists():
        raise NotFound(f"there is no store at {file}: start with `recrawl add URL`")
    with closing(SqliteConnections(file, "mode=rw")) as connections:
        before = stored_revision(connections)
    if before is None or before not in REVISIONS:
        check_revision(before, file)
    engine = sqlite_engine(file, "mode=rw")
    try:
        with plainly(str(file)):
            run_revisions(engine)
            return str(before), REVISION
    finally:
        engine.dispose()


def upgrade_postgres(dsn: str) -> tuple[str, str]:
    """The same for the store in a database."""
    engine, where = postgres_engine(dsn), name_of(dsn)
    try:
        with plainly(where):
            before = postgres.stored_revision(engine)
            if before is None:
                raise NotFound(f"{where} has no tables of recrawl yet: make them with `recrawl db init {where}`")
            if before not in REVISIONS:
                check_revision(before, where)
            run_revisions(engine)
            return before, REVISION
    finally:
        engine.dispose()


def shards_of(dsn: str) -> list[str]:
    """The other databases of an upgraded store."""
    engine = postgres_engine(dsn)
    try:
        with plainly(name_of(dsn)), engine.connect() as connection:
            return list(connection.execute(select(SHARD.c.address).order_by(SHARD.c.number)).scalars())
    finally:
        engine.dispose()


def run_revisions(engine: Engine) -> None:
    """Every revision that the database lacks, in one transaction."""
    with engine.execution_options(**{WRITE: True}).begin() as connection:
        config = migration_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def migration_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
