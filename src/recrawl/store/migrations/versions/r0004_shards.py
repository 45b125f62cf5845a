"""Rows of some partitions on other servers; pages of a rare site found by its servers."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "shard",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("address", sa.Text(), nullable=False),
    )
    op.add_column("part", sa.Column("store", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "presence",
        sa.Column("site", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("server", sa.BigInteger(), primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO presence (site, server) SELECT DISTINCT site, server FROM page")
    rest = sa.text("due_at IS NULL")
    op.create_index("page_rest", "page", ["server", "site"], sqlite_where=rest, postgresql_where=rest)


def downgrade() -> None:
    op.drop_index("page_rest", "page")
    op.drop_table("presence")
    op.drop_column("part", "store")
    op.drop_table("shard")
