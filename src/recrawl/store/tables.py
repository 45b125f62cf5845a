"""The tables. Choices made for bytes per address and for one schema on every dialect:

- `page.id` is the fingerprint of the address, a key beside the rows and not their order: rows lie in order of
  entry (full leaves, breadth first), and a link is looked up in a key index of some 25 bytes an address.
- What is nothing (no validator, no digest, no failure) is NULL; closed sets are small numbers (`codes.py`);
  sites, categories, content types and failures are numbers of the table `word`.
- Moments are floats, exactly as the engine gave them.
- The long-term queue is the index `page_due`, which holds only what is due at all.
- Visits lie in the order of their moments (`visit_log`): a commit fills a few leaves, where by page each visit would
  change a leaf of its own. The newest visit of a page is found by the page, every older one by the one after it. What
  has no place in that row (not newer than the newest, of an unknown page, compacted) stands in `visit`, by page.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
)

from recrawl.store import revision

METADATA = MetaData()

META = Table(
    "meta",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
)

REVISION_TABLE = Table(
    revision.TABLE,
    METADATA,
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),  # as Alembic makes it
)

WORD = Table(
    "word",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("text", Text, nullable=False, unique=True),
)

PAGE = Table(
    "page",
    METADATA,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("url", Text, nullable=False),  # without its server: `codes.pack_url`
    Column("server", BigInteger, nullable=False),
    Column("site", Integer, nullable=False),
    Column("kind", SmallInteger, nullable=False),
    Column("category", Integer),
    Column("rank", SmallInteger, nullable=False),
    Column("importance", Double),  # NULL: 1
    Column("depth", Integer),
    Column("hops", Integer),
    Column("found_from", BigInteger),
    Column("found_at", Double),
    Column("due_at", Double),
    Column("interval_s", Double),
    Column("belief", LargeBinary),
    Column("status", SmallInteger, nullable=False),
    Column("reason", Text),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("body_digest", LargeBinary),
    Column("text_digest", LargeBinary),
    Column("simhash", BigInteger),
    Column("size_bytes", BigInteger),
    Column("content_type", Integer),
    Column("noise", LargeBinary),
    Column("failures", Integer),
    Column("misses", Integer),
    Column("visits", Integer),
    Column("changes", Integer),
    Column("conditional", Integer),
    Column("checked_at", Double),
    Column("changed_at", Double),
    Column("target", Text),
    Column("visited_at", Double),  # the newest visit, of any outcome; NULL: when it was last checked
)
FIELDS = tuple(column.name for column in PAGE.columns)[:-1]  # those of `model.page.Page`, in order
CONFIRMED = ("rank", "due_at", "interval_s", "belief", "visits", "conditional", "checked_at", "visited_at")

# `site` at the end lets what is due be counted by site without a look at the rows.
PAGE_DUE = Index(
    "page_due",
    PAGE.c.server,
    PAGE.c.rank,
    PAGE.c.due_at,
    PAGE.c.site,
    sqlite_where=PAGE.c.due_at.is_not(None),
    postgresql_where=PAGE.c.due_at.is_not(None),
)
PAGE_REASON = Index(
    "page_reason",
    PAGE.c.reason,
    PAGE.c.status,
    PAGE.c.site,
    sqlite_where=PAGE.c.reason.is_not(None),
    postgresql_where=PAGE.c.reason.is_not(None),
)
# Pages that are not due at all: with `page_due` every page of a server can be had without a look at the others.
PAGE_REST = Index(
    "page_rest",
    PAGE.c.server,
    PAGE.c.site,
    sqlite_where=PAGE.c.due_at.is_(None),
    postgresql_where=PAGE.c.due_at.is_(None),
)

# Which servers a site has pages on: a rare site's pages are found by them.
PRESENCE = Table(
    "presence",
    METADATA,
    Column("site", Integer, primary_key=True, autoincrement=False),
    Column("server", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

SERVER = Table(
    "server",
    METADATA,
    Column("id", BigInteger, primary_key=True, autoincrement=False),  # fingerprint of the key
    Column("key", Text, nullable=False),
    Column("partition", Integer, nullable=False),
    Column("site", Integer, nullable=False),  # of the first page met there: who its requests are counted for
    Column("next_due_at", Double),
    Column("alias_of", Text),
    Column("gap_s", Double, nullable=False),
    Column("crawl_delay_s", Double),
    Column("load_per_s", Double, nullable=False),
    Column("price", Double, nullable=False),
    Column("response_s", Double, nullable=False),
    Column("free_at", Double, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("failing_since", Double),
    Column("requests", BigInteger, nullable=False),
    Column("overloaded", Boolean, nullable=False),
)
SERVER_DUE = Index(
    "server_due",
    SERVER.c.partition,
    SERVER.c.next_due_at,
    sqlite_where=SERVER.c.next_due_at.is_not(None),
    postgresql_where=SERVER.c.next_due_at.is_not(None),
)
SERVER_NEXT = Index(
    "server_next",
    SERVER.c.next_due_at,
    sqlite_where=SERVER.c.next_due_at.is_not(None),
    postgresql_where=SERVER.c.next_due_at.is_not(None),
)

VISIT = Table(
    "visit",
    METADATA,
    Column("page", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),
    Column("why", SmallInteger, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("evidence", SmallInteger, nullable=False),
    Column("change", SmallInteger, nullable=False),
    Column("failure", Integer),
    Column("received_bytes", BigInteger),
    Column("changed_bytes", BigInteger),
    Column("conditional", Boolean, nullable=False),
    Column("milliseconds", Double),
    sqlite_with_rowid=False,
)

VISIT_LOG = Table(
    "visit_log",
    METADATA,
    *(Column(column.name, column.type, nullable=column.nullable) for column in VISIT.columns),
    Column("before_at", Double),  # the visit of the page before this one
    PrimaryKeyConstraint("at", "page"),
    sqlite_with_rowid=False,
)

VERSION = Table(
    "version",
    METADATA,
    Column("page", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),
    Column("digest", LargeBinary),
    Column("warc_file", Integer),
    Column("warc_offset", BigInteger, nullable=False),
    Column("warc_length", BigInteger, nullable=False),
    Column("body_bytes", BigInteger),
    Column("text_bytes", BigInteger),
    Column("share_changed", Double),
    Column("content_type", Integer),
    sqlite_with_rowid=False,
)

RECORD = Table(
    "record",
    METADATA,
    Column("page", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),  # of the version
    Column("place", SmallInteger, primary_key=True, autoincrement=False),
    Column("kind", Integer),
    Column("source", SmallInteger, nullable=False),
    Column("data", Text),  # JSON; NULL: nothing could be read
    Column("missing", Text),  # JSON: the required fields that were not there
    Column("wrapper", Integer),
    Column("digest", LargeBinary),
    sqlite_with_rowid=False,
)
RECORD_MISSING = Index(
    "record_missing",
    RECORD.c.page,
    RECORD.c.at,
    sqlite_where=RECORD.c.missing.is_not(None),
    postgresql_where=RECORD.c.missing.is_not(None),
)

EVENT = Table(
    "event",
    METADATA,
    Column("cursor", Integer().with_variant(BigInteger, "postgresql"), primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, nullable=False),
    Column("at", Double, nullable=False),
    Column("url", Text),
    Column("site", Integer, nullable=False),
    Column("page", BigInteger),
    Column("digest", LargeBinary),
    Column("previous_digest", LargeBinary),
    Column("share_changed", Double),
    Column("facts", Text),  # JSON
)
EVENT_TOLD = Index(
    "event_told",
    EVENT.c.page,
    EVENT.c.at,
    EVENT.c.kind,
    unique=True,
    sqlite_where=EVENT.c.page.is_not(None),
    postgresql_where=EVENT.c.page.is_not(None),
)
EVENT_AT = Index("event_at", EVENT.c.at, EVENT.c.cursor)

ROBOTS = Table(
    "robots",
    METADATA,
    Column("origin", Text, primary_key=True),
    Column("fetched_at", Double, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("body", LargeBinary),
    Column("expires_at", Double, nullable=False),
)

MEMO = Table(
    "memo",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

NOTICE = Table(
    "notice",
    METADATA,
    Column("page", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),
    Column("source", SmallInteger, primary_key=True),
    Column("kind", SmallInteger, primary_key=True),
    Column("url", Text, nullable=False),
    Column("proved", Boolean),
    sqlite_with_rowid=False,
)
NOTICE_AT = Index("notice_at", NOTICE.c.at)

COUNTER = Table(
    "counter",
    METADATA,
    Column("site", Integer, primary_key=True, autoincrement=False),
    Column("kind", Integer, primary_key=True, autoincrement=False),
    Column("amount", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
