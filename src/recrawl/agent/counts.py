"""What happened at the endpoint and on the way out, counted in one small file for `agent status`."""

import json
from collections import Counter
from collections.abc import Mapping

from recrawl.agent.place import Place
from recrawl.agent.whole import write_whole


def read(place: Place) -> Counter[str]:
    try:
        return Counter({str(name): int(value) for name, value in json.loads(place.counts.read_text("utf-8")).items()})
    except (OSError, ValueError, AttributeError):
        return Counter()


def add(place: Place, more: Mapping[str, int]) -> None:
    if any(more.values()):
        with place.held("counts"):
            total = read(place) + Counter(more)
            write_whole(place.counts, json.dumps(dict(sorted(total.items())), indent=1).encode())
