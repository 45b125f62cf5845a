"""The cluster in the store: workers with leases that run by the database's clock, and the partitions they own.

What always holds: a lease that ran out is never renewed (its row is held fast by whoever sees it first, so that a
renewal which came too late fails); a partition has at most one owner, and its epoch rises with every new one.
"""

from collections import Counter
from collections.abc import Collection
from contextlib import closing
from itertools import count

from recrawl.model.cluster import Look, Partition, Report, Seat, Shard, Wish
from recrawl.model.failure import LeaseLost, NotFound, StoreAway
from recrawl.store.address import name_of
from recrawl.store.connection import Database, Rows, Session
from recrawl.store.postgres import open_postgres
from recrawl.store.shared.lease_statements import lease_statements
from recrawl.store.shared.shards import Atlas

PATIENCE_S = (0.01, 0.03, 0.1, 0.3)  # for transactions that gave way to others; an outage is its caller's affair
SET_BACK_S = 1.0  # a renewal that lies so far in the future was made before the database's clock was set back

KEPT_DAYS = 7  # of what was spent


class Leases:
    """Every thread may call it. Raises StoreAway while the database cannot be reached."""

    def __init__(self, database: Database, partitions: int, dsn: str = "") -> None:
        self.database = database
        self.partitions, self.dsn = partitions, dsn
        self._sql = lease_statements()

    def close(self) -> None:
        self.database.close()

    def now(self) -> float:
        """The database's clock."""
        with self.database.reading() as session:
            return float(session.value(self._sql.now))

    # a worker's life

    def join(self, worker: str, weight: float, lease_s: float) -> Seat:
        """A new worker with a lease, and the smallest slot that is free."""
        self._bury()
        while True:
            with self.database.writing() as session:
                self._see_to_parts(session)
                taken = {row[0] for row in session.rows(self._sql.slots)}
                slot = next(number for number in count() if number not in taken)
                values = {"worker": worker, "slot": slot, "weight": weight, "lease_s": lease_s}
                if session.value(self._sql.join, self._sql.join.bind(**values)) is not None:
                    return Seat(worker, weight, slot=slot, left_s=lease_s)

    def renew(self, worker: str, lease_s: float, report: Report) -> None:
        """Lengthen the lease; LeaseLost if it had run out."""
        values = {"idle": report.idle, "commits": report.commits, "checks": report.checks, "lease_s": lease_s}
        with self.database.writing() as session:
            if not session.change(self._sql.renew, self._sql.renew.bind(worker=worker, **values)):
                raise lost(worker)

    def look(self, worker: str) -> Look:
        """How the cluster stands, once those whose lease ran out are buried."""
        self._bury()
        with self.database.reading() as session:
            seats = [_seat(row) for row in session.rows(self._sql.workers)]
            standings = session.rows(self._sql.standings)
            held = {row[0]: row[1] for row in session.rows(self._sql.holdings, self._sql.holdings.bind(worker=worker))}
            letters = bool(session.value(self._sql.any_waiting))
            now = float(session.value(self._sql.now))
        return Look(
            seats=tuple(seat for seat in seats if seat.left_s > 0),
            free=frozenset(number for number, owner, _ in standings if owner is None),
            held=held,
            wanted={number: wanted for number, _, wanted in standings if wanted},
            letters=letters,
            at=now,
        )

    def claim(self, worker: str, most: int, out_of_reach: Collection[int] = ()) -> dict[int, int]:
        """Take up to so many free partitions that can be reached; their numbers and new epochs."""
        if most <= 0:
            return {}
        with self.database.writing() as session:
            if session.value(self._sql.stay_live, self._sql.stay_live.bind(worker=worker)) is None:
                raise lost(worker)
            free = session.rows(
                self._sql.claimable, self._sql.claimable.bind(worker=worker, limit=most, item_0=list(out_of_reach))
            )
            numbers = [row[0] for row in free]
            taken = session.rows(self._sql.claim, self._sql.claim.bind(item_0=numbers, worker=worker))
            return {row[0]: row[1] for row in taken}

    def give_back(self, worker: str, partitions: Collection[int]) -> None:
        with self.database.writing() as session:
            session.rows(self._sql.set_free, self._sql.set_free.bind(item_0=list(partitions), worker=worker))

    def leave(self, worker: str) -> None:
        """Give back everything that is left, and be no worker any more."""
        with self.database.writing() as session:
            session.change(self._sql.set_all_free, self._sql.set_all_free.bind(worker=worker))
            session.change(self._sql.leave, self._sql.leave.bind(worker=worker))

    # what may be spent

    def draw(
        self, budget: str, day: int, most: tuple[int, int], wanted: tuple[int, int], today: int, least: int = 0
    ) -> tuple[int, int]:
        """Take requests and bytes out of the whole of a day, or of the span that ends with it: as much as is left of
        what is wanted; nothing where less requests than `least` are left, which would be of use to others only."""
        with self.database.writing() as session:
            session.change(self._sql.open_purse, self._sql.open_purse.bind(budget=budget, day=day))
            session.change(self._sql.forget_purses, self._sql.forget_purses.bind(day=today - KEPT_DAYS))
            sql = self._sql.look_into_purse
            [(requests, octets)] = session.rows(sql, sql.bind(budget=budget, day=day))
            left = max(0, most[0] - requests), max(0, most[1] - octets)
            got = (min(wanted[0], left[0]), min(wanted[1], left[1])) if left[0] >= least else (0, 0)
            self._hand_out(session, budget, day, got)
        return got

    def give_back_drawn(self, budget: str, day: int, left: tuple[int, int]) -> None:
        with self.database.writing() as session:
            self._hand_out(session, budget, day, (-left[0], -left[1]))

    def drawn(self, budget: str, day: int) -> tuple[int, int]:
        """Requests and bytes that were handed out of the day, or of the span that ends with it."""
        with self.database.reading() as session:
            rows = session.rows(self._sql.purses_of, self._sql.purses_of.bind(budget=budget, day=day))
        return next(((requests, octets) for ends, requests, octets in rows if ends == day), (0, 0))

    def inherit_drawn(self, old: str, heir: str, day: int) -> None:
        """A site got another name: what was handed out under the old one counts under the new one."""
        with self.database.writing() as session:
            for ends, *drawn in session.rows(self._sql.purses_of, self._sql.purses_of.bind(budget=old, day=day)):
                session.change(self._sql.open_purse, self._sql.open_purse.bind(budget=heir, day=ends))
                self._hand_out(session, heir, ends, (drawn[0], drawn[1]))

    def _hand_out(self, session: Session, budget: str, day: int, more: tuple[int, int]) -> None:
        values = {"budget": budget, "day": day, "more_requests": more[0], "more_bytes": more[1]}
        session.change(self._sql.hand_out, self._sql.hand_out.bind(**values))

    # an operator's word

    def seats(self) -> list[Seat]:
        """All workers, those too whose lease has run out and whose partitions nobody took yet."""
        with self.database.reading() as session:
            return [_seat(row) for row in session.rows(self._sql.workers)]

    def parts(self) -> list[Partition]:
        with self.database.reading() as session:
            found = session.rows(self._sql.parts)
        return [Partition(row[0], row[1] or "", row[2], row[3] or "", row[4]) for row in found]

    def outbox_sizes(self) -> dict[int, int]:
        """How many letters wait, by partition."""
        return self._letters_in(self.database)

    def shards(self) -> list[Shard]:
        """The databases of the store, home first; what cannot be reached has no count of letters."""
        places = Counter(part.store for part in self.parts())
        atlas = Atlas(self.database)
        found = [Shard(0, self.database.where, places[0] or self.partitions)]
        for number, address in atlas.addresses.items():
            found.append(Shard(number, name_of(address), places[number], self._letters_at(address)))
        return found

    def _letters_at(self, address: str) -> dict[int, int] | None:
        try:
            with closing(open_postgres(address, readonly=True, patience_s=())) as shard:
                return self._letters_in(shard.database)
        except StoreAway:
            return None

    def _letters_in(self, database: Database) -> dict[int, int]:
        with database.reading() as session:
            return {row[0]: row[1] for row in session.rows(self._sql.outbox_sizes)}

    def wish(self, worker: str, wish: Wish) -> None:
        with self.database.writing() as session:
            if not session.change(self._sql.wish, self._sql.wish.bind(worker=worker, wish=int(wish))):
                raise NotFound(f"there is no worker {worker!r}: see `recrawl cluster status`")

    def wish_all(self, wish: Wish) -> None:
        with self.database.writing() as session:
            session.change(self._sql.wish_all, self._sql.wish_all.bind(wish=int(wish)))

    def move(self, partitions: Collection[int], worker: str) -> int:
        """Ask that a worker own these partitions as long as it is there ('': whoever); how many there are of them."""
        there = sorted(seat.worker for seat in self.seats() if seat.left_s > 0)
        if worker and not there:
            raise NotFound(f"no worker is running: start {worker!r} first; it has another name each time it joins")
        if worker and worker not in there:
            raise NotFound(f"there is no worker {worker!r}; there are: {', '.join(there)}")
        with self.database.writing() as session:
            self._see_to_parts(session)
            return len(
                session.rows(self._sql.move, self._sql.move.bind(item_0=list(partitions), wanted=worker or None))
            )

    # inside

    def _see_to_parts(self, session: Session) -> None:
        """The first worker of a store makes the rows of its partitions."""
        if session.value(self._sql.count_parts) < self.partitions:
            session.many(self._sql.add_parts, ((number, None, 0, None, 0) for number in range(self.partitions)))

    def _bury(self) -> None:
        """Free what workers held whose lease ran out, and forget them. Where the database's clock was set back, a lease
        of one who died would run until then: it counts once more from now, so that who lives can renew it."""
        with self.database.reading() as session:
            seats = [_seat(row) for row in session.rows(self._sql.workers)]
        if any(seat.quiet_s < -SET_BACK_S for seat in seats):
            with self.database.writing() as session:
                session.change(self._sql.count_anew, self._sql.count_anew.bind(at_most_s=SET_BACK_S))
        if not any(seat.left_s <= 0 for seat in seats):
            return
        with self.database.writing() as session:
            expired = [row[0] for row in session.rows(self._sql.expired)]
            session.rows(self._sql.inherit, self._sql.inherit.bind(item_0=list(expired)))
            session.rows(self._sql.bury, self._sql.bury.bind(item_0=list(expired)))


def open_leases(dsn: str, readonly: bool = False) -> Leases:
    store = open_postgres(dsn, readonly, patience_s=PATIENCE_S)
    return Leases(store.database, store.partitions, dsn)


def lost(worker: str) -> LeaseLost:
    return LeaseLost(f"worker {worker} was silent for too long: its partitions belong to others now")


def _seat(row: Rows) -> Seat:
    worker, slot, weight, _, renewed_at, expires_at, wish, idle, commits, checks, held, now = row
    return Seat(
        worker, weight, held, slot, Wish(wish), Report(idle, commits, checks), expires_at - now, now - renewed_at
    )
