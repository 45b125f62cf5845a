"""Run by Alembic: take the revisions on the connection that `upgrade.py` brings."""

from alembic import context

from recrawl.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
