"""The tables of a cluster: who works, who owns which partition, and what was found for partitions of others.

They are part of every store and stay empty where one machine works alone. Moments are of the database's own clock.
"""

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Integer, LargeBinary, SmallInteger, Table, Text

from recrawl.store.tables import METADATA

WORKER = Table(
    "worker",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("slot", Integer, nullable=False, unique=True),  # the smallest number that no other worker has
    Column("weight", Double, nullable=False),
    Column("joined_at", Double, nullable=False),
    Column("renewed_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),  # never moved once it has passed
    Column("wish", SmallInteger, nullable=False),  # what it is asked to do: `leases.Wish`
    Column("idle", Boolean, nullable=False),
    Column("commits", BigInteger, nullable=False),
    Column("checks", BigInteger, nullable=False),
)

PART = Table(
    "part",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("owner", Text),
    Column("epoch", BigInteger, nullable=False),  # rises with every claim
    Column("wanted", Text),  # the worker that an operator moved it to
    Column("store", Integer, nullable=False, server_default="0"),  # the shard its rows live in; 0: here
)
PART_OWNER = Index("part_owner", PART.c.owner)

SHARD = Table(
    "shard",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1
    Column("address", Text, nullable=False),
)

OUTBOX = Table(
    "outbox",
    METADATA,
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("page", BigInteger, primary_key=True, autoincrement=False),
    Column("again", Boolean, nullable=False),  # it is to be visited though it may be known
    Column("body", LargeBinary, nullable=False),  # the page as it was found
    sqlite_with_rowid=False,
)

PURSE = Table(
    "purse",
    METADATA,
    Column("budget", Text, primary_key=True),  # the site's name, empty for all sites together
    Column("day", Integer, primary_key=True, autoincrement=False),  # since 1970
    Column("requests", BigInteger, nullable=False),  # handed out to workers
    Column("bytes", BigInteger, nullable=False),
)
