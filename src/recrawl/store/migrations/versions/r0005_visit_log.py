"""Visits in the order of their moments; those of before stay where they stand by page."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

COLUMNS = "page, at, why, status, evidence, change, failure, received_bytes, changed_bytes, conditional, milliseconds"


def upgrade() -> None:
    op.create_table(
        "visit_log",
        sa.Column("page", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("why", sa.SmallInteger(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("evidence", sa.SmallInteger(), nullable=False),
        sa.Column("change", sa.SmallInteger(), nullable=False),
        sa.Column("failure", sa.Integer()),
        sa.Column("received_bytes", sa.BigInteger()),
        sa.Column("changed_bytes", sa.BigInteger()),
        sa.Column("conditional", sa.Boolean(), nullable=False),
        sa.Column("milliseconds", sa.Double()),
        sa.Column("before_at", sa.Double()),
        sa.PrimaryKeyConstraint("at", "page"),
        sqlite_with_rowid=False,
    )
    op.add_column("page", sa.Column("visited_at", sa.Double()))
    # Of all others the last visit was the last check. A visit that failed is later, and need not count as a failure: a
    # server that was busy is held against none of its pages.
    op.execute(
        "UPDATE page SET visited_at = (SELECT max(at) FROM visit WHERE visit.page = page.id) WHERE checked_at IS NULL "
        "OR EXISTS (SELECT 1 FROM visit WHERE visit.page = page.id AND visit.at > page.checked_at)"
    )


def downgrade() -> None:
    op.execute(f"INSERT INTO visit ({COLUMNS}) SELECT {COLUMNS} FROM visit_log")
    op.drop_column("page", "visited_at")
    op.drop_table("visit_log")
