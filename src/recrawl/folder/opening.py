"""The store of a folder: a file in it, or a PostgreSQL database that the settings name."""

from importlib import import_module
from pathlib import Path

from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.model.failure import ConfigError
from recrawl.ports import Store
from recrawl.store.address import is_postgres, name_of
from recrawl.store.sqlite import open_sqlite

CLUSTER = (
    "recrawl.store.shared.shards"  # SQLAlchemy comes with it: a crawl in a file has no use for half a second of start
)


def open_store(folder: Folder, settings: Settings, readonly: bool = False) -> Store:
    address = settings.state.store
    if not address:
        return open_sqlite(folder.database, partitions=settings.state.partitions, readonly=readonly)
    check_address(address)
    opened: Store = import_module(CLUSTER).open_whole(address, readonly)
    return opened


def is_crawled(folder: Folder, settings: Settings) -> bool:
    """Is there a store at all?"""
    return bool(settings.state.store) or folder.database.exists()


def check_address(address: str) -> None:
    if not is_postgres(address):
        shown = name_of(address) if "://" in address else Path(address).name  # no password in either
        raise ConfigError(
            f"state.store: {shown!r} is not a PostgreSQL address: write "
            "postgresql://user@host:5432/database, or leave it empty for a file in the folder"
        )
