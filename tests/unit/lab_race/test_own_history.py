"""A folder's own history can be raced on before a request is sent."""

import pytest

from recrawl.lab.month import simulate
from recrawl.lab.race.own_history import traces
from recrawl.lab.race.race import run
from recrawl.lab.race.traces import sampled
from recrawl.lab.varied import varied_world
from recrawl.model.failure import NotFound


def test_a_crawl_of_five_weeks_can_be_replayed_under_other_policies() -> None:
    month = simulate(varied_world(3, servers=1, pages=20), 3, 36.0)
    found = traces(month.store)
    changes = sum(kind == 1 for trace in found for _, _, kind, _ in trace.events)
    assert changes == sum(page.changes for page in month.store.scan(limit=10_000) if page.kind.value != "signal")
    scores = list(run([lambda seed: sampled(found, seed)], ["static", "value"], [1 / 7], seeds=1))
    assert {score.policy for score in scores} == {"static", "value"}
    assert all(0 <= score.stale < 1 and score.requests > 0 for score in scores)


def test_a_history_too_short_to_say_anything_is_refused() -> None:
    month = simulate(varied_world(3, servers=1, pages=5), 3, 3.0)
    with pytest.raises(NotFound, match="two weeks"):
        traces(month.store)
