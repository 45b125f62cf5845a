"""For tests of one request, which can be made in two ways."""

from collections.abc import Iterator

import pytest
from tests.unit.fetch.fetching import PROMPT


@pytest.fixture(params=[False, True], ids=["awaited", "prompt"])
def both_ways(request: pytest.FixtureRequest) -> Iterator[None]:
    before = PROMPT.set(request.param)
    yield
    PROMPT.reset(before)
