"""What every room of the tests may ask for."""

import pytest
from hypothesis import settings

from recrawl.native import compiled
from tests.postgres import (  # noqa: F401  fixtures
    _our_server,
    postgres_dsn,
    postgres_server,
    postgres_store,
    postgres_victim,
)

settings.register_profile("house", deadline=None)  # by the wall clock, which a busy machine makes any number
settings.load_profile("house")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a compiler recrawl does everything in Python, and so do its tests."""
    if compiled is None:
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(pytest.mark.skip(reason="recrawl is installed without its compiled part"))
