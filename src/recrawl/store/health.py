"""Is a store's file whole?"""

import sqlite3
from contextlib import closing
from pathlib import Path

from recrawl.store.failures import plainly
from recrawl.store.sqlite_driver import address_of

SMALL_BYTES = 500_000_000  # a larger file is only looked at when asked: it takes minutes


def damage_in_sqlite(file: Path, however_large: bool = False) -> str | None:
    """What SQLite finds wrong in it, '' if nothing; None: too large to look at by the way."""
    if file.stat().st_size > SMALL_BYTES and not however_large:
        return None
    with plainly(str(file)), closing(sqlite3.connect(address_of(file, "mode=ro"), uri=True)) as store:
        found = [str(row[0]) for row in store.execute("PRAGMA quick_check(3)")]
    return "" if found == ["ok"] else "; ".join(found)
