"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "meta",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("number", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "word",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("text", sa.Text(), nullable=False, unique=True),
    )
    op.create_table(
        "page",
        sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("server", sa.BigInteger(), nullable=False),
        sa.Column("site", sa.Integer(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("category", sa.Integer()),
        sa.Column("rank", sa.SmallInteger(), nullable=False),
        sa.Column("importance", sa.Double()),
        sa.Column("depth", sa.Integer()),
        sa.Column("hops", sa.Integer()),
        sa.Column("found_from", sa.BigInteger()),
        sa.Column("found_at", sa.Double()),
        sa.Column("due_at", sa.Double()),
        sa.Column("interval_s", sa.Double()),
        sa.Column("belief", sa.LargeBinary()),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.Column("body_digest", sa.LargeBinary()),
        sa.Column("text_digest", sa.LargeBinary()),
        sa.Column("simhash", sa.BigInteger()),
        sa.Column("size_bytes", sa.BigInteger()),
        sa.Column("content_type", sa.Integer()),
        sa.Column("noise", sa.LargeBinary()),
        sa.Column("failures", sa.Integer()),
        sa.Column("misses", sa.Integer()),
        sa.Column("visits", sa.Integer()),
        sa.Column("changes", sa.Integer()),
        sa.Column("conditional", sa.Integer()),
        sa.Column("checked_at", sa.Double()),
        sa.Column("changed_at", sa.Double()),
        sa.Column("target", sa.Text()),
    )
    op.create_index(
        "page_due",
        "page",
        ["server", "rank", "due_at", "site"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "page_reason",
        "page",
        ["reason", "status", "site"],
        sqlite_where=sa.text("reason IS NOT NULL"),
        postgresql_where=sa.text("reason IS NOT NULL"),
    )
    op.create_table(
        "server",
        sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("partition", sa.Integer(), nullable=False),
        sa.Column("site", sa.Integer(), nullable=False),
        sa.Column("next_due_at", sa.Double()),
        sa.Column("alias_of", sa.Text()),
        sa.Column("gap_s", sa.Double(), nullable=False),
        sa.Column("crawl_delay_s", sa.Double()),
        sa.Column("load_per_s", sa.Double(), nullable=False),
        sa.Column("price", sa.Double(), nullable=False),
        sa.Column("response_s", sa.Double(), nullable=False),
        sa.Column("free_at", sa.Double(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.Double()),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("overloaded", sa.Boolean(), nullable=False),
    )
    op.create_index(
        "server_due",
        "server",
        ["partition", "next_due_at"],
        sqlite_where=sa.text("next_due_at IS NOT NULL"),
        postgresql_where=sa.text("next_due_at IS NOT NULL"),
    )
    op.create_index(
        "server_next",
        "server",
        ["next_due_at"],
        sqlite_where=sa.text("next_due_at IS NOT NULL"),
        postgresql_where=sa.text("next_due_at IS NOT NULL"),
    )
    op.create_table(
        "visit",
        sa.Column("page", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double(), primary_key=True),
        sa.Column("why", sa.SmallInteger(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("evidence", sa.SmallInteger(), nullable=False),
        sa.Column("change", sa.SmallInteger(), nullable=False),
        sa.Column("failure", sa.Integer()),
        sa.Column("received_bytes", sa.BigInteger()),
        sa.Column("changed_bytes", sa.BigInteger()),
        sa.Column("conditional", sa.Boolean(), nullable=False),
        sa.Column("milliseconds", sa.Double()),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "version",
        sa.Column("page", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double(), primary_key=True),
        sa.Column("digest", sa.LargeBinary()),
        sa.Column("warc_file", sa.Integer()),
        sa.Column("warc_offset", sa.BigInteger(), nullable=False),
        sa.Column("warc_length", sa.BigInteger(), nullable=False),
        sa.Column("body_bytes", sa.BigInteger()),
        sa.Column("text_bytes", sa.BigInteger()),
        sa.Column("share_changed", sa.Double()),
        sa.Column("content_type", sa.Integer()),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "event",
        sa.Column(
            "cursor", sa.Integer().with_variant(sa.BigInteger(), "postgresql"), primary_key=True, autoincrement=False
        ),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("url", sa.Text()),
        sa.Column("site", sa.Integer(), nullable=False),
        sa.Column("page", sa.BigInteger()),
        sa.Column("digest", sa.LargeBinary()),
        sa.Column("previous_digest", sa.LargeBinary()),
        sa.Column("share_changed", sa.Double()),
        sa.Column("facts", sa.Text()),
    )
    op.create_index("event_at", "event", ["at", "cursor"])
    op.create_index(
        "event_told",
        "event",
        ["page", "at", "kind"],
        unique=True,
        sqlite_where=sa.text("page IS NOT NULL"),
        postgresql_where=sa.text("page IS NOT NULL"),
    )
    op.create_table(
        "robots",
        sa.Column("origin", sa.Text(), primary_key=True),
        sa.Column("fetched_at", sa.Double(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary()),
        sa.Column("expires_at", sa.Double(), nullable=False),
    )
    op.create_table(
        "memo",
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("value", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "notice",
        sa.Column("page", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double(), primary_key=True),
        sa.Column("source", sa.SmallInteger(), primary_key=True),
        sa.Column("kind", sa.SmallInteger(), primary_key=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("proved", sa.Boolean()),
        sqlite_with_rowid=False,
    )
    op.create_index("notice_at", "notice", ["at"])
    op.create_table(
        "counter",
        sa.Column("site", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sqlite_with_rowid=False,
    )
