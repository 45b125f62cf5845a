"""The server that the tests themselves run on."""

import psycopg
import pytest
from tests.postgres import PostgresServer


def test_every_test_gets_a_database_of_its_own(postgres_server: PostgresServer, postgres_dsn: str) -> None:
    other = postgres_server.fresh()
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE only_here (n int)")
    with psycopg.connect(other) as connection:
        assert connection.execute("SELECT to_regclass('only_here')").fetchone() == (None,)
    postgres_server.drop(other)


@pytest.mark.parametrize("fault", ["kill", "stop", "immediate"])
def test_what_was_committed_is_there_after_the_server_ended_and_came_back(
    postgres_victim: PostgresServer, fault: str
) -> None:
    dsn = postgres_victim.fresh()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
    postgres_victim.kill() if fault == "kill" else postgres_victim.stop("fast" if fault == "stop" else fault)
    assert not postgres_victim.is_up()
    postgres_victim.start()
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (7,)
    postgres_victim.drop(dsn)
