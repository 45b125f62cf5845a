"""The store of a folder: a file in it, or a PostgreSQL database that the settings name."""

from pathlib import Path

from recrawl.config import Settings
from recrawl.folder.folder import Folder
from recrawl.model.failure import ConfigError
from recrawl.ports import Store
from recrawl.store.postgres import is_postgres
from recrawl.store.shards import open_whole
from recrawl.store.sqlite import open_sqlite


def open_store(folder: Folder, settings: Settings, readonly: bool = False) -> Store:
    address = settings.state.store
    if not address:
        return open_sqlite(folder.database, partitions=settings.state.partitions, readonly=readonly)
    check_address(address)
    return open_whole(address, readonly)


def is_crawled(folder: Folder, settings: Settings) -> bool:
    """Is there a store at all?"""
    return bool(settings.state.store) or folder.database.exists()


def check_address(address: str) -> None:
    if not is_postgres(address):
        raise ConfigError(
            f"state.store: {Path(address).name!r} is not a PostgreSQL address: write "
            "postgresql://user@host:5432/database, or leave it empty for a file in the folder"
        )
