"""Which schema a store has, and whether this recrawl works with it."""

from collections.abc import Sequence

from recrawl.model.failure import StoreDamaged, StoreOutdated
from recrawl.store.address import is_postgres

TABLE = "alembic_version"
REVISIONS = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
)  # every schema there ever was, oldest first; the last one is `schema.py`
REVISION = REVISIONS[-1]


def check_revision(revision: str | None, where: object, known: Sequence[str] = REVISIONS) -> None:
    """Let through only the schema that this recrawl works with, the last of those it knows."""
    if revision is None:
        raise StoreDamaged(f"{where} is not a recrawl store: name another folder, or move the file away and crawl anew")
    if revision not in known:
        raise StoreOutdated(
            f"{where} was written by a newer recrawl (schema {revision}, this one knows {known[-1]}): upgrade recrawl"
        )
    if revision != known[-1]:
        which = f" {where}" if is_postgres(str(where)) else ""  # it may be named on the command line alone
        schemas = f"schema {revision}, now {known[-1]}"
        raise StoreOutdated(f"{where} was written by an older recrawl ({schemas}): run `recrawl db upgrade{which}`")
