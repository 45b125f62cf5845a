"""Run by Alembic: take the revisions on the connection that `upgrade.py` brings."""

from alembic import context

from recrawl.store.schema import SCHEMA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SCHEMA,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
