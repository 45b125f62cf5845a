"""What every room of the tests may ask for."""

from tests.postgres import (  # noqa: F401  fixtures
    _our_server,
    postgres_dsn,
    postgres_server,
    postgres_store,
    postgres_victim,
)
