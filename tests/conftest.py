"""What every room of the tests may ask for."""

from hypothesis import settings

from tests.postgres import (  # noqa: F401  fixtures
    _our_server,
    postgres_dsn,
    postgres_server,
    postgres_store,
    postgres_victim,
)

settings.register_profile("house", deadline=None)  # by the wall clock, which a busy machine makes any number
settings.load_profile("house")
