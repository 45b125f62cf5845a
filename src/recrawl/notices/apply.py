"""What checked claims lead to: notices saved, pages made due, new pages entered. Decided here; carried out in one save.

The page of a claim is found by the caller (scope is not our room): `Target` is what it made of the claim's address.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

from recrawl.model.batch import Batch
from recrawl.model.mail_date import read_mail_date
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Rank, Status
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.notices.claim import Claim
from recrawl.notices.trust import SAMPLE, Record, credit
from recrawl.ports import Store


@dataclass(frozen=True, slots=True)
class Target:
    """`page`: as known, or as it would enter. `refused`: why scope does not want it ('' if it does)."""

    claim: Claim
    page: Page | None = None
    known: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """`hastened`: ids of known pages to visit now. `counts`: what became of the claims, for people."""

    notices: tuple[Notice, ...] = ()
    entered: tuple[Page, ...] = ()
    hastened: tuple[int, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


def decide(targets: Sequence[Target], trust: Mapping[Source, Record], now: float) -> Decided:
    """Pure: equal claims, equal decision. Several claims of one page are one visit."""
    notices: list[Notice] = []
    entered: dict[int, Page] = {}
    hastened: dict[int, None] = {}
    counts: Counter[str] = Counter()
    left = {source: credit(source, trust.get(source, Record())) for source in Source}
    for target in targets:
        page, claim = target.page, target.claim
        if page is None or target.refused:
            counts[f"refused: {target.refused or 'no address'}"] += 1
            continue
        if not target.known and claim.kind is NoticeKind.DELETED:
            counts["unknown and deleted"] += 1
            continue
        notices.append(Notice(page.id, page.url, now, claim.source, claim.kind))
        if target.known and has_it(page, claim):
            counts["already as new here"] += 1
            continue
        if left[claim.source] <= 0 and page.id not in hastened and not _sampled(page, now):
            counts["not listened to"] += 1
            continue
        left[claim.source] -= 1
        counts["taken"] += 1
        if target.known:
            hastened[page.id] = None
        else:
            entered[page.id] = replace(page, rank=Rank.NOTICED, due_at=now, found_at=now)
    return Decided(tuple(notices), tuple(entered.values()), tuple(hastened), dict(counts))


def has_it(page: Page, claim: Claim) -> bool:
    """S4: size and date compared with what is stored. A day is not enough: a document may change twice in one."""
    return (
        claim.kind is not NoticeKind.DELETED
        and page.status is Status.LIVE
        and claim.size_bytes == page.size_bytes
        and claim.modified_at is not None
        and claim.modified_at == _stored_at(page)
    )


def _stored_at(page: Page) -> float | None:
    try:
        return read_mail_date(page.last_modified).timestamp() if page.last_modified else None
    except ValueError:
        return None


def carry_out(store: Store, decided: Decided, now: float, memos: Sequence[tuple[str, bytes]] = ()) -> int:
    """Save the notices and stir the pages; how many pages will be visited because of them."""
    store.save(Batch(entered=decided.entered, notices=decided.notices, memos=tuple(memos)))
    if decided.hastened:
        store.make_due(now, ids=decided.hastened, rank=Rank.NOTICED)
    return len(decided.hastened) + len(decided.entered)


def _sampled(page: Page, now: float) -> bool:
    """One page in so many, another one every day: so that a source that mends its ways is noticed."""
    return (page.id + int(now // 86_400)) % SAMPLE == 0
