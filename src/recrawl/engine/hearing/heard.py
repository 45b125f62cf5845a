"""What others say, joined to scope and store: claims become notices and visits, visits become trust."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from recrawl.engine.finding.discover import Quarry
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.ledger import Ledger
from recrawl.model.address import server_of
from recrawl.model.belief import watched_and_changes
from recrawl.model.notice import Notice, Source
from recrawl.model.page import Page, Rank, Status
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.notices import trust as trusts
from recrawl.notices.apply import Decided, Target, carry_out, decide
from recrawl.notices.claim import Claim
from recrawl.notices.outcome import counts_by_source, judged, pending, sources_of, was_change
from recrawl.notices.trust import Record, foretold_change
from recrawl.ports import Store

LONGEST_REST_S = 200 * 86_400.0
MOST_PENDING = 1000  # notices of one page looked at after a visit


@dataclass(frozen=True, slots=True)
class Hearing:
    """Takes claims for all sites of a folder."""

    store: Store
    quarries: Mapping[str, Quarry]

    def take(self, claims: Sequence[Claim], now: float) -> Counter[str]:
        """Decide and carry out; what became of the claims, by reason. `visits`: pages that will be looked at."""
        counts: Counter[str] = Counter()
        for site, targets in _by_site(self.targets(claims, now)).items():
            decided, memos = self.decided(site, targets, now)
            counts.update(decided.counts)
            counts["visits"] += carry_out(self.store, decided, now, memos)
        return counts

    def note(self, claims: Sequence[Claim], now: float, ledger: Ledger) -> Counter[str]:
        """The same, into the ledger of the group commit."""
        counts: Counter[str] = Counter()
        for site, targets in _by_site(self.targets(claims, now)).items():
            decided, memos = self.decided(site, targets, now, ledger.memos.get(trusts.memo_key(site)))
            ledger.notices += decided.notices
            ledger.entered.update((page.id, page) for page in decided.entered)
            ledger.noticed.update(dict.fromkeys(decided.hastened, now))
            ledger.memos.update(memos)
            counts.update(decided.counts)
        return counts

    def decided(
        self, site: str, targets: Sequence[Target], now: float, learnt: bytes | None = None
    ) -> tuple[Decided, list[tuple[str, bytes]]]:
        """The decision for one site, and the memo to save with it. `learnt`: trust not yet in the store."""
        trust = trusts.read(learnt or self.store.memo(trusts.memo_key(site)))
        decided = decide(targets, trust, now)
        after: Mapping[Source, Record] = trust
        for source, count in Counter(notice.source for notice in decided.notices).items():
            servers = {server_of(notice.url) for notice in decided.notices if notice.source is source}
            after = trusts.heard(after, source, count, servers)
        return decided, [(trusts.memo_key(site), trusts.write(after))] if decided.notices else []

    def targets(self, claims: Sequence[Claim], now: float) -> list[Target]:
        """The page each claim speaks of: known here, or as it would enter, or refused."""
        read = [self._read(claim, now) for claim in claims]
        known = {page.id: page for page in self._pages({one.page.id for one in read if one.page is not None})}
        return [
            Target(one.claim, known[one.page.id], True) if one.page is not None and one.page.id in known else one
            for one in read
        ]

    def _read(self, claim: Claim, now: float) -> Target:
        refused = "no site wants it"
        for quarry in self.quarries.values():
            found = quarry.announced(claim.url, now)
            if isinstance(found, Page):
                return Target(claim, found)
            refused = refused if found == "other_host" else found
        return Target(claim, refused=refused)

    def _pages(self, ids: set[int]) -> Iterable[Page]:
        numbers = sorted(ids)
        for at in range(0, len(numbers), 500):
            yield from self.store.pages(numbers[at : at + 500])


def _by_site(targets: Iterable[Target]) -> dict[str, list[Target]]:
    found: dict[str, list[Target]] = defaultdict(list)
    for target in targets:
        found[target.page.site if target.page else ""].append(target)
    return found


@dataclass(slots=True)
class Outcomes:
    """What visits prove of notices. Called once a visit, inside the group commit."""

    store: Store
    _trust: dict[str, Mapping[Source, Record]] = field(default_factory=dict)
    _waiting: dict[int, list[Notice]] = field(default_factory=dict)
    _proved: dict[int, list[Notice]] = field(default_factory=dict)

    def start_batch(self, arrivals: Sequence[Arrival]) -> None:
        """Others count too: what was learnt is read anew for every batch. Pages that a notice hastened are asked for
        the notices that wait for this visit, and all pages of sites of which somebody speaks: who counts only what was
        followed takes a liar for a herald."""
        self._trust.clear()
        spoken_of = {site for site in {one.page.site for one in arrivals} if self._trust_in(site)}
        noticed = [one for one in arrivals if one.page.rank <= Rank.NOTICED or one.page.site in spoken_of]
        self._waiting = {
            one.page.id: pending(self.store.notices(one.page.id, MOST_PENDING), one.reply.at) for one in noticed
        }
        self._proved = {
            one.page.id: [
                notice
                for notice in self._waiting[one.page.id]
                if self._trust_in(one.page.site).get(notice.source, Record()).proved
            ]
            for one in noticed
        }

    def counts(self, page: int) -> tuple[int, ...]:
        """How many notices waited for this visit, by source; of sources that have proved their worth alone, or the
        scheduler would make sense of noise."""
        return counts_by_source(self._proved.get(page, ()))

    def rested(self, after: Page, at: float, patience: float = 1.0) -> Page:
        """A page of which nobody speaks rests longer where the changes of its site are announced, if anybody ever spoke
        of its server. `patience`: how much longer the scheduler lets it rest already for that reason."""
        trust = self._trust.get(after.site)
        if trust is None:
            trust = self._trust_in(after.site)
        if not trust:
            return after
        speaking = {source: record for source, record in trust.items() if record.speaks_of(after.server)}
        longer = trusts.rest(speaking) / patience
        if longer <= 1.0 or after.status is not Status.LIVE or after.due_at is None or after.failures or after.misses:
            return after
        interval_s = min(after.interval_s * longer, max(after.interval_s, LONGEST_REST_S))
        return replace(after, interval_s=interval_s, due_at=max(after.due_at, at + interval_s))

    @property
    def awaited(self) -> Mapping[int, Sequence[Notice]]:
        """Pages of the batch for whose visit notices may wait."""
        return self._waiting

    def is_quiet(self, site: str, ledger: Ledger) -> bool:
        """Nobody speaks of this site."""
        trust = self._trust.get(site)
        if trust is None:
            trust = self._trust_in(site)
        return not trust and (not ledger.memos or trusts.memo_key(site) not in ledger.memos)

    def waiting(self, page: Page, at: float) -> list[Notice]:
        """Notices that the visit at that moment, one of the batch, can judge."""
        told = self._waiting.get(page.id)
        return [notice for notice in told if notice.at <= at] if told else []

    def judge(self, one: Arrival, ledger: Ledger) -> list[Notice]:
        """Set what the notices proved to be, and let the trust in their sources follow; the notices judged."""
        waiting = self.waiting(one.page, one.reply.at) if one.page.id in self._waiting else []
        if not waiting and self.is_quiet(one.page.site, ledger):
            return waiting
        ledger.notices += judged(waiting, one.page, one.verdict)
        changed = was_change(one.page, one.verdict)
        first_met = one.page.checked_at is None and not waiting
        if changed is not None and not first_met:
            self._learn(one, sources_of(waiting), changed, ledger)
        return waiting

    def _trust_in(self, site: str) -> Mapping[Source, Record]:
        if site not in self._trust:
            self._trust[site] = trusts.read(self.store.memo(trusts.memo_key(site)))
        return self._trust[site]

    def _learn(self, one: Arrival, announced_by: frozenset[Source], changed: bool, ledger: Ledger) -> None:
        site, unsaved = one.page.site, ledger.memos.get(trusts.memo_key(one.page.site))
        before = trusts.read(unsaved) if unsaved else self._trust_in(site)
        if not before:  # nobody speaks of this site
            return
        after = trusts.fold(before, announced_by, changed, foretold(one) if announced_by else 0.0)
        if after != before:
            self._trust[site] = after
            ledger.memos[trusts.memo_key(site)] = trusts.write(after)


def foretold(one: Arrival) -> float:
    """How probable a change was by the page's own history, before anybody spoke of it."""
    if not one.page.belief or one.page.checked_at is None:
        return 0.0
    watched_s, changes = watched_and_changes(one.page.belief)
    return foretold_change(changes, watched_s, one.reply.at - one.page.checked_at)


