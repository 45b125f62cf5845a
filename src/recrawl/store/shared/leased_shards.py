"""A store of several databases as one worker of a cluster sees it.

A batch is written in one transaction a database, home last. A link goes into the transaction of the visit that found
it: as a page where both live in the same database and are owned, as a letter in that database's outbox otherwise.
Whoever owns the page's partition finds it there, enters it where it belongs, and then takes the letter out: broken off
in between it is entered again, which changes nothing.

A shard that does not answer takes only its own partitions with it. Its owners lose their term, as with a home that is
away; in the next one they claim what can be reached, and look for the shard again every few seconds.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from time import monotonic
from typing import TypeVar

from recrawl.model.address import partition_of
from recrawl.model.batch import Batch, Saved
from recrawl.model.failure import StoreAway, StoreInUse
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.ports import Store
from recrawl.store.address import impatient
from recrawl.store.shared.leased import LETTERS, Fence, FencedStore, LeasedStore, Letter
from recrawl.store.shared.sharded import ShardedStore, soonest
from recrawl.store.shared.sharding import HOME, by_shard
from recrawl.store.shared.shards import Atlas, Members, atlas_of, relay

AGAIN_S = 5.0  # a shard that was away is tried again
RELAY_S = 5.0  # what others left untold is looked for, besides at each claim

Answer = TypeVar("Answer")


class LeasedShards(ShardedStore):
    """Keeps the laws of `ports.Store` for what it owns; what it does not own is entered by its owner, soon. Reads
    answer from what can be reached; what is owned always is, or the term ends."""

    def __init__(self, home: FencedStore, atlas: Atlas, fence: Fence, steady: Callable[[], float] = monotonic) -> None:
        self._atlas, self._fence, self._steady = atlas, fence, steady
        super().__init__(Members(home, lambda: atlas.addresses, self._opened), atlas.place)
        self._away: dict[int, float] = {}
        self._used: tuple[int, frozenset[int]] = (-1, frozenset())
        self._relayed_at = steady()

    def _opened(self, dsn: str) -> FencedStore:
        return FencedStore(impatient(dsn, self._fence.lease_s), self._fence, self._fence.in_shard)

    def close(self) -> None:
        assert isinstance(self.members, Members)
        for member in self.members.opened():
            member.close()

    # what can be reached

    def each(self, ask: Callable[[Store], Answer], of: Iterable[int] | None = None) -> dict[int, Answer]:
        """Answers of those whose partitions we own, and of the others that can be reached."""
        needed = self._in_use()
        found: dict[int, Answer] = {}
        for number in range(len(self.members)) if of is None else of:
            if number in needed:
                found[number] = ask(self.members[number])
            elif not self._is_away(number):
                try:
                    found[number] = ask(self.members[number])
                except (StoreAway, StoreInUse):
                    self._away[number] = self._steady() + AGAIN_S
        return found

    def _in_use(self) -> frozenset[int]:
        """The databases of what is owned."""
        if self._used[0] != self._fence.turn:
            turn, epochs = self._fence.turn, list(self._fence.epochs)
            self._used = turn, frozenset({HOME, *map(self._atlas.place, epochs)})
        return self._used[1]

    def servers_due(self, partitions: Collection[int], before_at: float, limit: int) -> list[Server]:
        found = self.each(lambda member: member.servers_due(partitions, before_at, limit), self._in_use())
        return soonest(found.values(), limit)

    def _of_server(self, server: str, ask: Callable[[Store], Answer], nothing: Answer) -> Answer:
        """What is owned lives where we think."""
        if self._owned(server):
            return ask(self.members[self.place_of(server)])
        return super()._of_server(server, ask, nothing)

    def _is_away(self, number: int) -> bool:
        return self._steady() < self._away.get(number, float("-inf"))

    def out_of_reach(self) -> frozenset[int]:
        """Partitions that nobody can work on now."""
        return self._atlas.living_in([number for number in self._away if self._is_away(number)])

    def admit(self, epochs: Mapping[int, int]) -> set[int]:
        """Own partitions that were claimed, once their shards know of it; those whose shards are away. What the owner
        before left untold there is told first, or whoever sees the heir's work done would miss it in the feed."""
        self._atlas.look()
        refused: set[int] = set()
        for number in {self._atlas.place(partition) for partition in epochs}:
            mine = {one: epoch for one, epoch in epochs.items() if self._atlas.place(one) == number}
            try:
                if number != HOME:
                    self._member(number).take_over(mine)
                    relay(self.home, self._member(number))
            except (StoreAway, StoreInUse):
                self._away[number] = self._steady() + AGAIN_S
                refused |= mine.keys()
            else:
                self._fence.own(mine)
        return refused

    def _member(self, number: int) -> FencedStore:
        member = self.members[number]
        assert isinstance(member, FencedStore)
        return member

    # writing

    def save(self, batch: Batch) -> Saved:
        with self._fence.still:
            mine, letters = self._sorted(batch)
            parts = by_shard(mine, self.places_of_pages(mine), self.place_of)
            told, fresh, posted = Saved(), frozenset[int](), frozenset[int]()
            for number in sorted({*parts, *letters}, reverse=True):  # home comes last, and tells everything
                told = self._member(number).write(parts.get(number, Batch()), letters.get(number, ()))
                fresh, posted = fresh | told.entered, posted | told.posted
        return Saved(fresh, told.cursors if batch.events else (), posted)

    def _sorted(self, batch: Batch) -> tuple[Batch, dict[int, list[Letter]]]:
        """What this worker writes, and letters by the database they are posted in."""
        pages = [page for page in batch.pages if self._owned(page.server)]
        visited = {page.id: self.place_of(page.server) for page in pages}
        carrier = min({*visited.values(), *(self.place_of(server.key) for server in batch.servers)}, default=HOME)

        def found_in(page: Page) -> int:
            return visited.get(page.found_from, carrier) if page.found_from is not None else carrier

        def stays(page: Page) -> bool:
            return self._owned(page.server) and found_in(page) == self.place_of(page.server)

        posted = [page for page in batch.entered if not stays(page)]
        known = self.known([page.id for page in posted]) if posted else set()
        wanted = {page.id: (page, False) for page in posted if page.id not in known}
        wanted |= {page.id: (page, True) for page in batch.pages if not self._owned(page.server)}
        letters: dict[int, list[Letter]] = {}
        for page, again in wanted.values():
            letters.setdefault(found_in(page), []).append(Letter(self._partition(page.server), page, again))
        return replace(batch, pages=tuple(pages), entered=tuple(filter(stays, batch.entered))), letters

    def receive(self, limit: int = LETTERS) -> int:
        """Enter what was found for the partitions owned, wherever it was posted; how many letters there were."""
        with self._fence.still:
            posted = self.each(lambda member: _fenced(member).letters(limit))
            for number, letters in posted.items():
                self._deliver(number, letters)
            self._tell_untold()
        return sum(map(len, posted.values()))

    def _deliver(self, posted_in: int, letters: Iterable[Letter]) -> None:
        by_place: dict[int, list[Letter]] = {}
        for letter in letters:
            by_place.setdefault(self._atlas.place(letter.partition), []).append(letter)
        for place, some in by_place.items():
            self._member(place).enter(some, here=place == posted_in)
            if place != posted_in:
                self._member(posted_in).take_out(some)

    def letters_elsewhere(self) -> bool:
        """Letters that lie in another database than the home, or may."""
        shards = range(1, len(self.members))
        found = self.each(lambda member: _fenced(member).has_letters(), shards)
        return any(found.values()) or len(found) < len(shards)

    def _tell_untold(self) -> None:
        if self._steady() < self._relayed_at + RELAY_S:
            return
        self._relayed_at = self._steady()
        self.each(lambda member: relay(self.home, _fenced(member)), range(1, len(self.members)))

    def _partition(self, server: str) -> int:
        return partition_of(server, self.partitions)

    def _owned(self, server: str) -> bool:
        return self._partition(server) in self._fence.epochs


def open_leased(dsn: str, fence: Fence, steady: Callable[[], float] = monotonic) -> LeasedStore | LeasedShards:
    """The store of a worker, whether it has shards or not."""
    home = LeasedStore(dsn, fence)
    atlas = atlas_of(home)
    return LeasedShards(home, atlas, fence, steady) if atlas.addresses else home


def _fenced(member: Store) -> FencedStore:
    assert isinstance(member, FencedStore)
    return member
