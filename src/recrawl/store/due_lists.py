"""The long-term queue in memory: each server's pages by rank and due time, as the database's index holds them."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterator
from itertools import islice

Entry = tuple[float, int, int]  # due time, order of entry, page


class DueLists:
    """Sorted lists, one for each server and rank. Ties of due time go by order of entry."""

    def __init__(self) -> None:
        self._lists: dict[str, dict[int, list[Entry]]] = {}

    def add(self, server: str, rank: int, entry: Entry) -> None:
        insort(self._lists.setdefault(server, {}).setdefault(rank, []), entry)

    def remove(self, server: str, rank: int, entry: Entry) -> None:
        entries = self._lists[server][rank]
        del entries[bisect_left(entries, entry)]

    def due(self, server: str, before_at: float, limit: int, skip: Collection[int]) -> list[int]:
        """Ids by rank, then due time."""
        skipped = skip if isinstance(skip, (set, frozenset, dict)) else set(skip)
        found = (page for page in self._walk(server, before_at) if page not in skipped)
        return list(islice(found, max(limit, 0)))

    def earliest(self, server: str, limit: int) -> list[Entry]:
        """Entries by due time alone."""
        heads = (entry for entries in self._lists.get(server, {}).values() for entry in entries[:limit])
        return sorted(heads)[:limit]

    def earliest_at(self, server: str) -> float | None:
        return min((entries[0][0] for entries in self._lists.get(server, {}).values() if entries), default=None)

    def ids_due(self, before_at: float) -> Iterator[int]:
        for server in self._lists:
            yield from self._walk(server, before_at)

    def count_due(self, before_at: float) -> int:
        return sum(
            bisect_right(entries, before_at, key=_due_at)
            for ranks in self._lists.values()
            for entries in ranks.values()
        )

    def _walk(self, server: str, before_at: float) -> Iterator[int]:
        ranks = self._lists.get(server, {})
        for rank in sorted(ranks):
            for due_at, _, page in ranks[rank]:
                if due_at > before_at:
                    break
                yield page


def _due_at(entry: Entry) -> float:
    return entry[0]
