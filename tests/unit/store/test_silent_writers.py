"""Whoever falls silent in the middle of a write to PostgreSQL loses its rows to others."""

import psycopg
import pytest
from tests.flow.machines import until

from recrawl.model.failure import RecrawlError
from recrawl.store.engines import EngineConnections
from recrawl.store.postgres import postgres_engine

BRIEF = "SELECT set_config('idle_in_transaction_session_timeout', '200', true)"
THERE = "SELECT 1 FROM pg_stat_activity WHERE pid = %s"
ROWS = [(1, 1), (2, 2)]


def test_the_server_ends_a_transaction_that_falls_silent_after_rows_sent_one_by_one(postgres_store: str) -> None:
    connections = EngineConnections(postgres_engine(postgres_store), "here")
    with (
        psycopg.connect(postgres_store, autocommit=True) as observer,
        pytest.raises(RecrawlError),
        connections.writing() as session,
    ):
        session._run(BRIEF, ())
        process = session._run("SELECT pg_backend_pid()", ()).fetchall()[0]
        session._run_all("UPDATE server SET site=%s WHERE id=%s", ROWS)
        until(lambda: not observer.execute(THERE, process).fetchall())
    connections.close()
