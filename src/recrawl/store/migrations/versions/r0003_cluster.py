"""Workers of a cluster, who owns which partition, what they find for each other and what they may spend."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "worker",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("slot", sa.Integer(), nullable=False, unique=True),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("joined_at", sa.Double(), nullable=False),
        sa.Column("renewed_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("wish", sa.SmallInteger(), nullable=False),
        sa.Column("idle", sa.Boolean(), nullable=False),
        sa.Column("commits", sa.BigInteger(), nullable=False),
        sa.Column("checks", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "part",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("owner", sa.Text()),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("wanted", sa.Text()),
    )
    op.create_index("part_owner", "part", ["owner"])
    op.create_table(
        "outbox",
        sa.Column("partition", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("page", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("again", sa.Boolean(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "purse",
        sa.Column("budget", sa.Text(), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    for table in ("purse", "outbox", "part", "worker"):
        op.drop_table(table)
