"""Records: what was read from each version of a page."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "record",
        sa.Column("page", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double(), primary_key=True),
        sa.Column("place", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Integer()),
        sa.Column("source", sa.SmallInteger(), nullable=False),
        sa.Column("data", sa.Text()),
        sa.Column("missing", sa.Text()),
        sa.Column("wrapper", sa.Integer()),
        sa.Column("digest", sa.LargeBinary()),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "record_missing",
        "record",
        ["page", "at"],
        sqlite_where=sa.text("missing IS NOT NULL"),
        postgresql_where=sa.text("missing IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_table("record")
