"""Documentation is tested with the servers of the flow tests."""

from tests.flow.conftest import recrawl, start_site

__all__ = ["recrawl", "start_site"]
