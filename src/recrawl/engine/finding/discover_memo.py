"""What the store's memo holds of a site's links: where it has gone, its traps, what was dropped, which limits bit."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict

from recrawl.ports import Store
from recrawl.scope.traps import TrapLimits, Traps

MOST_WORKERS = 64


def hosts_memo(site: str) -> str:
    """Under this name the store remembers which servers a site's seeds redirected to."""
    return f"hosts:{site}"


def traps_memo(site: str, worker: str) -> str:
    """Under this name a worker keeps how many addresses of each space of a site it has let in."""
    return f"traps:{site}:{worker}"


def closed_memo(site: str) -> str:
    """Under this name all workers keep which spaces of a site they take for endless: a server may be another worker's
    tomorrow."""
    return f"closed:{site}"


def trap_counts(store: Store, site: str) -> dict[str, bytes]:
    """What each worker has counted of a site's spaces; together it is the whole, whatever their number was."""
    return _of_workers(store, traps_memo, site)


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
    memos = [store.memo(memo_of(site, worker))] if worker else _of_workers(store, memo_of, site).values()
    return sum((Counter(json.loads(memo)) for memo in memos if memo), Counter())


def _of_workers(store: Store, memo_of: Callable[[str, str], str], site: str) -> dict[str, bytes]:
    workers = {memo_of(site, one): one for one in map(str, range(MOST_WORKERS))}
    return {workers[name]: memo for name, memo in store.memos(workers).items()}


def closed_text(closed: Mapping[str, str], limits: TrapLimits) -> bytes:
    return json.dumps({"limits": asdict(limits), "closed": dict(closed)}).encode()


def closed_traps(store: Store, site: str, limits: TrapLimits) -> dict[str, str]:
    """What was closed, and why, under these limits: whoever changes them has every space judged anew."""
    kept = json.loads(store.memo(closed_memo(site)) or b"{}")
    return dict(kept["closed"]) if kept and kept["limits"] == asdict(limits) else {}


def trapped(store: Store, site: str, url: str, server: str, limits: TrapLimits) -> str:
    """Why an address is taken for part of a trap; '' if it is not."""
    traps = Traps()
    traps.hear(closed_traps(store, site, limits))
    return traps.is_closed(url, server)