@dataclass(slots=True)
class Stirrings:
    """Notices that came while the crawl runs: their pages are brought forward in the short-term queue."""

    store: Store
    _since_at: float
    _met: set[tuple[int, float, Source]] = field(default_factory=set)
    unheeded: list[Page] = field(default_factory=list)  # spoken of since the last call, but not made due

    def fresh(self) -> list[Page]:
        """Pages that were made due by notices since the last call."""
        self.unheeded = []
        came = [one for one in self._newest() if (one.page, one.at, one.source) not in self._met]
        if not came:
            return []
        self._since_at = max(one.at for one in came)
        self._met = {(one.page, one.at, one.source) for one in came if one.at >= self._since_at} | {
            met for met in self._met if met[1] >= self._since_at
        }
        ids = sorted({one.page for one in came if one.proved is None})
        pages = self.store.pages(ids) if ids else []
        self.unheeded = [page for page in pages if page.rank > Rank.NOTICED]
        return [page for page in pages if page.rank <= Rank.NOTICED]

    def _newest(self) -> list[Notice]:
        """As many as came; most of the time a short list says that there are none."""
        for limit in (50, 100_000):
            newest = self.store.notices(limit=limit)
            if len(newest) < limit or newest[-1].at < self._since_at:
                break
        return [one for one in newest if one.at >= self._since_at]


def trust_rows(store: Store, site: str) -> list[dict[str, object]]:
    """How far each source is believed at a site, for people."""
    return [
        {
            "site": site,
            "source": source.value,
            "notices": record.notices,
            "precision": round(record.precision, 3),
            "recall": None if record.recall is None else round(record.recall, 3),
            "lift": round(record.lift, 3),
            "right": round(record.right, 2),
            "wrong": round(record.wrong, 2),
            "missed": round(record.missed, 2),
            "listened_to": not record.ignored,
        }
        for source, record in trusts.read(store.memo(trusts.memo_key(site))).items()
    ]
