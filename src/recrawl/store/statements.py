"""Every statement there is, by name and in batches. Nobody else builds a query."""

from recrawl.store.history_statements import HistoryStatements
from recrawl.store.page_statements import PageStatements
from recrawl.store.record_statements import RecordStatements
from recrawl.store.server_statements import ServerStatements


class Statements(PageStatements, ServerStatements, HistoryStatements, RecordStatements):
    """Built with SQLAlchemy Core in what SQLite and PostgreSQL share; a list always comes first."""
