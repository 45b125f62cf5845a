"""What a worker adds to the address of its database."""

import pytest

from recrawl.store.address import impatient, name_of
from recrawl.store.postgres_driver import parts_of


@pytest.mark.parametrize(
    "dsn",
    ["postgresql://u@h:5/db", "postgresql:///db?host=/run/sockets", "postgresql://u:p%40@a:1,b:2/db?sslmode=require"],
)
def test_a_worker_gives_up_a_silent_line_within_its_lease_and_the_rest_of_the_address_stays(dsn: str) -> None:
    before, after = parts_of(dsn), parts_of(impatient(dsn, 10.0))
    assert {key: after[key] for key in before} == before
    assert (after["tcp_user_timeout"], after["connect_timeout"]) == ("10000", "3")


def test_what_the_address_says_of_its_patience_stays() -> None:
    said = impatient("postgresql://u@h/db?tcp_user_timeout=7", 10.0)
    assert parts_of(said)["tcp_user_timeout"] == "7"


def test_the_shortest_lease_still_leaves_time_to_connect() -> None:
    assert parts_of(impatient("postgresql://u@h/db", 0.5))["connect_timeout"] == "2"


@pytest.mark.parametrize("dsn", ["postgresql://u@h:5/db", "postgresql:///db?host=/run/sockets"])
def test_messages_name_the_database_as_the_operator_does(dsn: str) -> None:
    assert name_of(impatient(dsn, 10.0)) == name_of(dsn) == dsn
