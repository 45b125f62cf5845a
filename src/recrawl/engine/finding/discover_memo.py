"""What the store's memo holds of a site's links: where it has gone, its traps, what was dropped, which limits bit."""

import json
from collections import Counter
from collections.abc import Callable

from recrawl.ports import Store
from recrawl.scope.traps import Traps

MOST_WORKERS = 64


def hosts_memo(site: str) -> str:
    """Under this name the store remembers which servers a site's seeds redirected to."""
    return f"hosts:{site}"


def traps_memo(site: str, worker: str) -> str:
    """Under this name a worker keeps which spaces of a site it takes for endless."""
    return f"traps:{site}:{worker}"


def dropped_memo(site: str, worker: str) -> str:
    """Under this name a worker keeps how many links it dropped, by reason."""
    return f"dropped:{site}:{worker}"


def bitten_memo(site: str, worker: str) -> str:
    """Under this name a worker keeps how often each limit bit."""
    return f"bitten:{site}:{worker}"


def counted_text(counts: Counter[str]) -> bytes:
    return json.dumps(dict(sorted(counts.items()))).encode()


def dropped_counts(store: Store, site: str, worker: str = "") -> Counter[str]:
    """How many links were dropped, by reason, by one worker or by all of them."""
    return _counted(store, dropped_memo, site, worker)


def bitten_counts(store: Store, site: str, worker: str = "") -> Counter[str]:
    """How often each limit bit, by one worker or by all of them."""
    return _counted(store, bitten_memo, site, worker)


def _counted(store: Store, memo_of: Callable[[str, str], str], site: str, worker: str) -> Counter[str]:
    workers = [worker] if worker else [str(number) for number in range(MOST_WORKERS)]
    memos = (store.memo(memo_of(site, one)) for one in workers)
    return sum((Counter(json.loads(memo)) for memo in memos if memo), Counter())


def trapped(store: Store, site: str, url: str) -> str:
    """Why an address is taken for part of a trap by one of the workers; '' if it is not."""
    traps = Traps()
    for worker in range(MOST_WORKERS):
        traps.recall(store.memo(traps_memo(site, str(worker))))
    return traps.is_closed(url)
